from enum import StrEnum

class ConvertDocumentTo(StrEnum):
    CII = "cii"
    JSON = "json"
    UBL = "ubl"

    def __str__(self) -> str:
        return str(self.value)
