from enum import StrEnum

class MailSettingsAttachmentsType1(StrEnum):
    FACTUR_X = "factur-x"
    PDF_AND_XML = "pdf-and-xml"

    def __str__(self) -> str:
        return str(self.value)
