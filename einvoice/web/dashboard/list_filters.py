"""The line of filters above a list of invoices: what is chosen, and the addresses without it.

Each chip of the line stands for some parameters of the address; those that no chip has a field for
are kept and named by the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from einvoice import clock
from einvoice.web.dashboard.invoice_form import day_of
from einvoice.web.dashboard.words import Say

Address = Callable[[Mapping[str, str]], str]

# Parameters by chip, and those that the search box and the page itself have.
FIELDS = {
    "status": ("networkStatus", "response", "attention", "failureDone"),
    "direction": ("direction",),
    "date": ("issueDateFrom", "issueDateTo"),
    "amount": ("grandTotalFrom", "grandTotalTo", "currency", "paid"),
    "more": ("party", "number"),
}
_OTHERS = {"date": ("createdFrom", "createdTo")}  # without a field, but of this chip
_OF_PAGE = frozenset({"q", "environment", "sort", "state", "limit"})
_STATES = ("Failed", "Processing", "Delivered")


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter of the line.

    fields   parameters that it has fields for
    chosen   what is chosen, in words; None: nothing is
    without  the address of the list without it
    """

    fields: Collection[str]
    chosen: str | None
    without: str


@dataclass(frozen=True, slots=True)
class FilterLine:
    """The chips by their names.

    kept     parameters without a field, which the form sends on
    nothing  the address without any filter; None if there is none
    """

    chips: Mapping[str, Chip]
    kept: Mapping[str, str]
    nothing: str | None


def line(
    given: Mapping[str, str], address: Address, say: Say, brief_day: Callable[[date], str]
) -> FilterLine:
    """The chips of these parameters. `address`: the list with some parameters."""
    known = {name for names in (*FIELDS.values(), *_OTHERS.values()) for name in names}
    rest = {name: text for name, text in given.items() if name not in known | _OF_PAGE}
    chips = {
        "status": Chip(FIELDS["status"], _status(given, say), ""),
        "direction": Chip(FIELDS["direction"], _direction(given, say), ""),
        "date": Chip(FIELDS["date"], _days(given, brief_day), ""),
        "amount": Chip(FIELDS["amount"], _amount(given, say), ""),
        "more": Chip(FIELDS["more"], _more(given, rest), ""),
    }
    found = {}
    for name, chip in chips.items():
        gone = {*chip.fields, *_OTHERS.get(name, ()), *(rest if name == "more" else ())}
        found[name] = Chip(chip.fields, chip.chosen, address(without(given, gone)))
    fields = {name for names in FIELDS.values() for name in names}
    kept = {name: text for name, text in given.items() if name not in fields | {"q"}}
    is_filtered = any(chip.chosen for chip in found.values()) or "q" in given
    nothing = address(
        {name: given[name] for name in given.keys() & {"environment", "sort", "state"}}
    )
    return FilterLine(found, kept, nothing if is_filtered else None)


def without(given: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """The parameters but for these."""
    return {name: text for name, text in given.items() if name not in names}


def tabs(given: Mapping[str, str], address: Address) -> list[tuple[str, str, bool]]:
    """(name, address, whether it is shown) of the tabs above the list: all, those that need
    attention, and the states."""
    rest = without(given, FIELDS["status"])
    shown = {name: given[name] for name in FIELDS["status"] if name in given}
    choices: list[tuple[str, dict[str, str]]] = [("all", {}), ("attention", {"attention": "true"})]
    choices += [(state, {"networkStatus": state}) for state in _STATES]
    return [(name, address(rest | choice), choice == shown) for name, choice in choices]


def periods(given: Mapping[str, str], address: Address) -> list[tuple[str, str]]:
    """(name, address) of the periods that are offered beside the two days."""
    today = clock.today()
    this = today.replace(day=1)
    before = this - timedelta(days=1)
    spans = {
        "thisMonth": (this, _end_of_month(this)),
        "lastMonth": (before.replace(day=1), before),
        "thisYear": (date(today.year, 1, 1), date(today.year, 12, 31)),
    }
    rest = without(given, {*FIELDS["date"], *_OTHERS["date"]})
    return [
        (name, address(rest | {"issueDateFrom": str(first), "issueDateTo": str(last)}))
        for name, (first, last) in spans.items()
    ]


def _end_of_month(first: date) -> date:
    """
    >>> _end_of_month(date(2024, 2, 1)), _end_of_month(date(2026, 12, 1))
    (datetime.date(2024, 2, 29), datetime.date(2026, 12, 31))
    """
    following = (first + timedelta(days=31)).replace(day=1)
    return following - timedelta(days=1)


def _status(given: Mapping[str, str], say: Say) -> str | None:
    named = [(f"status.{given.get('networkStatus')}"), f"responseStatus.{given.get('response')}"]
    found = []
    for field, name in zip(FIELDS["status"], named, strict=False):
        if field in given:
            found.append(_said(say, name) or given[field])
    if "attention" in given:
        found.append(say("invoice.attention"))
    if "failureDone" in given:
        found.append(_said(say, f"failureDone.{given['failureDone']}") or given["failureDone"])
    return ", ".join(found) or None


def _said(say: Say, name: str) -> str | None:
    """The words of a value of a filter; None for a value that there is not."""
    try:
        return say(name)
    except KeyError:
        return None


def _direction(given: Mapping[str, str], say: Say) -> str | None:
    chosen = given.get("direction")
    return (_said(say, f"overview.{chosen}") or chosen) if chosen else None


def _days(given: Mapping[str, str], brief_day: Callable[[date], str]) -> str | None:
    texts = []
    for names in (FIELDS["date"], _OTHERS["date"]):
        first, last = (_day(given.get(name, ""), brief_day) for name in names)
        if first or last:
            texts.append(first if first == last else f"{first} – {last}".strip())
    return ", ".join(texts) or None


def _day(text: str, brief_day: Callable[[date], str]) -> str:
    found = day_of(text[:10])
    return brief_day(found) if found else text


def _amount(given: Mapping[str, str], say: Say) -> str | None:
    first, last = given.get("grandTotalFrom", ""), given.get("grandTotalTo", "")
    span = first if first == last else f"{first} – {last}".strip()
    sums = " ".join(part for part in (span, given.get("currency", "")) if part)
    paid = given.get("paid")
    state = (_said(say, f"paid.{paid}") or paid) if paid else None
    return ", ".join(part for part in (sums, state) if part) or None


def _more(given: Mapping[str, str], rest: Mapping[str, str]) -> str | None:
    texts = [given[name] for name in FIELDS["more"] if name in given]
    return ", ".join([*texts, *rest.values()])[:60] or None
