"""PINT-OM-UBL: the rules of Oman, release 1.0.1, in UBL.

Billing and self-billing have the same rules but for the identifiers and types of documents. Two
rules are warnings, and one, on every document, is information.
"""

from __future__ import annotations
