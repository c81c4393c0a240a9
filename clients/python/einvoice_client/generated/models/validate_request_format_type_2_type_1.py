from enum import StrEnum

class ValidateRequestFormatType2Type1(StrEnum):
    AUTO = "auto"
    CII = "cii"
    UBL = "ubl"

    def __str__(self) -> str:
        return str(self.value)
