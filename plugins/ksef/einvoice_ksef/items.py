"""An invoice in a list of metadata.

What the list says of an invoice is read as far as it can be: only the number is needed to fetch it.
A KSeF number begins with the NIP of the seller.

>>> Item.of({"ksefNumber": "5265877635-20250826-0100001AF629-AF"}, "2025-08-26").seller
'5265877635'
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from einvoice.network.mailboxes import StatedHead
from einvoice_ksef.moments import moment_or_none

_NUMBER: Final = re.compile(r"[0-9A-Za-z-]{10,60}")
_NIP: Final = re.compile(r"[0-9]{10}")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_MAX_TEXT: Final = 100  # characters of a number or a name
_MAX_CODE: Final = 44  # characters of a digest, and of what else is short
_MAX_DATE: Final = 40
_READ: Final = 4  # times as many characters are looked at as are kept
MAX_KEPT: Final = 400  # characters of an invoice that waits, with which all fit into a cursor
_MAX_AMOUNT: Final = Decimal(10) ** 15
_CENT: Final = Decimal("0.01")


class NotAnItem(ValueError):
    """An entry of a list that names no invoice."""


@dataclass(frozen=True, slots=True)
class Item:
    """An invoice in a list. A text is empty where the list does not say it.

    stored   date of permanent storage, as KSeF wrote it
    digest   SHA-256 of the document, in base64
    form     system code and version of its form
    third    the role of the account as a third party, as KSeF numbers them
    """

    number: str
    stored: str
    digest: str = ""
    seller: str = ""
    form: tuple[str, str] = ("", "")
    third: str = ""
    invoice: str = ""
    issued: str = ""
    currency: str = ""
    net: str = ""
    vat: str = ""
    gross: str = ""
    seller_name: str = ""

    @classmethod
    def of(cls, values: object, before: str, nip: str = "") -> Item:
        """An entry of a list for the account of a NIP. Raises NotAnItem.

        before  the date of storage of the entry before it, where it has none itself
        """
        if not isinstance(values, Mapping):
            raise NotAnItem("it is no object")
        number = values.get("ksefNumber")
        if not isinstance(number, str) or not _NUMBER.fullmatch(number):
            raise NotAnItem("it has no KSeF number")
        form, seller = _object(values, "formCode"), _object(values, "seller")
        return cls(
            number,
            date_in(values, "permanentStorageDate") or before,
            _text(values, "invoiceHash", _MAX_CODE),
            _seller(seller, number),
            (_text(form, "systemCode", 20), _text(form, "schemaVersion", 20)),
            _third(values, nip),
            _text(values, "invoiceNumber"),
            _text(values, "issueDate", _MAX_CODE),
            _text(values, "currency", 3),
            _text(values, "netAmount", _MAX_CODE),
            _text(values, "vatAmount", _MAX_CODE),
            _text(values, "grossAmount", _MAX_CODE),
            _text(seller, "name"),
        )

    def as_text(self) -> str:
        """The form in a cursor; without members that have no value.

        Where it is too long it has what is needed to fetch the invoice.
        """
        given = {name: value for name, value in asdict(self).items() if value}
        text = json.dumps(given, ensure_ascii=False)
        if len(text) <= MAX_KEPT:
            return text
        needed = ("number", "stored", "digest", "seller", "form", "third")
        return json.dumps({n: given[n] for n in needed if n in given}, ensure_ascii=False)

    @classmethod
    def of_text(cls, text: str) -> Item:
        """The value that `as_text` wrote."""
        values = json.loads(text)
        first, second = values.pop("form", ("", ""))
        return cls(**values, form=(first, second))

    def head(self) -> StatedHead:
        """The values of the list about the document."""
        return StatedHead(
            number=self.invoice or None,
            issue_date=_day(self.issued),
            currency=self.currency if _CURRENCY.fullmatch(self.currency) else None,
            subtotal=_amount(self.net),
            tax_amount=_amount(self.vat),
            grand_total=_amount(self.gross),
            supplier_name=self.seller_name or None,
            supplier_tax_id=f"PL{self.seller}" if self.seller else None,
            supplier_country="PL" if self.seller else None,
        )


def _object(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = values.get(name)
    return found if isinstance(found, dict) else {}


def date_in(values: Mapping[str, Any], name: str) -> str:
    """A time as KSeF wrote it; empty without one."""
    found = values.get(name)
    is_date = isinstance(found, str) and len(found) <= _MAX_DATE and moment_or_none(found)
    return str(found) if is_date else ""


def _text(values: Mapping[str, Any], name: str, most: int = _MAX_TEXT) -> str:
    """A member in one line of printable characters; empty if it is no text and no number."""
    found = values.get(name)
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return ""
    line = " ".join(str(found)[: _READ * most].split())
    return "".join(filter(str.isprintable, line))[:most]


def _seller(values: Mapping[str, Any], number: str) -> str:
    given = _text(values, "nip")
    if _NIP.fullmatch(given):
        return given
    return number[:10] if _NIP.fullmatch(number[:10]) else ""


def _third(values: Mapping[str, Any], nip: str) -> str:
    listed = values.get("thirdSubjects")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and nip and _text(_object(each, "identifier"), "value") == nip:
            return _text(each, "role", 4)
    return ""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _amount(text: str) -> Decimal | None:
    try:
        found = Decimal(text)
        is_amount = found.is_finite() and abs(found) < _MAX_AMOUNT
    except InvalidOperation:
        return None
    return found.quantize(_CENT) if is_amount else None
