"""Whatever the contract lets through becomes a document whose amounts add up, or is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal, localcontext
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from marshmallow import Schema
from marshmallow.fields import Field

from einvoice.documents.ubl.write import document_xml
from einvoice.domain.derive import derive
from einvoice.domain.errors import InvalidField
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Invoice, Routing
from einvoice.domain.money import EXACT, ZERO
from einvoice.domain.request import SendDefaults
from einvoice.domain.totals import compute
from einvoice.web.contract import Items, Labels, Part
from einvoice.web.fields import Base64, Code, Count, Day, Flag, Number, Text
from einvoice.web.shared.send_schemas import Invoice as Contract

LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Cn"))
EDGES = ["0.005", "1.005", "-0.005", "0.01", "33.3333", "999999999999999.99999999", "1E-8", "1E+14"]


def text(field: Text) -> st.SearchStrategy[str]:
    drawn = st.text(LETTERS, max_size=min(field.max_length, 120))
    if field.pattern:
        drawn = st.from_regex(field.pattern, fullmatch=True)
    elif field.name == "taxId":
        drawn = st.from_regex(r"([A-Z]{2})?[ .]?[0-9]{7,14}(B01)?", fullmatch=True)
    fits = drawn.filter(lambda t: len(t) <= field.max_length and t.isprintable())
    return fits.filter(str.strip) if field.required else fits


def number(field: Number) -> st.SearchStrategy[Decimal]:
    low = (
        ZERO if field.minimum is not None or field.exclusive_minimum is not None else Decimal(-1000)
    )
    high = Decimal(1000 if field.maximum is None else field.maximum)
    rates = st.sampled_from([ZERO, Decimal("5.5"), Decimal(21)])
    if field.maximum == 100:
        return rates | st.decimals(low, high, places=2)
    edges = [Decimal(edge) for edge in EDGES if Decimal(edge) > low]
    drawn = st.decimals(low, high, places=2) | st.sampled_from(edges)
    return drawn.filter(lambda n: n > 0) if field.exclusive_minimum is not None else drawn


def items(field: Items) -> st.SearchStrategy[list[Any]]:
    return st.lists(values(field.inner), min_size=field.min_items, max_size=3)


def contract(schema: Schema) -> st.SearchStrategy[dict[str, Any]]:
    needed = {n: values(f) for n, f in schema.fields.items() if f.required}
    others = {n: values(f) for n, f in schema.fields.items() if not f.required}
    return st.fixed_dictionaries(needed, optional=others)


STRATEGIES: dict[type, Callable[[Any], st.SearchStrategy[Any]]] = {
    Text: text,
    Code: lambda field: st.sampled_from(sorted(field.codes)),
    Number: number,
    Count: lambda field: st.integers(field.minimum, field.maximum),
    Day: lambda _: (st.dates() | st.sampled_from([date.min, date.max])).map(date.isoformat),
    Flag: lambda _: st.booleans(),
    Base64: lambda _: st.just("YWJj"),
    Items: items,
    Labels: lambda _: st.just({}),
    Part: lambda field: contract(field.schema),
}


def values(field: Field[Any]) -> st.SearchStrategy[Any]:
    return STRATEGIES[type(field)](field)


IDS = st.sampled_from(
    [
        "0208:0123456749",
        "0106:12345678",
        "0007:5560360793",
        "0002:55210055400013",
        "0196:1201743399",
        "0088:9520000000004",
        "0231:300123456700003",
        "0190:00000001003214345000",
        "9930:DE123456788",
    ]
).map(ParticipantId.parse)
DEFAULTS = st.builds(
    SendDefaults,
    iban=st.none() | st.just("BE68539007547034"),
    buyer_reference=st.none() | st.just("REF"),
    payment_terms_days=st.none() | st.integers(0, 365),
)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(sent=contract(Contract()), sender=IDS, receiver=IDS, defaults=DEFAULTS)
def test_any_send_derives_to_amounts_that_add_up(sent, sender, receiver, defaults):
    request: Any = Contract().load(sent)
    with localcontext(EXACT):
        try:
            computed = compute(request)
        except InvalidField:
            return
        request["totals"] = {
            "subtotal": computed.subtotal,
            "taxAmount": computed.tax,
            "grandTotal": computed.subtotal + computed.tax,
            "prepaidAmount": request["totals"].get("prepaidAmount", ZERO),
        }

    try:
        invoice = derive(request, Routing(sender, receiver, "ref"), defaults).invoice
    except InvalidField:  # members that contradict each other, such as type and typeCode
        return

    assert document_xml(invoice)
    with localcontext(EXACT):
        check(invoice)


def check(invoice: Invoice) -> None:
    """The arithmetic of EN 16931, in cents: BR-CO-10, 11, 12, 13, 14, 15, 16 and BR-S-08."""
    totals = invoice.totals
    allowances = sum([a.amount for a in invoice.adjustments if not a.charge], ZERO)
    charges = sum([a.amount for a in invoice.adjustments if a.charge], ZERO)

    assert totals.lines == sum(line.extension for line in invoice.lines)
    assert (totals.allowances or 0) == allowances
    assert (totals.charges or 0) == charges
    assert totals.tax_exclusive == totals.lines - allowances + charges
    assert totals.tax == sum(tax.tax for tax in invoice.taxes)
    assert totals.tax_inclusive == totals.tax_exclusive + (totals.tax or 0)
    assert totals.payable == totals.tax_inclusive - (totals.prepaid or 0) + (totals.rounding or 0)
    assert sum(tax.taxable for tax in invoice.taxes) == totals.tax_exclusive
    for tax in invoice.taxes:
        assert abs(tax.tax - tax.taxable * (tax.category.rate or 0) / 100) < 1
    assert all(line.price.net >= 0 for line in invoice.lines)
    for amount in (
        totals.lines,
        totals.tax,
        totals.payable,
        *[ln.extension for ln in invoice.lines],
    ):
        assert amount.as_tuple().exponent == -2
