"""Writes messages of the life cycle that a party owes: of a buyer about a bill, of a seller about a
payment. Elements are in the order of the schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from lxml import etree

from einvoice_fr_ctc.cdar import codes
from einvoice_fr_ctc.cdar.names import PREFIXES, QDT, RAM, RSM, UDT

_PARIS: Final = ZoneInfo("Europe/Paris")
_MOMENT, _DAY = "%Y%m%d%H%M%S", "%Y%m%d"
_PROFILE: Final = "urn.cpro.gouv.fr:1p0:CDV:invoice"
_OF_PARTIES: Final = "23"  # a message of a party, and not of a platform (305)
BUYER, SELLER, PLATFORM, AUTHORITY = "BY", "SE", "WK", "DFH"
_SIREN, _DIRECTORY, _PLATFORMS = "0002", "0225", "0238"
_PUBLIC_PORTAL: Final = "9998"
_TO_AUTHORITY: Final = frozenset({codes.REFUSED, codes.PAID})
_RECEIVED_AMOUNT: Final = "MEN"


@dataclass(frozen=True, slots=True)
class Company:
    """A party of the message. `address`: where it receives, of a recipient."""

    siren: str
    name: str
    role: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class GivenReason:
    """A reason (MDT-113) with its words, and what is expected (MDT-121, MDT-122)."""

    code: str
    words: str = ""
    note: str = ""
    action: str = ""
    action_words: str = ""


@dataclass(frozen=True, slots=True)
class Amount:
    """The amount paid of one VAT rate, with VAT."""

    amount: Decimal
    rate: Decimal
    currency: str = "EUR"


@dataclass(frozen=True, slots=True)
class Message:
    """A status that a party gives an invoice."""

    status: str
    number: str
    type_code: str
    issue_date: date
    seller: str
    at: datetime
    issuer: Company
    recipient: Company
    reasons: tuple[GivenReason, ...] = ()
    amounts: tuple[Amount, ...] = ()
    note: str = ""
    process: str = field(default="REGULATED")


def written(message: Message) -> bytes:
    """The message as CDAR in UTF-8."""
    root = etree.Element(f"{{{RSM}}}CrossDomainAcknowledgementAndResponse", nsmap=PREFIXES)
    context = _rsm(root, "ExchangedDocumentContext")
    for name, value in (
        ("BusinessProcessSpecifiedDocumentContextParameter", message.process),
        ("GuidelineSpecifiedDocumentContextParameter", _PROFILE),
    ):
        _ram(_ram(context, name), "ID", value)
    _document(root, message)
    _acknowledgement(root, message)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _document(root: etree._Element, message: Message) -> None:
    document = _rsm(root, "ExchangedDocument")
    moment = message.at.astimezone(_PARIS).strftime(_MOMENT)
    of = f"{message.type_code}_{message.issue_date.strftime(_DAY)}"
    _ram(document, "ID", f"{message.number}_{message.status}_{moment}#{of}")
    _ram(document, "Name", f"{message.number}_CDV-{message.status}_{codes.LABELS[message.status]}")
    _moment(_ram(document, "IssueDateTime"), message.at)
    _ram(_ram(document, "SenderTradeParty"), "RoleCode", PLATFORM)
    _party(document, "IssuerTradeParty", message.issuer)
    _party(document, "RecipientTradeParty", message.recipient)
    if message.status in _TO_AUTHORITY:
        authority = _ram(document, "RecipientTradeParty")
        _ram(authority, "GlobalID", _PUBLIC_PORTAL, schemeID=_PLATFORMS)
        _ram(authority, "Name", "PPF")
        _ram(authority, "RoleCode", AUTHORITY)


def _party(document: etree._Element, name: str, company: Company) -> None:
    party = _ram(document, name)
    _ram(party, "GlobalID", company.siren, schemeID=_SIREN)
    _ram(party, "Name", company.name)
    _ram(party, "RoleCode", company.role)
    if company.address:
        _ram(_ram(party, "URIUniversalCommunication"), "URIID", company.address,
             schemeID=_DIRECTORY)  # fmt: skip


def _acknowledgement(root: etree._Element, message: Message) -> None:
    acknowledgement = _rsm(root, "AcknowledgementDocument")
    _udt(_ram(acknowledgement, "MultipleReferencesIndicator"), "Indicator", "false")
    _ram(acknowledgement, "TypeCode", _OF_PARTIES)
    _moment(_ram(acknowledgement, "IssueDateTime"), message.at)
    of = _ram(acknowledgement, "ReferenceReferencedDocument")
    _ram(of, "IssuerAssignedID", message.number)
    if message.status in codes.DOCUMENT_STATUSES:
        _ram(of, "StatusCode", codes.DOCUMENT_STATUSES[message.status])
    _ram(of, "TypeCode", message.type_code)
    day = etree.SubElement(_ram(of, "FormattedIssueDateTime"), f"{{{QDT}}}DateTimeString")
    day.set("format", "102")
    day.text = message.issue_date.strftime(_DAY)
    _ram(of, "ProcessConditionCode", message.status)
    _ram(of, "ProcessCondition", codes.LABELS[message.status])
    _ram(_ram(of, "IssuerTradeParty"), "GlobalID", message.seller, schemeID=_SIREN)
    _statuses(of, message)


def _statuses(of: etree._Element, message: Message) -> None:
    """One detail for each reason; one for all amounts; one for a note alone."""
    details = [_reason_detail(each) for each in message.reasons]
    if message.amounts:
        details.append([*map(_characteristic, message.amounts)])
    if message.note:
        if not details:
            details.append([])
        details[0].append(_note(message.note))
    for number, parts in enumerate(details, 1):
        status = _ram(of, "SpecifiedDocumentStatus")
        _filled(status, parts, number)


def _filled(status: etree._Element, parts: list[etree._Element], number: int) -> None:
    """The parts in the order of the schema: codes, the sequence number, notes, characteristics."""
    order = {"IncludedNote": 1, "SpecifiedDocumentCharacteristic": 2}
    placed = sorted(parts, key=lambda part: order.get(etree.QName(part).localname, 0))
    head = [part for part in placed if etree.QName(part).localname not in order]
    for part in head:
        status.append(part)
    _ram(status, "SequenceNumeric", str(number))
    for part in placed[len(head) :]:
        status.append(part)


def _reason_detail(reason: GivenReason) -> list[etree._Element]:
    names = (
        ("ReasonCode", reason.code),
        ("Reason", reason.words),
        ("RequestedActionCode", reason.action),
        ("RequestedAction", reason.action_words),
    )
    found = [_element(name, text) for name, text in names if text]
    return [*found, _note(reason.note)] if reason.note else found


def _note(text: str) -> etree._Element:
    note = etree.Element(f"{{{RAM}}}IncludedNote")
    _ram(note, "Content", text)
    return note


def _characteristic(amount: Amount) -> etree._Element:
    found = etree.Element(f"{{{RAM}}}SpecifiedDocumentCharacteristic")
    _ram(found, "TypeCode", _RECEIVED_AMOUNT)
    _udt(_ram(found, "ValueChangedIndicator"), "IndicatorString", "false")
    _ram(found, "ValueAmount", f"{amount.amount:.2f}", currencyID=amount.currency)
    _ram(found, "ValuePercent", f"{amount.rate:.2f}")
    return found


def _element(name: str, text: str) -> etree._Element:
    found = etree.Element(f"{{{RAM}}}{name}")
    found.text = text
    return found


def _rsm(parent: etree._Element, name: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{RSM}}}{name}")


def _ram(
    parent: etree._Element, name: str, text: str | None = None, **attributes: str
) -> etree._Element:
    found = etree.SubElement(parent, f"{{{RAM}}}{name}", attributes)
    found.text = text
    return found


def _udt(parent: etree._Element, name: str, text: str) -> None:
    etree.SubElement(parent, f"{{{UDT}}}{name}").text = text


def _moment(parent: etree._Element, at: datetime) -> None:
    element = etree.SubElement(parent, f"{{{UDT}}}DateTimeString")
    element.set("format", "204")
    element.text = at.astimezone(_PARIS).strftime(_MOMENT)
