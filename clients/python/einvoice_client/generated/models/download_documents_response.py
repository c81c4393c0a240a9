from enum import StrEnum

class DownloadDocumentsResponse(StrEnum):
    ACCEPTED = "accepted"
    CANCELLED = "cancelled"
    CONDITIONALLYACCEPTED = "conditionallyAccepted"
    INPROCESS = "inProcess"
    PAID = "paid"
    RECEIVED = "received"
    REJECTED = "rejected"
    UNDELIVERABLE = "undeliverable"

    def __str__(self) -> str:
        return str(self.value)
