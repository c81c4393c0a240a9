"""Errors of ebMS 3.0 and AS4 as this access point reports them, and why it refuses a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Code:
    """An error code with the words and the category of the specification (ebMS 3.0, 6.7)."""

    code: str
    words: str
    category: str


VALUE_INCONSISTENT: Final = Code("EBMS:0003", "ValueInconsistent", "Content")
OTHER: Final = Code("EBMS:0004", "Other", "Content")
MIME_INCONSISTENCY: Final = Code("EBMS:0007", "MimeInconsistency", "Unpackaging")
INVALID_HEADER: Final = Code("EBMS:0009", "InvalidHeader", "Unpackaging")
EXTERNAL_PAYLOAD: Final = Code("EBMS:0011", "ExternalPayloadError", "Content")
FAILED_AUTHENTICATION: Final = Code("EBMS:0101", "FailedAuthentication", "Processing")
FAILED_DECRYPTION: Final = Code("EBMS:0102", "FailedDecryption", "Processing")
POLICY: Final = Code("EBMS:0103", "PolicyNoncompliance", "Processing")
DECOMPRESSION: Final = Code("EBMS:0303", "DecompressionFailure", "Communication")

NOT_SERVICED: Final = "PEPPOL:NOT_SERVICED"


class Refused(Exception):
    """A message that is refused with an error signal. `detail` is for people at the other side."""

    def __init__(self, code: Code, detail: str) -> None:
        super().__init__(f"{code.code} {code.words}: {detail}")
        self.code = code
        self.detail = detail
