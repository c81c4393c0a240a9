from enum import StrEnum

class MailFilesAttachments(StrEnum):
    FACTUR_X = "factur-x"
    PDF_AND_BIS = "pdf-and-bis"
    PDF_AND_XML = "pdf-and-xml"
    PDF_AND_XRECHNUNG = "pdf-and-xrechnung"

    def __str__(self) -> str:
        return str(self.value)
