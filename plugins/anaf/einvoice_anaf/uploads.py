"""The upload: the call and its parameters, chosen from the document.

>>> Upload("upload", {"standard": "CN"}).as_state()
{'call': 'upload', 'standard': 'CN'}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lxml import etree

from einvoice import xml
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId

MESSAGE_NAMESPACE: Final = "mfp:anaf:dgti:spv:reqMesaj:v1"
MESSAGE: Final = DocumentTypeId("ro-efactura-docid", f"{MESSAGE_NAMESPACE}::header")
MESSAGE_PROCESS: Final = ProcessId("ro-efactura-procid", "message")
_STANDARDS: Final = {"Invoice": "UBL", "CreditNote": "CN"}
_SELF_BILLED: Final = "389"
_PARTY: Final = "{*}AccountingCustomerParty/{*}Party/"
_PERSONAL_NUMBER: Final = 13  # digits
UNKNOWN_PERSON: Final = "0" * _PERSONAL_NUMBER  # in place of that of a consumer
_YES: Final = "DA"


@dataclass(frozen=True, slots=True)
class Upload:
    """A call, upload or uploadb2c, with its parameters but that of the company."""

    call: str
    query: Mapping[str, str]

    def as_state(self) -> dict[str, str]:
        return {"call": self.call, **self.query}

    @classmethod
    def from_state(cls, state: Mapping[str, str]) -> Upload:
        return cls(state["call"], {k: v for k, v in state.items() if k in _PARAMETERS})


_PARAMETERS: Final = frozenset({"standard", "extern", "autofactura"})
BUYER_MESSAGE: Final = Upload("upload", {"standard": "RASP"})


def chosen(document: bytes, receiver: ParticipantId | None = None) -> Upload | None:
    """The call for an invoice or credit note; None for another document.

    receiver  who the sender has named. A buyer with a personal number (13 digits) is a consumer,
              unless it is named with this number: then it is in business
    """
    try:
        root = xml.parse(document)
    except xml.NotXml:
        return None
    standard = _STANDARDS.get(etree.QName(root).localname)
    if standard is None:
        return None
    query = {"standard": standard}
    if _text(root, _PARTY + "{*}PostalAddress/{*}Country/{*}IdentificationCode") != "RO":
        query["extern"] = _YES
    if _text(root, "{*}InvoiceTypeCode") == _SELF_BILLED:
        query["autofactura"] = _YES
    return Upload("uploadb2c" if _is_consumer(root, receiver) else "upload", query)


def _is_consumer(root: etree._Element, receiver: ParticipantId | None) -> bool:
    """Whether the buyer has a personal number, and no VAT number, and is not named by it."""
    number = _text(root, _PARTY + "{*}PartyLegalEntity/{*}CompanyID")
    personal = len(number) == _PERSONAL_NUMBER and number.isdecimal()
    if not personal or _text(root, _PARTY + "{*}PartyTaxScheme/{*}CompanyID"):
        return False
    named = receiver.value.upper().removeprefix("RO") if receiver else ""
    return named != number or number == UNKNOWN_PERSON


def _text(root: etree._Element, path: str) -> str:
    return (root.findtext(path) or "").strip()
