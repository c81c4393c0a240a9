from enum import StrEnum

class InvoiceTaxPointCodeType3Type1(StrEnum):
    VALUE_0 = "3"
    VALUE_1 = "35"
    VALUE_2 = "432"

    def __str__(self) -> str:
        return str(self.value)
