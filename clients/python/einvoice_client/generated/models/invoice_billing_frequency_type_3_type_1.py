from enum import StrEnum

class InvoiceBillingFrequencyType3Type1(StrEnum):
    DLY = "DLY"
    HYR = "HYR"
    MTH = "MTH"
    OTH = "OTH"
    Q15 = "Q15"
    Q45 = "Q45"
    Q60 = "Q60"
    QTR = "QTR"
    WKY = "WKY"
    YRL = "YRL"

    def __str__(self) -> str:
        return str(self.value)
