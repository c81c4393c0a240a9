"""Daily counts of documents: query and response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from marshmallow import fields

from einvoice.services.account import usage
from einvoice.services.account.usage import DEFAULT_DAYS, MAX_DAYS, TIMED
from einvoice.web.contract import Contract
from einvoice.web.fields import Day, environment_code
from einvoice.web.response_schema import ResponseSchema, sourced
from einvoice.web.shared import response_fields as a


class UsageQuery(Contract):
    """`from` is a keyword of Python, so the fields are given by name."""

    environment = environment_code("Only this environment.", example="live")
    to = Day(f"The last day; at most {MAX_DAYS - 1} after the first.", example="2026-11-21")

    class Meta(Contract.Meta):
        include = {  # noqa: RUF012 - as marshmallow has it
            "from": Day(f"The first day; default: {DEFAULT_DAYS} days.", example="2026-11-01")
        }


@dataclass(frozen=True, slots=True)
class Usage:
    """Counts of documents by day, and times of delivery by environment."""

    days: Sequence[usage.UsageDay]
    delivery_times: Sequence[usage.DeliveryTimes]


class UsageDay(ResponseSchema[usage.UsageDay]):
    date = a.day("The day, in UTC", "2026-11-21", source="day")
    environment = a.text("test or live", "live")
    sent = a.number("Accepted for sending: the sum of the next three", 120)
    processing = a.number("Processing", 2)
    delivered = a.number("Delivered", 117)
    failed = a.number("Failed", 1)
    received = a.number("Received documents", 14)


def _seconds(description: str, example: float, source: str) -> fields.Float:
    metadata = {"description": description, "example": example}
    return sourced(fields.Float(metadata=metadata, required=True), source)


class DeliveryTimes(ResponseSchema[usage.DeliveryTimes]):
    environment = a.text("test or live", "live")
    documents = a.number(
        f"The documents that were counted: the newest {TIMED:,} delivered of the last"
        f" {DEFAULT_DAYS} days at most",
        1000,
    )
    medianSeconds = _seconds("Half of them were delivered within this time", 0.41, "median")
    p95Seconds = _seconds("95 of 100 were delivered within this time", 2.7, "p95")


class UsageList(ResponseSchema[Usage]):
    items = a.things(UsageDay(), "All days, newest first", source="days")
    deliveryTimes = a.things(
        DeliveryTimes(),
        "Times from acceptance to Delivered, of each environment in which documents were delivered",
    )
    provider = a.provider()
