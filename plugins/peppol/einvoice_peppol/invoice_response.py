"""Invoice Response: what the buyer says of an invoice.

Source: Peppol BIS Invoice Response 3 (transaction T111, code lists OPStatusReason, OPStatusAction
and the subset of UNCL4343).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from xml.sax.saxutils import quoteattr

from lxml import etree

from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.domain.responses import ACTIONS, CODES, NEED_REASON, REASONS
from einvoice.domain.responses import Clarification as Clarification
from einvoice.domain.responses import Condition as Condition
from einvoice.xml import NotXml, parse
from einvoice_peppol.xml_text import text

CUSTOMIZATION: Final = "urn:fdc:peppol.eu:poacc:trns:invoice_response:3"
PROFILE: Final = "urn:fdc:peppol.eu:poacc:bis:invoice_response:3"
_RESPONSE: Final = "urn:oasis:names:specification:ubl:schema:xsd:ApplicationResponse-2"
DOCUMENT_TYPE: Final = DocumentTypeId(
    "busdox-docid-qns", f"{_RESPONSE}::ApplicationResponse##{CUSTOMIZATION}::2.1"
)
PROCESS: Final = ProcessId("cenbii-procid-ubl", PROFILE)
MAX_BYTES: Final = 1 << 20
MAX_REASONS: Final = 100
MAX_CONDITIONS: Final = 20  # of one clarification
_CAC: Final = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
_CBC: Final = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"


class InvalidResponse(ValueError):
    """A document that is no Invoice Response. The message says why."""


@dataclass(frozen=True, slots=True)
class Party:
    """The buyer or the seller, by participant id and name."""

    id: ParticipantId
    name: str


@dataclass(frozen=True, slots=True)
class InvoiceResponse:
    """A response of the buyer.

    number          the number of the invoice (BT-1); `invoice_date` its date, as YYYY-MM-DD
    type_code       its type (BT-3): 380, 381, …
    effective_date  since when, as YYYY-MM-DD
    note            words about the whole response
    """

    id: str
    issued_at: datetime
    buyer: Party
    seller: Party
    code: str
    number: str
    type_code: str
    invoice_date: str | None = None
    effective_date: str | None = None
    clarifications: tuple[Clarification, ...] = ()
    note: str | None = None


def write(response: InvoiceResponse) -> bytes:
    """The document. Raises InvalidResponse if it breaks a rule."""
    _check(response)
    moment = response.issued_at.astimezone(UTC)
    effective = response.effective_date
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ApplicationResponse xmlns="{_RESPONSE}" xmlns:cac="{_CAC}" xmlns:cbc="{_CBC}">
  <cbc:CustomizationID>{CUSTOMIZATION}</cbc:CustomizationID>
  <cbc:ProfileID>{PROFILE}</cbc:ProfileID>
  <cbc:ID>{text(response.id)}</cbc:ID>
  <cbc:IssueDate>{moment:%Y-%m-%d}</cbc:IssueDate>
  <cbc:IssueTime>{moment:%H:%M:%S}Z</cbc:IssueTime>{
        f"<cbc:Note>{text(response.note)}</cbc:Note>" if response.note else ""
    }
  {_party("SenderParty", response.buyer)}
  {_party("ReceiverParty", response.seller)}
  <cac:DocumentResponse>
    <cac:Response>
      <cbc:ResponseCode listID="UNCL4343OpSubset">{response.code}</cbc:ResponseCode>{
        f"<cbc:EffectiveDate>{text(effective)}</cbc:EffectiveDate>" if effective else ""
    }{"".join(_status(each) for each in response.clarifications[:MAX_REASONS])}
    </cac:Response>
    <cac:DocumentReference>
      <cbc:ID>{text(response.number)}</cbc:ID>{
        f"<cbc:IssueDate>{text(response.invoice_date)}</cbc:IssueDate>"
        if response.invoice_date
        else ""
    }
      <cbc:DocumentTypeCode listID="UNCL1001">{text(response.type_code)}</cbc:DocumentTypeCode>
    </cac:DocumentReference>
  </cac:DocumentResponse>
</ApplicationResponse>
""".encode()


def _party(role: str, party: Party) -> str:
    endpoint = f"<cbc:EndpointID schemeID={quoteattr(party.id.scheme)}>{text(party.id.value)}"
    name = f"<cbc:RegistrationName>{text(party.name)}</cbc:RegistrationName>"
    return (
        f"<cac:{role}>{endpoint}</cbc:EndpointID>"
        f"<cac:PartyLegalEntity>{name}</cac:PartyLegalEntity></cac:{role}>"
    )


def _status(each: Clarification) -> str:
    words = f"<cbc:StatusReason>{text(each.words)}</cbc:StatusReason>" if each.words else ""
    return f"""
      <cac:Status>
        <cbc:StatusReasonCode listID="{_list_of(each)}">{each.code}</cbc:StatusReasonCode>{words}{
        "".join(_condition(one) for one in each.conditions[:MAX_CONDITIONS])
    }
      </cac:Status>"""


def _list_of(each: Clarification) -> str:
    is_action = each.is_action or each.code not in REASONS
    return "OPStatusAction" if is_action else "OPStatusReason"


def _condition(each: Condition) -> str:
    value = f"<cbc:Description>{text(each.value)}</cbc:Description>" if each.value else ""
    return (
        f"<cac:Condition><cbc:AttributeID>{text(each.term)}</cbc:AttributeID>{value}"
        "</cac:Condition>"
    )


def _check(response: InvoiceResponse) -> None:
    if response.code not in CODES:
        raise InvalidResponse(f"the response code is {response.code[:20]!r}")
    for value in (response.id, response.number, response.type_code):
        if not value.strip():
            raise InvalidResponse("it lacks its id, or the number or type of the invoice")
    for each in response.clarifications:
        _check_clarification(each, response.code)
    if response.code in NEED_REASON and not response.clarifications:
        raise InvalidResponse(f"the response {response.code} needs a clarification")


def _check_clarification(each: Clarification, code: str) -> None:
    if each.code not in REASONS and each.code not in ACTIONS:
        raise InvalidResponse(f"the clarification is {each.code[:20]!r}")
    if each.code == "PPD" and (code != "PD" or not each.words):
        raise InvalidResponse("PPD belongs to the response PD, and needs words")


def read(content: bytes) -> InvoiceResponse:
    """A received Invoice Response. Clarifications of unknown codes are kept.

    Raises InvalidResponse.
    """
    try:
        root = parse(content, max_bytes=MAX_BYTES)
    except NotXml as fault:
        raise InvalidResponse(str(fault)) from fault
    if root.tag != f"{{{_RESPONSE}}}ApplicationResponse":
        raise InvalidResponse("it is not an ApplicationResponse")
    if not _text(root, f"{{{_CBC}}}CustomizationID").startswith(CUSTOMIZATION):
        raise InvalidResponse("its customization is not that of an Invoice Response")
    answer = _only(_only(root, "DocumentResponse"), "Response")
    reference = _only(_only(root, "DocumentResponse"), "DocumentReference")
    code = _text(answer, f"{{{_CBC}}}ResponseCode")
    if code not in CODES:
        raise InvalidResponse(f"the response code is {code[:20]!r}")
    return InvoiceResponse(
        id=_text(root, f"{{{_CBC}}}ID"),
        issued_at=_moment(root),
        buyer=_read_party(root, "SenderParty"),
        seller=_read_party(root, "ReceiverParty"),
        code=code,
        number=_text(reference, f"{{{_CBC}}}ID"),
        type_code=_text(reference, f"{{{_CBC}}}DocumentTypeCode"),
        invoice_date=_text(reference, f"{{{_CBC}}}IssueDate") or None,
        effective_date=_text(answer, f"{{{_CBC}}}EffectiveDate") or None,
        clarifications=tuple(
            _clarification(each) for each in answer.findall(f"{{{_CAC}}}Status")[:MAX_REASONS]
        ),
        note=_text(root, f"{{{_CBC}}}Note") or None,
    )


def _clarification(status: etree._Element) -> Clarification:
    code = status.find(f"{{{_CBC}}}StatusReasonCode")
    return Clarification(
        _text(status, f"{{{_CBC}}}StatusReasonCode"),
        _text(status, f"{{{_CBC}}}StatusReason") or None,
        tuple(
            Condition(
                _text(each, f"{{{_CBC}}}AttributeID"),
                _text(each, f"{{{_CBC}}}Description") or None,
            )
            for each in status.findall(f"{{{_CAC}}}Condition")[:MAX_CONDITIONS]
        ),
        code is not None and code.get("listID") == "OPStatusAction",
    )


def _moment(root: etree._Element) -> datetime:
    date = _text(root, f"{{{_CBC}}}IssueDate")
    time = _text(root, f"{{{_CBC}}}IssueTime") or "00:00:00Z"
    try:
        moment = datetime.fromisoformat(f"{date}T{time}")
    except ValueError as fault:
        raise InvalidResponse("its date and time cannot be read") from fault
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read_party(root: etree._Element, role: str) -> Party:
    party = _only(root, role)
    endpoint = party.find(f"{{{_CBC}}}EndpointID")
    if endpoint is None:
        raise InvalidResponse(f"the {role} has no EndpointID")
    name = _text(party, f"{{{_CAC}}}PartyLegalEntity/{{{_CBC}}}RegistrationName")
    scheme = (endpoint.get("schemeID") or "").strip()
    return Party(ParticipantId(scheme, (endpoint.text or "").strip()), name)


def _only(parent: etree._Element, name: str) -> etree._Element:
    found = parent.findall(f"{{{_CAC}}}{name}")
    if len(found) != 1:
        raise InvalidResponse(f"it has {len(found)} {name} elements")
    return found[0]


def _text(parent: etree._Element, path: str) -> str:
    return (parent.findtext(path) or "").strip()
