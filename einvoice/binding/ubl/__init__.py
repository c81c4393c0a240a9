"""The UBL 2.1 binding of Peppol BIS Billing 3.0: `describe` puts an invoice into a Builder."""

from einvoice.binding.ubl.document import describe

__all__ = ["describe"]
