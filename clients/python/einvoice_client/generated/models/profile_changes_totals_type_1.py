from enum import StrEnum

class ProfileChangesTotalsType1(StrEnum):
    EXACT = "exact"
    ROUNDED = "rounded"

    def __str__(self) -> str:
        return str(self.value)
