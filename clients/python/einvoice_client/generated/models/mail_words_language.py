from enum import StrEnum

class MailWordsLanguage(StrEnum):
    DE = "de"
    EN = "en"
    ES = "es"
    FR = "fr"
    IT = "it"
    NL = "nl"
    PL = "pl"
    RO = "ro"
    SV = "sv"

    def __str__(self) -> str:
        return str(self.value)
