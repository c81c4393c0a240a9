"""Any invoice becomes a valid FA(3) or is refused, and what is written can be read."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from einvoice.domain.errors import InvalidField
from einvoice.domain.invoice import (
    Address,
    AllowanceCharge,
    Attribute,
    Contact,
    CreditTransfer,
    Delivery,
    Identifier,
    Item,
    Party,
    PaymentMeans,
    Period,
    Price,
)
from einvoice_ksef.fa3 import form
from plugins.ksef.tests import official, polish

# Mostly texts that have a place; anything at all is in one of them.
_anything = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=9)
texts = st.one_of(
    st.text("abżó&<>'1 -:/", min_size=1, max_size=20).filter(str.strip),
    st.text("abżó&<>'1 -:/", min_size=1, max_size=20).filter(str.strip),
    st.sampled_from(["A&B <c>", " a  b ", "]]>", "Opis (2)", "ż" * 300, "word " * 80, "\u00a0"]),
    st.sampled_from(["plain"] * 20 + ["x" * 600, "\u0084", "\t"]),
    st.sampled_from(["plain"] * 9).flatmap(lambda each: st.just(each) | _anything),
)
optional = st.none() | texts
codes = st.sampled_from(["PL", "DE", "GR", "XI", "US"] * 4 + ["ZZ", None])
days = st.dates(date(2016, 7, 1), date(2030, 1, 1))
_some_days = st.sampled_from([date(2016, 7, 1)] * 9 + [date(2005, 12, 31)]) | days
amounts = st.decimals(-(10**9), 10**9, places=2)
identifiers = st.builds(Identifier, texts, st.sampled_from([None, "0088", "HS", "0160"]))
addresses = st.none() | st.builds(Address, optional, optional, optional, optional, optional,
                                  optional, codes)  # fmt: skip
_ways = st.sampled_from([None, "a@b", "a@b.pl", "a@b.pl", "667 444"])
contacts = st.none() | st.builds(Contact, optional, _ways, _ways)
vat_ids = st.sampled_from(
    [None, "PL5265877635", "PL12", "DE123456788", "EL094259216", "XI1 2.3", "CHE1", "1"]
)
parties = st.builds(
    Party, texts, st.none(), optional, st.lists(identifiers, max_size=2).map(tuple),
    st.none() | identifiers, vat_ids, st.none() | identifiers, optional, addresses, contacts,
)  # fmt: skip
sellers = st.builds(
    lambda party, address: replace(party, vat_id="PL5265877635", address=address),
    parties,
    st.builds(replace, st.just(polish.WARSAW), line1=optional, line2=optional),
)
categories = st.builds(
    polish.category,
    st.sampled_from(["S"] * 9 + ["Z", "E", "AE", "K", "G", "O", "L"]),
    st.sampled_from(["23", "8", "5", "3", "22"] * 3 + ["0", "21"]),
)
items = st.builds(
    Item, texts, categories, optional, optional, optional, st.none() | identifiers,
    st.lists(identifiers, max_size=2).map(tuple), st.none() | codes,
    st.lists(st.builds(Attribute, texts, texts), max_size=2).map(tuple),
)  # fmt: skip
periods = st.none() | st.builds(Period, st.none() | days, st.none() | days)
allowances = st.builds(
    AllowanceCharge, st.sampled_from([False] * 9 + [True]), amounts, reason=optional
)
lines = st.builds(
    lambda net, item, **changes: polish.line(str(net), item=item, **changes),
    amounts,
    items,
    id=texts,
    unit=st.sampled_from(["C62", "HUR", "ZZ"]),
    quantity=st.decimals(-1000, 1000, places=3),
    price=st.builds(Price, amounts, gross=st.none() | amounts),
    note=optional,
    order_line=optional,
    period=periods,
    adjustments=st.lists(allowances, max_size=1).map(tuple),
)
payments = st.builds(
    PaymentMeans, st.sampled_from(["30", "10", "49", "ZZZ"]), optional, optional,
    st.lists(
        st.builds(
            CreditTransfer,
            st.sampled_from(["PL61109010140000071219812874"] * 9 + ["1"]),
            optional,
            st.sampled_from([None, "WBKPPLPP", "WBKPPLPPXXX", "wbk"]),
        ),
        max_size=1,
    ).map(tuple),
)  # fmt: skip
changes = st.fixed_dictionaries(
    {},
    optional={
        "number": texts,
        "issue_date": _some_days,
        "due_date": st.none() | days,
        "type_code": st.sampled_from(["380", "384", "386", "389"] * 4 + ["326"]),
        "currency": st.sampled_from(["PLN"] * 6 + ["EUR", "QQQ"]),
        "seller": sellers,
        "buyer": parties,
        "buyer_reference": texts,
        "contract": texts,
        "payment_terms": texts,
        "notes": st.lists(st.tuples(st.sampled_from([None, "AAI", "ACD"]), texts), max_size=5).map(
            tuple
        ),
        "period": periods,
        "tax_point": st.none() | days,
        "delivery": st.none()
        | st.builds(Delivery, optional, st.none(), st.none() | days, addresses),
        "payment": st.lists(payments, max_size=2).map(tuple),
        "preceding": st.just(polish.ORIGINAL),
    },
)


@official.needed
@given(st.lists(lines, min_size=1, max_size=3), changes)
def test_an_invoice_is_refused_or_becomes_a_valid_document(made_of, changed):
    """Valid to the official schema; its number, total and parties are read as they were."""
    made = polish.invoice(*made_of, **changed)
    try:
        document = form.write(form.adapt(made).invoice)
    except InvalidField:
        return
    assert official.errors(document) == []
    first = form.read_document(document)
    assert form.read_document(form.write(form.adapt(first).invoice)) == first
    assert first.totals.payable * _sign(first, made) == made.totals.payable
    assert len(first.lines) >= len(made.lines) or made.type_code == "386"


def _sign(first, made) -> Decimal:
    """-1 for a correction with a negative total, which is read as a credit note."""
    return Decimal(1 if first.kind == made.kind else -1)
