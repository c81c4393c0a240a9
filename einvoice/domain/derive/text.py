"""Values that several parts of the request share: optional text, addresses, periods."""

from __future__ import annotations

from collections.abc import Iterable

from einvoice.domain.invoice import Address, Identifier, Period
from einvoice.domain.request import AddressRequest, IdentifierRequest, PeriodRequest


def filled(text: str | None) -> str | None:
    """The text, or None if it is empty: BIS Billing has no empty elements."""
    return text or None


def address(request: AddressRequest, country: str | None) -> Address:
    """The address as sent, in the given country (decisions 17.4)."""
    return Address(
        line1=filled(request.get("line1")),
        line2=filled(request.get("line2")),
        line3=filled(request.get("line3")),
        city=filled(request.get("city")),
        postal_code=filled(request.get("postalCode")),
        region=filled(request.get("region")),
        country=country,
    )


def identifier(request: IdentifierRequest | None) -> Identifier | None:
    """An identifier with its scheme, if it has one."""
    if not request:
        return None
    return Identifier(request["id"], filled(request.get("scheme")))


def identifiers(requests: Iterable[IdentifierRequest]) -> tuple[Identifier, ...]:
    return tuple([Identifier(each["id"], filled(each.get("scheme"))) for each in requests])


def period(request: PeriodRequest | None) -> Period | None:
    if not request:
        return None
    return Period(request.get("startDate"), request.get("endDate"))
