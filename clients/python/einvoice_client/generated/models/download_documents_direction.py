from enum import StrEnum

class DownloadDocumentsDirection(StrEnum):
    RECEIVED = "received"
    SENT = "sent"

    def __str__(self) -> str:
        return str(self.value)
