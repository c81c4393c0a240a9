"""Reads messages of the life cycle: which invoice has which status, since when, by whom, and why.

Messages of earlier versions and of other profiles are read too: only the number of the invoice and
the status are required.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from lxml import etree

from einvoice.xml import NotXml, parse
from einvoice_fr_ctc.cdar.names import ROOT

MAX_STATUSES: Final = 100  # of one message
_MAX_TEXT: Final = 500
_MAX_BYTES: Final = 5 * 1024 * 1024
_PARIS: Final = ZoneInfo("Europe/Paris")  # of times without a zone
_FORMS: Final = {"102": "%Y%m%d", "203": "%Y%m%d%H%M", "204": "%Y%m%d%H%M%S"}
_PLATFORM: Final = "WK"


class NotALifeCycle(Exception):
    """The document is no message of the life cycle; the message says why."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, and what is expected. `code` is MDT-113, `action` MDT-122 in words."""

    code: str
    words: str = ""
    action: str = ""
    notes: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The reason in one line.

        >>> Reason("DOUBLON", "Facture en doublon", "Rien").line
        'DOUBLON: Facture en doublon (Rien)'
        """
        told = ": ".join(
            filter(None, (self.code, " ".join(filter(None, (self.words, *self.notes)))))
        )
        return f"{told} ({self.action})" if self.action else told


@dataclass(frozen=True, slots=True)
class Status:
    """The status of one invoice.

    number, type_code, issue_date, seller  of the invoice; seller: its SIREN
    code        MDT-105: 200, 203, 210, …
    at          when it got this status
    by          who says so, by name or number; "" for a platform
    """

    code: str
    number: str
    type_code: str = ""
    issue_date: date | None = None
    seller: str = ""
    at: datetime | None = None
    by: str = ""
    reasons: tuple[Reason, ...] = ()


def read(document: bytes) -> tuple[Status, ...]:
    """The statuses in a message, at least one. Raises NotALifeCycle."""
    try:
        root = parse(document, max_bytes=_MAX_BYTES)
    except NotXml as fault:
        raise NotALifeCycle(f"it is not XML: {fault}") from fault
    if root.tag != ROOT:
        raise NotALifeCycle(f"its element is {etree.QName(root).localname[:80]}")
    found = tuple(_statuses(root))
    if not found:
        raise NotALifeCycle("it names no invoice with a status")
    return found


def _statuses(root: etree._Element) -> Iterator[Status]:
    issuer = root.find("{*}ExchangedDocument/{*}IssuerTradeParty")
    by = "" if issuer is None else _name(issuer)
    count = 0
    for message in root.iterfind("{*}AcknowledgementDocument"):
        at = _moment(message.find("{*}IssueDateTime/{*}DateTimeString"))
        for each in message.iterfind("{*}ReferenceReferencedDocument"):
            code, number = (
                _text(each, "{*}ProcessConditionCode"),
                _text(each, "{*}IssuerAssignedID"),
            )
            if code and number and count < MAX_STATUSES:
                count += 1
                yield _status(each, code, number, at, by)


def _status(of: etree._Element, code: str, number: str, at: datetime | None, by: str) -> Status:
    day = _moment(of.find("{*}FormattedIssueDateTime/{*}DateTimeString"))
    return Status(
        code,
        number,
        _text(of, "{*}TypeCode"),
        day.astimezone(_PARIS).date() if day else None,
        _text(of, "{*}IssuerTradeParty/{*}GlobalID"),
        at,
        by,
        tuple(_reasons(of)),
    )


def _reasons(of: etree._Element) -> Iterator[Reason]:
    for each in of.iterfind("{*}SpecifiedDocumentStatus"):
        code, words = _text(each, "{*}ReasonCode"), _text(each, "{*}Reason")
        notes = [_text(note, "{*}Content") for note in each.iterfind("{*}IncludedNote")]
        action = _text(each, "{*}RequestedAction") or _text(each, "{*}RequestedActionCode")
        if code or words or any(notes):
            yield Reason(code, words, action, tuple(filter(None, notes)))


def _name(party: etree._Element) -> str:
    if _text(party, "{*}RoleCode") == _PLATFORM:
        return ""
    return _text(party, "{*}Name") or _text(party, "{*}GlobalID")


def _text(of: etree._Element, path: str) -> str:
    return " ".join((of.findtext(path) or "").split())[:_MAX_TEXT]


def _moment(element: etree._Element | None) -> datetime | None:
    """The moment or day in an element; None for another form."""
    if element is None:
        return None
    text = (element.text or "").strip()
    try:
        found = datetime.strptime(text, _FORMS[element.get("format", "204")])  # noqa: DTZ007
        return found.replace(tzinfo=_PARIS).astimezone(UTC)
    except (KeyError, ValueError, OverflowError):
        return None
