from enum import StrEnum

class LineItemItemTypeType3Type1(StrEnum):
    B = "B"
    G = "G"
    S = "S"

    def __str__(self) -> str:
        return str(self.value)
