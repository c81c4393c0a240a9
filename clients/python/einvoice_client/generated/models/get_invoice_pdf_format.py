from enum import StrEnum

class GetInvoicePdfFormat(StrEnum):
    FACTUR_X = "factur-x"
    PDF = "pdf"
    RECEIPT = "receipt"

    def __str__(self) -> str:
        return str(self.value)
