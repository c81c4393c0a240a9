from enum import StrEnum

class ListInvoicesAttention(StrEnum):
    TRUE = "true"

    def __str__(self) -> str:
        return str(self.value)
