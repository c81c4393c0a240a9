from enum import StrEnum

class AttachmentMimeType(StrEnum):
    APPLICATIONPDF = "application/pdf"
    APPLICATIONVND_OASIS_OPENDOCUMENT_SPREADSHEET = "application/vnd.oasis.opendocument.spreadsheet"
    APPLICATIONVND_OPENXMLFORMATS_OFFICEDOCUMENT_SPREADSHEETML_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    IMAGEJPEG = "image/jpeg"
    IMAGEPNG = "image/png"
    TEXTCSV = "text/csv"

    def __str__(self) -> str:
        return str(self.value)
