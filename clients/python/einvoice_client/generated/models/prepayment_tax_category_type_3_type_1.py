from enum import StrEnum

class PrepaymentTaxCategoryType3Type1(StrEnum):
    AE = "AE"
    B = "B"
    E = "E"
    G = "G"
    K = "K"
    L = "L"
    M = "M"
    N = "N"
    O = "O"
    S = "S"
    Z = "Z"

    def __str__(self) -> str:
        return str(self.value)
