from enum import StrEnum

class DownloadDocumentsAttention(StrEnum):
    TRUE = "true"

    def __str__(self) -> str:
        return str(self.value)
