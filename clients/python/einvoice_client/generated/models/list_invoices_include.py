from enum import StrEnum

class ListInvoicesInclude(StrEnum):
    TOTAL = "total"

    def __str__(self) -> str:
        return str(self.value)
