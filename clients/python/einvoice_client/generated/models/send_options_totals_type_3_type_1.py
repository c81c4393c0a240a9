from enum import StrEnum

class SendOptionsTotalsType3Type1(StrEnum):
    EXACT = "exact"
    ROUNDED = "rounded"

    def __str__(self) -> str:
        return str(self.value)
