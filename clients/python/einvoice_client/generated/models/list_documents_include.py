from enum import StrEnum

class ListDocumentsInclude(StrEnum):
    TOTAL = "total"

    def __str__(self) -> str:
        return str(self.value)
