from enum import StrEnum

class DownloadDocumentsSort(StrEnum):
    CREATEDAT = "createdAt"
    GRANDTOTAL = "grandTotal"
    ISSUEDATE = "issueDate"
    NETWORKSTATUS = "networkStatus"
    NUMBER = "number"
    PARTY = "party"
    VALUE_0 = "-createdAt"
    VALUE_10 = "-party"
    VALUE_2 = "-issueDate"
    VALUE_4 = "-grandTotal"
    VALUE_6 = "-number"
    VALUE_8 = "-networkStatus"

    def __str__(self) -> str:
        return str(self.value)
