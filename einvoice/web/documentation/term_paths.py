"""Where each business term of EN 16931 stands: member of a send, UBL and CII, found by tracing.

An invoice whose every value occurs once is written in both syntaxes and restated as the body of a
send; the places of one value belong to one term. So the tables cannot differ from the writers.

>>> traced()["invoice.projectReference"].ubl
('/Invoice/ProjectReference/ID',)
"""

from __future__ import annotations

import re
import types
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from itertools import count
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from einvoice.documents.conversion import WRITERS
from einvoice.documents.leaves import leaves
from einvoice.domain.invoice import (
    AllowanceCharge,
    CreditTransfer,
    DocumentKind,
    Invoice,
    Line,
    SupportingDocument,
)
from einvoice.domain.money import plain
from einvoice.domain.restate import invoice_request
from einvoice.xml import parse

_POSITION: Final = re.compile(r"\[[0-9]+\]")
_IBAN: Final = "BE68539007547034"  # CII has another element for accounts that are no IBAN
_TYPE_CODE: Final = "875"
_FIRST_DAY: Final = date(2031, 1, 1)


@dataclass(frozen=True, slots=True)
class TermPlaces:
    """The elements in which a value stands, with local names, without positions."""

    ubl: tuple[str, ...]
    cii: tuple[str, ...]


@cache
def traced() -> Mapping[str, TermPlaces]:
    """The places of each member of `invoice`, and of attributes of the Invoice (`totals.lines`)
    that are not members because they are computed."""
    invoice = _marked()
    return {**_places(_exempt(invoice)), **_places(invoice)}


def _places(invoice: Invoice) -> dict[str, TermPlaces]:
    by_value = {syntax: _by_value(invoice, syntax) for syntax in WRITERS}
    known = dict(_values(invoice_request(invoice), "invoice")) | dict(_attributes(invoice, ""))
    return {
        name: TermPlaces(by_value["ubl"][text], by_value["cii"][text])
        for name, text in known.items()
    }


def _marked() -> Invoice:
    """An invoice with every term, each value once."""
    numbers = count(1)
    found: Invoice = _value_of(Invoice, numbers)
    charge = _charge(numbers)
    line = found.lines[0]
    charged = replace(line, adjustments=(*line.adjustments, _charge(numbers)))
    return replace(
        found,
        kind=DocumentKind.INVOICE,
        type_code=_TYPE_CODE,
        adjustments=(*found.adjustments, charge),
        payment=(replace(found.payment[0], transfers=(_transfer(numbers),)),),
        lines=(replace(charged, adjustments=_bare(charged.adjustments)),),
    )


def _exempt(invoice: Invoice) -> Invoice:
    """The invoice whose breakdown has the category of its line, which then states the reason."""
    category = invoice.lines[0].item.category
    return replace(invoice, taxes=(replace(invoice.taxes[0], category=category),))


def _charge(numbers: Iterator[int]) -> AllowanceCharge:
    found: AllowanceCharge = _value_of(AllowanceCharge, numbers)
    return replace(found, charge=True)


def _bare(entries: tuple[AllowanceCharge, ...]) -> tuple[AllowanceCharge, ...]:
    """Allowances or charges of a line, which have its VAT category."""
    return tuple(replace(entry, category=None) for entry in entries)


def _transfer(numbers: Iterator[int]) -> CreditTransfer:
    found: CreditTransfer = _value_of(CreditTransfer, numbers)
    return replace(found, account=_IBAN)


# Terms that no document of EN 16931 has.
_OF_PINT = {
    (Invoice, "further"),
    (Line, "further"),
    (SupportingDocument, "type_code"),
    (SupportingDocument, "uuid"),
}


def _value_of(kind: Any, numbers: Iterator[int]) -> Any:
    """A value of a type that occurs once."""
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(each for each in get_args(kind) if each is not type(None))
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        if inner[-1] is Ellipsis:
            return (_value_of(inner[0], numbers),)
        return tuple(_value_of(each, numbers) for each in inner)
    if is_dataclass(kind) and isinstance(kind, type):
        hints = get_type_hints(kind)
        names = [each.name for each in fields(kind) if (kind, each.name) not in _OF_PINT]
        return kind(**{name: _value_of(hints[name], numbers) for name in names})
    return _plain_value(kind, next(numbers))


def _plain_value(kind: Any, number: int) -> Any:
    values = {
        str: f"T{number:03}",
        Decimal: Decimal(f"{number}.0001"),
        date: _FIRST_DAY + timedelta(days=number),
        bytes: f"B{number:03}".encode(),
        bool: False,
    }
    return DocumentKind.INVOICE if kind is DocumentKind else values[kind]


def _by_value(invoice: Invoice, syntax: str) -> defaultdict[str, tuple[str, ...]]:
    """The places of each value in the document."""
    found: defaultdict[str, tuple[str, ...]] = defaultdict(tuple)
    for leaf in leaves(parse(WRITERS[syntax](invoice))):
        path = _POSITION.sub("", leaf.path)
        if path.endswith("/@currencyID"):
            continue
        for value in _compact(leaf.value).split("#"):  # UBL writes notes as #code#text
            if path not in found[value]:
                found[value] = (*found[value], path)
    return found


def _compact(text: str) -> str:
    """A value in the spelling of both syntaxes: days without hyphens."""
    return text.replace("-", "") if text[4:5] == text[7:8] == "-" else text


def _values(value: object, name: str) -> Iterator[tuple[str, str]]:
    """The members of a request, `[]` for any index, each with its value as documents write it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _values(inner, f"{name}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from _values(inner, f"{name}[]")
    else:
        yield name, _written(value)


def _attributes(value: object, name: str) -> Iterator[tuple[str, str]]:
    """The attributes of a value, in the same way."""
    if is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            below = f"{name}.{each.name}" if name else each.name
            yield from _attributes(getattr(value, each.name), below)
    elif isinstance(value, tuple):
        for inner in value:
            yield from _attributes(inner, f"{name}[]")
    elif value is not None:
        yield name, _written(value)


def _written(value: object) -> str:
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, date):
        return value.isoformat().replace("-", "")
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    # companyId and endpointId are <scheme>:<identifier>.
    text = str(value)
    return text.rpartition(":")[2]
