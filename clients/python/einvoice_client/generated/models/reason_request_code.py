from enum import StrEnum

class ReasonRequestCode(StrEnum):
    DEL = "DEL"
    FIN = "FIN"
    ITM = "ITM"
    LEG = "LEG"
    NON = "NON"
    OTH = "OTH"
    PAY = "PAY"
    PPD = "PPD"
    PRI = "PRI"
    QTY = "QTY"
    QUA = "QUA"
    REC = "REC"
    REF = "REF"
    UNR = "UNR"

    def __str__(self) -> str:
        return str(self.value)
