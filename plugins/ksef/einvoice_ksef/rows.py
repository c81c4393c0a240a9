"""The rows of KSeF about the invoices of a session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import structlog

from einvoice_ksef.answers import Area, Status, status_of
from einvoice_ksef.calls import Calls
from einvoice_ksef.limits import Group
from einvoice_ksef.moments import moment_or_none
from einvoice_ksef.numbers import InvalidNumber, KsefNumber

log = structlog.get_logger()

PAGE_SIZE: Final = 1000
_MAX_PAGES: Final = 12  # a session has at most 10,000 invoices


@dataclass(frozen=True, slots=True)
class Row:
    """An invoice of a session.

    reference  that KSeF gave the invoice
    digest     SHA-256 of the document, in base64
    number     its KSeF number; empty without one
    upo_url    where its UPO can be fetched without a token; the link expires
    stored     since when its buyer can read it (permanentStorageDate); empty before that
    """

    reference: str
    digest: str
    status: Status
    number: str = ""
    upo_url: str = ""
    stored: str = ""


class Inquiry:
    """Asks for the states of sessions and their invoices. Raises what `Calls.make` does."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def session(self, reference: str) -> Status:
        """The state of a session."""
        response = self._calls.make(Group.SESSION, "GET", f"sessions/{reference}")
        return status_of(Area.SESSION, response.members().get("status"))

    def invoice(self, session: str, reference: str) -> Row:
        """One invoice of a session."""
        path = f"sessions/{session}/invoices/{reference}"
        return _row(self._calls.make(Group.INVOICE_STATUS, "GET", path).members())

    def invoices(self, session: str) -> Iterator[Row]:
        """All invoices of a session."""
        headers: dict[str, str] = {}
        for _ in range(_MAX_PAGES):
            response = self._calls.make(
                Group.SESSION_INVOICES,
                "GET",
                f"sessions/{session}/invoices",
                query={"pageSize": str(PAGE_SIZE)},
                headers=headers,
            )
            page = response.members()
            yield from (_row(each) for each in page.get("invoices") or ())
            token = page.get("continuationToken")
            if not token:
                return
            headers = {"x-continuation-token": str(token)}


def _row(values: Mapping[str, Any]) -> Row:
    stored = moment_or_none(values.get("permanentStorageDate"))
    return Row(
        str(values.get("referenceNumber", "")),
        str(values.get("invoiceHash", "")),
        status_of(Area.INVOICE, values.get("status")),
        _number(values.get("ksefNumber")),
        str(values.get("upoDownloadUrl") or ""),
        stored.isoformat() if stored else "",
    )


def _number(given: object) -> str:
    """The KSeF number; empty without one, or with a wrong checksum."""
    try:
        return str(KsefNumber.parse(str(given))) if given else ""
    except InvalidNumber as fault:
        log.error("KSeF number refused", fault=str(fault))
        return ""
