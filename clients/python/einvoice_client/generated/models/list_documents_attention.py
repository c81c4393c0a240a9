from enum import StrEnum

class ListDocumentsAttention(StrEnum):
    TRUE = "true"

    def __str__(self) -> str:
        return str(self.value)
