from enum import StrEnum

class InvoiceTypeType3Type1(StrEnum):
    CREDITNOTE = "creditNote"
    INVOICE = "invoice"
    SELFBILLEDCREDITNOTE = "selfBilledCreditNote"
    SELFBILLEDINVOICE = "selfBilledInvoice"

    def __str__(self) -> str:
        return str(self.value)
