"""A practice network: certificates, SMP and DNS made on one machine. Not for production.

`einvoice peppol practice` serves it, and the tests use its parts. Only `commands` imports it.
"""
