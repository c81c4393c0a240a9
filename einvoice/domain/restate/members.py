"""Members of a request that say something."""

from __future__ import annotations

from typing import Any

from einvoice.domain.invoice import Address, Identifier, Period

Members = dict[str, Any]


def stated(**members: object) -> Members:
    """The members with a value; None, "" and empty objects and lists are not stated.

    >>> stated(number="1", note=None, period={}, amount=0)
    {'number': '1', 'amount': 0}
    """
    return {name: value for name, value in members.items() if value not in _NOTHING}


_NOTHING: tuple[object, ...] = (None, "", {}, [])


def identifier(value: Identifier | None) -> Members:
    return {} if value is None else stated(scheme=value.scheme, id=value.value)


def schemed(value: Identifier | None) -> str | None:
    """`<scheme>:<identifier>`, or the identifier alone."""
    if value is None:
        return None
    return f"{value.scheme}:{value.value}" if value.scheme else value.value


def address(value: Address | None) -> Members:
    if value is None:
        return {}
    return stated(
        line1=value.line1,
        line2=value.line2,
        line3=value.line3,
        city=value.city,
        postalCode=value.postal_code,
        region=value.region,
        countryCode=value.country,
    )


def period(value: Period | None) -> Members:
    return {} if value is None else stated(startDate=value.start, endDate=value.end)
