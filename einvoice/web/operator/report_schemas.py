"""Reports to tax authorities, as operators see them: responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from einvoice.services.inbound.amended_reports import OpenReports
from einvoice.web.response_schema import ITSELF, ResponseSchema
from einvoice.web.shared import response_fields as a


class CountryReports(ResponseSchema[OpenReports]):
    """The reports that the authority of a country does not have."""

    country = a.text("The country", "AE", source="reports_to")
    open = a.number("How many", 3, source="count")
    failed = a.number("How many of them were refused or given up, and wait for an operator", 1)
    oldestReportId = a.text("The oldest", "msg_0199a1b2", source="oldest_id")
    oldestAt = a.moment("When the oldest was made", source="oldest_at")


class OpenReportList(ResponseSchema[Sequence[OpenReports]]):
    items = a.things(CountryReports(), "By country", source=ITSELF)
    provider = a.provider()


@dataclass(frozen=True, slots=True)
class AmendedReport:
    """The message that makes a report again, or withdraws it."""

    message_id: str


class AmendedReportResponse(ResponseSchema[AmendedReport]):
    messageId = a.text("The message that is on its way", "msg_0199a1b2")
    provider = a.provider()
