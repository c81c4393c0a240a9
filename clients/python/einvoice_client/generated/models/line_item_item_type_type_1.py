from enum import StrEnum

class LineItemItemTypeType1(StrEnum):
    B = "B"
    G = "G"
    S = "S"

    def __str__(self) -> str:
        return str(self.value)
