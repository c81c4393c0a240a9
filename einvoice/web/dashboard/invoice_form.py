"""The form of a new invoice: its fields, and the body of POST /api/invoices/send that they become.

A field is named by its place in the body. Lines keep their numbers on the page while others are
added and removed; in the body the ones that are filled in follow each other.

>>> values = {"invoice.lineItems.4.description": "Paper", "invoice.lineItems.4.unitPrice": "1,5",
...           "invoice.lineItems.0.description": "", "invoice.number": "7"}
>>> body_of(values)["invoice"]
{'number': '7', 'lineItems': [{'description': 'Paper', 'unitPrice': Decimal('1.5')}]}
>>> field_on_page("invoice.lineItems[0].unitPrice", values)
'invoice.lineItems.4.unitPrice'
>>> field_on_page("invoice.buyer.address", values), field_on_page("invoice.totals", values)
('invoice.buyer.address.line1', None)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, localcontext
from typing import Any, cast

from einvoice.domain import totals
from einvoice.domain.directory import Customer
from einvoice.domain.errors import InvalidField, RequestRefused
from einvoice.domain.money import EXACT, plain
from einvoice.domain.pint import COUNTRIES, Country
from einvoice.domain.request import InvoiceRequest
from einvoice.domain.totals import ComputedTotals
from einvoice.domain.typed_numbers import PLAIN
from einvoice.domain.typed_numbers import number_of as number_of
from einvoice.services.directory.entries import InvoiceDefaults
from einvoice.web import json
from einvoice.web.bodies import loaded
from einvoice.web.dashboard import forms
from einvoice.web.dashboard.pasted_lines import PastedRow
from einvoice.web.shared.send_schemas import InvoiceLines

MAX_LINES = 200
# Rows of allowances and of charges: of the document, of a line; and of cash discounts.
MAX_ROWS, MAX_LINE_ROWS, MAX_DISCOUNTS = 5, 3, 3
KINDS = tuple(f"invoice.transactionTypes.{row}" for row in range(3))  # of transaction, in PINT
# The field of what the form has no field for: the texts and numbers of a document by their names,
# as JSON. It is sent on as it is.
REST = "rest"
MAX_REST = 200_000  # characters
_PARTY = (
    "name", "taxId", "companyId", "address.line1", "address.line2", "address.postalCode",
    "address.city", "address.countryCode", "contact.name", "contact.email", "contact.phone",
)  # fmt: skip
SENDER, RECEIVER = "routing.senderParticipantId", "routing.receiverParticipantId"
NETWORK = "routing.network"
FIELDS = (
    SENDER, RECEIVER, NETWORK,
    *(f"invoice.supplier.{name}" for name in _PARTY),
    *(f"invoice.buyer.{name}" for name in _PARTY),
    "invoice.type", "invoice.number", "invoice.issueDate", "invoice.dueDate", "invoice.currency",
    "invoice.deliveryDate", "invoice.precedingInvoice.number", "invoice.precedingInvoice.issueDate",
    "invoice.buyerReference", "invoice.orderReference", "invoice.contractReference",
    "invoice.paymentTerms", "invoice.paymentMeans.iban", "invoice.paymentMeans.paymentReference",
    "invoice.taxExemption.reason", "invoice.note",
    # Those of the closed parts of the page.
    "invoice.typeCode", "invoice.period.startDate", "invoice.period.endDate",
    "invoice.taxPointDate", "invoice.projectReference", "invoice.salesOrderReference",
    "invoice.despatchReference", "invoice.receivingReference", "invoice.tenderReference",
    "invoice.objectReference.id", "invoice.accountingCost",
    "invoice.deliveryName", "invoice.deliveryAddress.line1", "invoice.deliveryAddress.postalCode",
    "invoice.deliveryAddress.city", "invoice.deliveryAddress.countryCode",
    *(f"invoice.{kind}.{row}.{name}" for kind in ("allowances", "charges")
      for row in range(MAX_ROWS) for name in ("amount", "taxRate", "reason")),
    *(f"invoice.paymentMeans.{name}" for name in (
        "method", "bic", "accountName", "mandateReference", "creditorId", "debitedAccount",
        "card.number", "card.holder")),
    *(f"invoice.cashDiscounts.{row}.{name}"
      for row in range(MAX_DISCOUNTS) for name in ("days", "percent")),
    "invoice.payee.name", "invoice.payee.companyId",
    "invoice.supplier.taxRegistration", "invoice.supplier.legalInformation",
    "invoice.taxRepresentative.name", "invoice.taxRepresentative.taxId",
    "invoice.taxRepresentative.address.countryCode",
    # Those of PINT, shown where the seller is in such a country.
    *KINDS,
    "invoice.issueTime", "invoice.taxCurrency", "invoice.exchangeRate", "invoice.correctionReason",
    "invoice.principalId", "invoice.beneficiaryId",
    "invoice.totals.taxAmountInTaxCurrency", "invoice.totals.grandTotalInTaxCurrency",
    *(f"invoice.{who}.{name}" for who in ("supplier", "buyer") for name in (
        "address.region", "address.line3", "companyIdType", "companyIdAuthority")),
    "invoice.deliveryAddress.region",
)  # fmt: skip
# The order is the page's: a finding on a whole line is shown at its first field.
LINE_FIELDS = (
    "description", "quantity", "unitCode", "unitPrice", "taxCategory", "taxRate",
    "note", "period.startDate", "period.endDate", "sellerItemId", "buyerItemId",
    "orderLineReference", "objectReference.id", "accountingCost",
    "classifications.0.scheme", "classifications.0.value",
    "attributes.0.name", "attributes.0.value",
    "itemType", "serviceCode", "economicActivity", "supplyNature", "taxExemption.reasonCode",
    *(f"{kind}.{row}.{name}" for kind in ("allowances", "charges")
      for row in range(MAX_LINE_ROWS) for name in ("amount", "reason")),
)  # fmt: skip
_NAMES_OF_LINE = "|".join(map(re.escape, LINE_FIELDS))
_LINE = re.compile(rf"invoice\.lineItems\.(0|[1-9][0-9]{{0,2}})\.(?:{_NAMES_OF_LINE})")
# The choice of category and rate together, which becomes those two.
_VAT = re.compile(r"invoice\.lineItems\.(0|[1-9][0-9]{0,2})\.vat")
_LINES = InvoiceLines()
_NUMBERS = ("quantity", "unitPrice", "taxRate", "amount", "percent", "exchangeRate",
            "taxAmountInTaxCurrency", "grandTotalInTaxCurrency")  # fmt: skip
# Computed from the lines, looked up when it is sent, stored as files.
_NOT_TYPED = (
    "invoice.totals.subtotal", "invoice.totals.taxAmount", "invoice.totals.grandTotal",
    "invoice.totals.payableAmount", "routing.accessPointRef", "invoice.attachments.",
    "options.",
)  # fmt: skip
_OF_LINE = re.compile(r"invoice\.lineItems\.(0|[1-9][0-9]{0,2})\.(.+)", re.DOTALL)
_DIGITS_AND_SEPARATORS = re.compile(r"[\s'’.,-]*[0-9][0-9\s'’.,]*")
_LEAVES = (str, int, Decimal)
MAX_DEPTH = 12  # of a name in REST
_RATED = frozenset({"", "S", "L", "M"})  # the categories whose rate may differ from 0


@dataclass(frozen=True, slots=True)
class Totals:
    """The totals of the lines, exact. `taxes`: the VAT of each rate."""

    subtotal: Decimal
    tax: Decimal
    taxes: Mapping[Decimal, Decimal] = field(default_factory=dict)

    @property
    def grand_total(self) -> Decimal:
        return self.subtotal + self.tax


def pint_country(values: Mapping[str, str]) -> Country | None:
    """The country of the seller, if its invoices are PINT."""
    return COUNTRIES.get(values.get("invoice.supplier.address.countryCode", "").strip().upper())


# -- lines on the page -----------------------------------------------------------------------------


def known(given: Mapping[str, str]) -> dict[str, str]:
    """The values of the fields that the form has, of at most MAX_LINES lines."""
    found = {name: given[name] for name in FIELDS if name in given}
    numbers = frozenset(line_numbers(given)[:MAX_LINES])
    for name, value in given.items():
        match = _LINE.fullmatch(name)
        if match and int(match[1]) in numbers:
            found[name] = value
    for name, value in given.items():
        vat = _VAT.fullmatch(name)
        if vat and int(vat[1]) in numbers:
            found |= _of_vat(int(vat[1]), value)
    if given.get(REST):
        found[REST] = given[REST][:MAX_REST]
    return found


def _of_vat(number: int, chosen: str) -> dict[str, str]:
    """Category and rate of one choice: `S|21`, `AE|`, or `S|` with a rate of its own.

    >>> [sorted(_of_vat(0, chosen).values()) for chosen in ("S|21", "E|", "S|")]
    [['21', 'S'], ['', 'E'], ['S']]
    """
    category, mark, rate = chosen.partition("|")
    if not mark or len(chosen) > 20:
        return {}
    found = {_of_line(number, "taxCategory"): category}
    return found | ({_of_line(number, "taxRate"): rate} if rate or category not in _RATED else {})


def line_numbers(values: Mapping[str, str]) -> list[int]:
    """The numbers of the lines on the page."""
    matches = map(_LINE.fullmatch, values)
    return sorted({int(match[1]) for match in matches if match})


def with_line(values: dict[str, str]) -> dict[str, str]:
    """The values with one line more, which has unit and VAT of the last one."""
    numbers = line_numbers(values)
    if len(numbers) >= MAX_LINES:
        return values
    last = numbers[-1] if numbers else -1
    before = {name: values.get(_of_line(last, name), "") for name in LINE_FIELDS}
    kept = {name: before[name] for name in ("unitCode", "taxCategory", "taxRate")}
    new = {"description": "", "quantity": "1", "unitCode": "C62", "taxCategory": "S"}
    filled = {name: text for name, text in kept.items() if text}
    moved = _renumbered(values)
    return moved | {_of_line(len(numbers), name): text for name, text in (new | filled).items()}


def with_rows(values: Mapping[str, str], rows: Iterable[PastedRow]) -> dict[str, str]:
    """The values with a line for each row, as many as the form takes; the first ones in place of
    a blank last line. What a row does not say is that of the last line."""
    found = _renumbered(values)
    numbers = line_numbers(found)
    last = numbers[-1] if numbers else -1
    place = last if numbers and not _is_filled(found, last) else last + 1
    blank = {"quantity": "1", "unitCode": "C62", "taxCategory": "S", "taxRate": ""}
    kept = {name: found.get(_of_line(last, name)) or text for name, text in blank.items()}
    kept["quantity"] = "1"
    for number, row in zip(range(place, MAX_LINES), rows, strict=False):
        given = {
            "description": row.description, "quantity": row.quantity, "unitCode": row.unit,
            "unitPrice": row.price, "taxRate": row.rate,
        }  # fmt: skip
        line = kept | {name: text for name, text in given.items() if text}
        if row.rate:
            line["taxCategory"] = "S"
        found |= {_of_line(number, name): text for name, text in line.items()}
    return found


def without_line(values: Mapping[str, str], number: int) -> dict[str, str]:
    """The values without a line."""
    names = _names_of_line(number)
    left = {name: value for name, value in values.items() if name not in names}
    rest = rest_in(values)
    own = _of_line(number, "")
    return _renumbered(_with_rest(left, {n: v for n, v in rest.items() if not n.startswith(own)}))


def _renumbered(values: Mapping[str, str]) -> dict[str, str]:
    """The values with lines that are numbered from 0 on."""
    places = {number: place for place, number in enumerate(line_numbers(values))}
    found = {name: value for name, value in values.items() if not _LINE.fullmatch(name)}
    for number, place in places.items():
        found |= _moved(values, number, place)
    return _with_rest(found, _rest_at(values, places))


def _moved(values: Mapping[str, str], number: int, place: int) -> dict[str, str]:
    names = [name for name in LINE_FIELDS if _of_line(number, name) in values]
    return {_of_line(place, name): values[_of_line(number, name)] for name in names}


def _of_line(number: int, name: str) -> str:
    return f"invoice.lineItems.{number}.{name}"


def _names_of_line(number: int) -> frozenset[str]:
    return frozenset(_of_line(number, name) for name in LINE_FIELDS)


# -- what the form has no field for ----------------------------------------------------------------


def rest_in(values: Mapping[str, str]) -> dict[str, Any]:
    """The members in REST, by name; none if it is no JSON object.

    >>> rest_in({REST: '{"invoice.note": [1], "metadata.a": "b"}'}), rest_in({REST: "["})
    ({'metadata.a': 'b'}, {})
    """
    try:
        read = json.read_object((values.get(REST) or "{}").encode())
    except RequestRefused:
        return {}
    return {name: value for name, value in read.items() if isinstance(value, _LEAVES)}


def _with_rest(values: dict[str, str], rest: Mapping[str, Any]) -> dict[str, str]:
    kept = {name: value for name, value in values.items() if name != REST}
    return kept | ({REST: json.write(rest).decode()} if rest else {})


def _rest_at(values: Mapping[str, str], places: Mapping[int, int]) -> dict[str, Any]:
    """The rest with lines at these places; the rest of other lines is left out."""
    found = {}
    for name, value in rest_in(values).items():
        match = _OF_LINE.fullmatch(name)
        if match is None:
            found[name] = value
        elif int(match[1]) in places:
            found[_of_line(places[int(match[1])], match[2])] = value
    return found


def _put_rest(body: dict[str, Any], rest: Mapping[str, Any], typed: Mapping[str, str]) -> None:
    """Put the rest into a body. `typed`: the values of the form by their names in the body.

    What belongs to a row of the form goes with it, and is left out once the row is blank.
    """
    for name, value in rest.items():
        parts = name.split(".")
        if len(parts) <= MAX_DEPTH and not _is_blanked(parts, typed):
            _put(body, parts, value)


def _is_blanked(parts: Sequence[str], typed: Mapping[str, str]) -> bool:
    """Whether the form has fields of the innermost row, and all of them are blank."""
    rows = [place for place, part in enumerate(parts) if part.isdecimal()]
    if not rows:
        return False
    of_row = ".".join(parts[: rows[-1] + 1]) + "."
    texts = [text for name, text in typed.items() if name.startswith(of_row)]
    return bool(texts) and not any(text.strip() for text in texts)


def _put(place: Any, parts: Sequence[str], value: Any) -> None:
    """Put a value at a place of JSON; lists are as long as they need to be."""
    first, *more = parts
    inner: Any = [] if more and more[0].isdecimal() else {}
    if isinstance(place, list) and first.isdecimal():
        at = min(int(first), len(place))
        if at == len(place):
            place.append(inner)
        if more:
            _put(place[at], more, value)
        else:
            place[at] = value
    elif isinstance(place, dict):
        if more:
            _put(place.setdefault(first, inner), more, value)
        else:
            place.setdefault(first, value)


# -- the body --------------------------------------------------------------------------------------


def body_of(values: Mapping[str, str], *, has_comma: bool = False) -> dict[str, Any]:
    """The body without totals. Text that is not a number stays text, which the contract refuses.

    has_comma  the values are of people who write a decimal comma
    """
    found = {name: values[name] for name in FIELDS if name in values}
    places = {number: place for place, number in enumerate(_filled(values))}
    for number, place in places.items():
        found |= _moved(values, number, place)
    body: dict[str, Any] = {"invoice": {}, "routing": {}} | forms.nested(found)
    for line in body["invoice"].get("lineItems", ()):
        if line.get("taxCategory", "") not in _RATED:
            line.setdefault("taxRate", "0")
    body["invoice"] = _with_numbers(body["invoice"], has_comma)
    _put_rest(body, _rest_at(values, places), found)
    return body


def _with_numbers(value: Any, has_comma: bool) -> Any:
    """The value with the numbers that people typed, wherever they are in it."""
    if isinstance(value, list):
        return [_with_numbers(inner, has_comma) for inner in value]
    if not isinstance(value, dict):
        return value
    found = {name: _with_numbers(inner, has_comma) for name, inner in value.items()}
    for name in found.keys() & _NUMBERS:
        found[name] = number_of(found[name], has_comma)
    days = forms.whole_number(found.get("days"))
    return found if days is None else {**found, "days": days}


def _filled(values: Mapping[str, str]) -> list[int]:
    """The lines with a description or a price; where none has one, the first."""
    numbers = line_numbers(values)
    return [number for number in numbers if _is_filled(values, number)] or numbers[:1]


def _is_filled(values: Mapping[str, str], number: int) -> bool:
    return any(
        values.get(_of_line(number, name), "").strip() for name in ("description", "unitPrice")
    )


def is_unread_number(name: str, text: str, *, has_comma: bool = False) -> bool:
    """Whether a field of a number has digits and separators that are not read as one.

    >>> at = "invoice.lineItems.0.unitPrice"
    >>> [is_unread_number(at, text) for text in ("1,234", "1,23", "many", "")]
    [True, False, False, False]
    """
    is_written = _is_number(name) and _DIGITS_AND_SEPARATORS.fullmatch(text)
    return bool(is_written) and isinstance(number_of(text, has_comma), str)


def _is_number(name: str) -> bool:
    """Whether a field of the form is for a number."""
    known = name in FIELDS or _LINE.fullmatch(name) is not None
    return known and name.rpartition(".")[2] in _NUMBERS


def with_decimal_commas(values: Mapping[str, str]) -> dict[str, str]:
    """The values with numbers as people write them who use a decimal comma.

    The comma is not followed by three digits, which may be thousands.

    >>> at = "invoice.lineItems.0.quantity"
    >>> [with_decimal_commas({at: text})[at] for text in ("2.5", "0.125", "3", "a.b")]
    ['2,5', '0,1250', '3', 'a.b']
    """
    found = dict(values)
    for name, text in values.items():
        if _is_number(name) and "." in text and PLAIN.fullmatch(text):
            whole, _, part = text.partition(".")
            found[name] = f"{whole},{part}{'0' if len(part) == 3 else ''}"
    return found


def totals_of(body: Mapping[str, Any]) -> Totals | None:
    """The totals of the body's lines, allowances and charges; None while these are not complete."""
    invoice = {"lineItems": [], **body["invoice"]}
    amounts = {name: invoice[name] for name in _LINES.fields if name in invoice}
    try:
        with localcontext(EXACT):
            document = cast("InvoiceRequest", loaded(_LINES, amounts))
            computed = totals.compute(document)
            return Totals(computed.subtotal, computed.tax, _by_rate(document, computed))
    except InvalidField:
        return None


def _by_rate(document: InvoiceRequest, computed: ComputedTotals) -> dict[Decimal, Decimal]:
    """The VAT of lines, allowances and charges by rate, the highest rate first."""
    found: dict[Decimal, Decimal] = {}
    rates = [line["taxRate"] for line in document["lineItems"]]
    of_lines = zip(rates, computed.line_taxes, strict=True)
    others = ((e.rate, e.tax if e.charge else -e.tax) for e in computed.adjustments)
    for rate, tax in (*of_lines, *others):
        found[rate] = found.get(rate, Decimal(0)) + tax
    return dict(sorted(found.items(), reverse=True))


def with_totals(body: dict[str, Any], found: Totals | None) -> dict[str, Any]:
    """The body with its totals; zeros where the lines are not complete, which are refused first."""
    sums = found or Totals(Decimal(0), Decimal(0))
    declared = {
        "subtotal": sums.subtotal, "taxAmount": sums.tax, "grandTotal": sums.grand_total,
    }  # fmt: skip
    given = body["invoice"].get("totals", {})
    return {**body, "invoice": {**body["invoice"], "totals": {**given, **declared}}}


# What a form has before a person types: the rest is theirs.
_FIRST = ("invoice.supplier.", "invoice.type", "invoice.issueDate", "invoice.currency",
          SENDER)  # fmt: skip


def is_begun(values: Mapping[str, str]) -> bool:
    """Whether a person has filled in more than a form begins with.

    >>> is_begun({"invoice.currency": "EUR", "invoice.number": " "})
    False
    >>> is_begun({"invoice.lineItems.0.quantity": "1", "invoice.lineItems.0.unitPrice": "2"})
    True
    """
    own = (name for name in FIELDS if not name.startswith(_FIRST))
    return any(values.get(name, "").strip() for name in own) or any(
        _is_filled(values, number) for number in line_numbers(values)
    )


def values_of(body: Mapping[str, Any]) -> dict[str, str]:
    """The values of the form that become this body; what is computed or looked up is left out.

    >>> values_of({"invoice": {"number": "7", "lineItems": [{"quantity": Decimal("1E+1")}]}})
    {'invoice.number': '7', 'invoice.lineItems.0.quantity': '10'}
    >>> values_of({"invoice": {"allowances": [{"reasonCode": "95"}], "totals": {"subtotal": 1}}})
    {'rest': '{"invoice.allowances.0.reasonCode":"95"}'}
    """
    found = known({name: _text(value) for name, value in _members(body, "")})
    rest = {
        name: value
        for name, value in _members(body, "")
        if name not in found and not name.startswith(_NOT_TYPED)
    }
    return _with_rest(found, rest)


def _text(value: Any) -> str:
    return plain(value) if isinstance(value, Decimal) else str(value)


def _members(value: object, name: str) -> Iterator[tuple[str, Any]]:
    """The texts, numbers and switches in a value of JSON, each with the name of its field."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _members(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _members(inner, f"{name}.{place}")
    elif isinstance(value, _LEAVES):
        yield name, value


# -- errors at fields ------------------------------------------------------------------------------


def field_on_page(path: str, values: Mapping[str, str]) -> str | None:
    """The name of the field that a path of the body (`invoice.lineItems[0].taxRate`) is shown at.

    That of an object is its first field; None for what the form does not have, and for the totals
    as a whole, which are computed.
    """
    if path == "invoice.totals":
        return None
    name = re.sub(r"\[([0-9]{1,3})\]", r".\1", path)
    match = re.match(r"invoice\.lineItems(?:\.([0-9]{1,3}))?", name)
    if match:
        name = _on_line(name, match, _filled(values))
        names = [_of_line(n, each) for n in line_numbers(values) for each in LINE_FIELDS]
    else:
        names = list(FIELDS)
    return next((each for each in names if each == name or each.startswith(f"{name}.")), None)


def _on_line(name: str, match: re.Match[str], filled: list[int]) -> str:
    """The name with the number that the line has on the page."""
    place = int(match[1] or 0)
    if match[1] is None or place >= len(filled):
        return name
    return f"invoice.lineItems.{filled[place]}{name[match.end() :]}"


# -- customers -------------------------------------------------------------------------------------


def day_of(text: str) -> date | None:
    """The day that a field has, if it is one."""
    with suppress(ValueError):
        return date.fromisoformat(text.strip())
    return None


def of_customer(found: InvoiceDefaults) -> dict[str, str]:
    """The fields that a customer of the directory fills in; those it has no value for are blank."""
    entry = found.entry
    own = {
        "name": entry.name, "taxId": entry.tax_id, "contact.email": entry.email,
        "contact.phone": entry.phone, "address.countryCode": entry.country_code,
    }  # fmt: skip
    address = {f"address.{name}": text for name, text in (entry.address or {}).items()}
    buyer = {f"invoice.buyer.{name}": text or "" for name, text in {**own, **address}.items()}
    blank = {f"invoice.buyer.{name}": "" for name in _PARTY}
    values = blank | buyer | {RECEIVER: entry.peppol_id or ""}
    if found.due_date is not None:
        values["invoice.dueDate"] = found.due_date.isoformat()
    if isinstance(entry, Customer):
        values["invoice.buyerReference"] = entry.buyer_reference or ""
        if entry.default_currency_code:
            values["invoice.currency"] = entry.default_currency_code
    return {name: text for name, text in values.items() if name in FIELDS}
