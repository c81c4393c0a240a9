"""The UBL 2.1 binding: `describe` puts an invoice into a Builder.

The elements are those of Peppol BIS Billing 3.0; of an invoice of PINT also those of its country.
"""

from einvoice.binding.ubl.document import describe

__all__ = ["describe"]
