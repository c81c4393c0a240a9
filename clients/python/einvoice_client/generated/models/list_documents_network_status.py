from enum import StrEnum

class ListDocumentsNetworkStatus(StrEnum):
    DELIVERED = "Delivered"
    FAILED = "Failed"
    PROCESSING = "Processing"
    RECEIVED = "Received"

    def __str__(self) -> str:
        return str(self.value)
