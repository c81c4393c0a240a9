"""PINT in UBL: the terms of a country are added to the elements of EN 16931 by its table."""

from einvoice.binding.pint.document import describe

__all__ = ["describe"]
