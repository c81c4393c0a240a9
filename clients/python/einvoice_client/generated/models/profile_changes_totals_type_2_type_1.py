from enum import StrEnum

class ProfileChangesTotalsType2Type1(StrEnum):
    EXACT = "exact"
    ROUNDED = "rounded"

    def __str__(self) -> str:
        return str(self.value)
