"""Message Level Status (MLS): what a receiving provider says of a document, after the receipt.

Source: Peppol MLS 1.1.0 (`urn:peppol:edec:mls:1.0`), rules SCH-MLS-01 to 31 of release 1.0.1. It
goes from provider to provider: the parties are service provider ids (SPIDs) of the scheme 0242.

>>> spid_of("POP000001")
ParticipantId(scheme='0242', value='000001')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Final
from xml.sax.saxutils import quoteattr

from lxml import etree

from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.xml import NotXml, parse
from einvoice_peppol.xml_text import text

CUSTOMIZATION: Final = "urn:peppol:edec:mls:1.0"
PROFILE: Final = "urn:peppol:edec:mls"
_RESPONSE: Final = "urn:oasis:names:specification:ubl:schema:xsd:ApplicationResponse-2"
DOCUMENT_TYPE: Final = DocumentTypeId(
    "busdox-docid-qns", f"{_RESPONSE}::ApplicationResponse##{CUSTOMIZATION}::2.1"
)
PROCESS: Final = ProcessId("cenbii-procid-ubl", PROFILE)

ACCEPTED, PASSED_ON, REJECTED = "AP", "AB", "RE"
SYNTAX, RULE, WARNING, NOT_DELIVERED = "SV", "BV", "BW", "FD"
_CODES: Final = (ACCEPTED, PASSED_ON, REJECTED)
_REASONS: Final = (SYNTAX, RULE, WARNING, NOT_DELIVERED)
NO_PLACE: Final = "NA"
MAX_BYTES: Final = 1 << 20
MAX_ISSUES: Final = 500
_SPID = re.compile(r"[0-9]{6}(-[0-9A-Z_]{3,12}(\.[0-9A-Z\-._~]{3,24})?)?", re.ASCII | re.IGNORECASE)
_SPID_SCHEME: Final = "0242"
_CAC: Final = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
_CBC: Final = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"


class InvalidMls(ValueError):
    """A document that is no Message Level Status. The message says why."""


@dataclass(frozen=True, slots=True)
class Issue:
    """Something that is wrong with the document: reason code, words, and an XPath or NA."""

    reason: str
    description: str
    place: str = NO_PLACE


@dataclass(frozen=True, slots=True)
class Mls:
    """A Message Level Status.

    code        AP delivered with confirmation, AB passed on, RE rejected
    instance_id the SBDH InstanceIdentifier of the document
    description words for RE, which needs them, and at least one issue that is no warning
    """

    id: str
    issued_at: datetime
    sender: ParticipantId
    receiver: ParticipantId
    code: str
    instance_id: str
    description: str | None = None
    issues: tuple[Issue, ...] = ()


def spid_of(seat: str) -> ParticipantId:
    """The service provider id of an access point with this seat id. Raises ValueError."""
    if not re.fullmatch(r"P[A-Z]{2}[0-9]{6}", seat, re.ASCII):
        raise ValueError(f"{seat!r} is not a seat id")
    return ParticipantId(_SPID_SCHEME, seat[3:])


def recipient(mls_to: str | None, seat: str) -> ParticipantId:
    """Who gets the MLS about a document: MLS_TO if it is of the provider that signed the document.

    mls_to  the InstanceIdentifier of the scope MLS_TO, `0242:…`; an invalid one does not count
    seat    the seat id of the access point that signed
    """
    main = spid_of(seat)
    scheme, _, value = (mls_to or "").strip().partition(":")
    if scheme != _SPID_SCHEME or not _SPID.fullmatch(value) or value[:6] != main.value:
        return main
    return ParticipantId(scheme, value)


def write(mls: Mls) -> bytes:
    """The document. Raises InvalidMls if it breaks a rule."""
    _check(mls)
    moment = mls.issued_at.astimezone(UTC)
    description = _description(mls.description)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<ApplicationResponse xmlns="{_RESPONSE}" xmlns:cac="{_CAC}" xmlns:cbc="{_CBC}">
  <cbc:CustomizationID>{CUSTOMIZATION}</cbc:CustomizationID>
  <cbc:ProfileID>{PROFILE}</cbc:ProfileID>
  <cbc:ID>{text(mls.id)}</cbc:ID>
  <cbc:IssueDate>{moment:%Y-%m-%d}</cbc:IssueDate>
  <cbc:IssueTime>{moment:%H:%M:%S}Z</cbc:IssueTime>
  {_party("SenderParty", mls.sender)}
  {_party("ReceiverParty", mls.receiver)}
  <cac:DocumentResponse>
    <cac:Response><cbc:ResponseCode>{mls.code}</cbc:ResponseCode>{description}</cac:Response>
    <cac:DocumentReference><cbc:ID>{text(mls.instance_id)}</cbc:ID></cac:DocumentReference>{
        "".join(_line(issue) for issue in mls.issues[:MAX_ISSUES])
    }
  </cac:DocumentResponse>
</ApplicationResponse>
""".encode()


def _party(role: str, spid: ParticipantId) -> str:
    endpoint = f"<cbc:EndpointID schemeID={quoteattr(spid.scheme)}>{text(spid.value)}"
    return f"<cac:{role}>{endpoint}</cbc:EndpointID></cac:{role}>"


def _description(words: str | None) -> str:
    return f"<cbc:Description>{text(words)}</cbc:Description>" if words else ""


def _line(issue: Issue) -> str:
    return f"""
    <cac:LineResponse>
      <cac:LineReference><cbc:LineID>{text(issue.place)}</cbc:LineID></cac:LineReference>
      <cac:Response>
        <cbc:Description>{text(issue.description)}</cbc:Description>
        <cac:Status><cbc:StatusReasonCode>{issue.reason}</cbc:StatusReasonCode></cac:Status>
      </cac:Response>
    </cac:LineResponse>"""


def _check(mls: Mls) -> None:
    if mls.code not in _CODES:
        raise InvalidMls(f"the response code is {mls.code[:20]!r}")
    if not mls.id.strip() or not mls.instance_id.strip():
        raise InvalidMls("it lacks its id or that of the document")
    for spid in (mls.sender, mls.receiver):
        if spid.scheme != _SPID_SCHEME or not _SPID.fullmatch(spid.value):
            raise InvalidMls(f"{str(spid)[:140]!r} is not the id of a service provider")
    _check_issues(mls)


def _check_issues(mls: Mls) -> None:
    for issue in mls.issues:
        if issue.reason not in _REASONS:
            raise InvalidMls(f"the reason code is {issue.reason[:20]!r}")
        if not issue.description.strip() or not issue.place.strip():
            raise InvalidMls("an issue lacks its place or description")
    failures = any(issue.reason != WARNING for issue in mls.issues)
    if mls.code == REJECTED and not (failures and (mls.description or "").strip()):
        raise InvalidMls("a rejection lacks its description or an issue")
    if mls.code != REJECTED and failures:
        raise InvalidMls("a positive status has issues that are no warnings")


def read(content: bytes) -> Mls:
    """A received Message Level Status. Raises InvalidMls."""
    try:
        root = parse(content, max_bytes=MAX_BYTES)
    except NotXml as fault:
        raise InvalidMls(str(fault)) from fault
    if root.tag != f"{{{_RESPONSE}}}ApplicationResponse":
        raise InvalidMls("it is not an ApplicationResponse")
    if (_text(root, "CustomizationID"), _text(root, "ProfileID")) != (CUSTOMIZATION, PROFILE):
        raise InvalidMls("its customization or profile is not that of a Message Level Status")
    response = _only(root, "DocumentResponse")
    reference = _only(response, "DocumentReference")
    found = Mls(
        id=_text(root, "ID"),
        issued_at=_moment(root),
        sender=_spid(root, "SenderParty"),
        receiver=_spid(root, "ReceiverParty"),
        code=_text(response, f"{{{_CAC}}}Response/{{{_CBC}}}ResponseCode"),
        instance_id=_text(reference, "ID"),
        description=_text(response, f"{{{_CAC}}}Response/{{{_CBC}}}Description") or None,
        issues=tuple(islice(_issues(response), MAX_ISSUES)),
    )
    _check(found)
    return found


def _moment(root: etree._Element) -> datetime:
    try:
        moment = datetime.fromisoformat(f"{_text(root, 'IssueDate')}T{_text(root, 'IssueTime')}")
    except ValueError as fault:
        raise InvalidMls("its date and time cannot be read") from fault
    if moment.tzinfo is None:
        raise InvalidMls("its time has no zone")
    return moment


def _spid(root: etree._Element, role: str) -> ParticipantId:
    endpoint = root.find(f"{{{_CAC}}}{role}/{{{_CBC}}}EndpointID")
    if endpoint is None:
        raise InvalidMls(f"it has no {role}")
    scheme = (endpoint.get("schemeID") or "").strip()
    return ParticipantId(scheme, (endpoint.text or "").strip().removeprefix(f"{scheme}:"))


def _issues(response: etree._Element) -> Iterator[Issue]:
    """The issues: one or more of each place."""
    for line in _all(response, "LineResponse"):
        place = _text(line, f"{{{_CAC}}}LineReference/{{{_CBC}}}LineID")
        found = _all(line, "Response")
        if not found:
            raise InvalidMls("an issue has no Response element")
        for each in found:
            reason = _text(each, f"{{{_CAC}}}Status/{{{_CBC}}}StatusReasonCode")
            yield Issue(reason, _text(each, "Description"), place)


def _only(parent: etree._Element, name: str) -> etree._Element:
    found = _all(parent, name)
    if len(found) != 1:
        raise InvalidMls(f"it has {len(found)} {name} elements")
    return found[0]


def _all(parent: etree._Element, name: str) -> list[etree._Element]:
    return parent.findall(f"{{{_CAC}}}{name}")


def _text(parent: etree._Element, name: str) -> str:
    path = name if name.startswith("{") else f"{{{_CBC}}}{name}"
    return (parent.findtext(path) or "").strip()
