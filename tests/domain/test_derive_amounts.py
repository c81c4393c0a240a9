"""Decisions 17.11 to 17.13: lines, VAT categories, and amounts in cents that add up."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from einvoice.domain.derive.header import delivery
from einvoice.domain.invoice import Address, Delivery, Identifier, Party, Period

D = Decimal


def codes(result):
    return [warning.code for warning in result.warnings]


def amount(value: str, **more: object) -> dict[str, object]:
    return {"amount": D(value)} | more


# -- lines ----------------------------------------------------------------------------------------


def test_lines_are_numbered_and_priced(derived, a_line):
    """Decisions 17.11: unit C62 unless named, every decimal of the price is kept."""
    lines = derived(
        a_line("3", "0.12345678", "0"), a_line("1", "2.50", "0", unitCode="HUR")
    ).invoice.lines

    assert [(ln.id, ln.quantity, ln.unit, str(ln.price.net)) for ln in lines] == [
        ("1", 3, "C62", "0.12345678"),
        ("2", 1, "HUR", "2.50"),
    ]


@pytest.mark.parametrize(
    ("quantity", "price", "expected"),
    [
        ("1", "-10", (-1, 10, -10)),
        ("-1", "-10", (1, 10, 10)),
        ("-1", "10", (-1, 10, -10)),
        ("0", "-10", (0, 10, 0)),
        ("1", "0", (1, 0, 0)),
    ],
)
def test_a_negative_price_negates_the_quantity(derived, a_line, quantity, price, expected):
    """Decisions 17.11, BR-27: the amount does not change."""
    [line] = derived(a_line(quantity, price, "0")).invoice.lines

    assert (line.quantity, line.price.net, line.extension) == expected
    assert "-0" not in (str(line.quantity), str(line.price.net))


LONG = "x" * 99 + " " + "y" * 20


@pytest.mark.parametrize(
    ("sent", "name", "description"),
    [
        ({"description": "x" * 100}, "x" * 100, None),
        ({"description": "x" * 101}, "x" * 100, "x" * 101),
        ({"description": LONG}, "x" * 99, LONG),
        ({"description": "Long story", "name": "Short"}, "Short", "Long story"),
        ({"description": "Long story", "name": ""}, "Long story", None),
    ],
)
def test_a_long_description_is_kept_beside_its_name(derived, a_line, sent, name, description):
    """Decisions 17.11."""
    [line] = derived(a_line() | sent).invoice.lines

    assert (line.item.name, line.item.description) == (name, description)


def test_optional_fields_of_a_line_are_mapped(derived, a_line):
    """Decisions 18."""
    [line] = derived(
        a_line(
            sellerItemId="S",
            buyerItemId="B",
            standardItemId={"scheme": "0160", "id": "9506000134352"},
            classifications=[{"scheme": "STI", "value": "43211503"}],
            note="N",
            period={"startDate": date(2026, 11, 1)},
            orderLineReference="7",
            accountingCost="C",
            originCountry="SE",
            priceBaseQuantity=D(10),
            unitCode="KGM",
        )
    ).invoice.lines

    assert (line.item.seller_id, line.item.buyer_id) == ("S", "B")
    assert line.item.standard_id == Identifier("9506000134352", "0160")
    assert line.item.classifications == (Identifier("43211503", "STI"),)
    assert line.item.origin_country == "SE"
    assert (line.note, line.order_line, line.accounting_cost) == ("N", "7", "C")
    assert line.period == Period(start=date(2026, 11, 1))
    assert (line.price.base_quantity, line.price.base_unit) == (10, "KGM")


def test_allowances_and_charges_of_a_line(derived, a_line):
    line = a_line(
        "1",
        "100",
        "21",
        allowances=[amount("10", reason="Discount", reasonCode="95")],
        charges=[amount("1.5")],
    )

    [written] = derived(line).invoice.lines

    assert written.extension == D("91.50")
    assert [(a.charge, str(a.amount), a.reason, a.reason_code) for a in written.adjustments] == [
        (False, "10.00", "Discount", "95"),
        (True, "1.50", None, None),
    ]
    assert {a.category for a in written.adjustments} == {None}


@pytest.mark.parametrize(("kind", "charge"), [("allowances", False), ("charges", True)])
def test_percentage_and_base_amount_are_written_as_sent(derived, a_line, kind, charge):
    """BT-93, 94, 100, 101 and 137, 138, 142, 143: decimals are the rules' matter, never cut."""
    told = amount("5", percent=D("15.93303"), baseAmount=D("31.381"), reason="Bonus")
    invoice = derived(a_line(**{kind: [told]}), **{kind: [told]}).invoice
    [of_line], [of_document] = invoice.lines[0].adjustments, invoice.adjustments

    for entry in (of_line, of_document):
        assert (entry.charge, entry.percentage, entry.base_amount) == (
            charge, D("15.93303"), D("31.381"),
        )  # fmt: skip


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ({}, (None, None)),
        ({"priceBaseQuantity": D(10)}, (D(10), "HUR")),
        ({"priceBaseQuantity": D(10), "priceBaseUnitCode": "MIN"}, (D(10), "MIN")),
        ({"priceBaseUnitCode": "MIN"}, (D(1), "MIN")),
    ],
)
def test_the_base_quantity_has_the_unit_of_the_line_unless_one_is_sent(
    derived, a_line, sent, written
):
    price = derived(a_line(unitCode="HUR", **sent)).invoice.lines[0].price

    assert (price.base_quantity, price.base_unit) == written


@pytest.mark.parametrize(("kind", "charge"), [("allowances", False), ("charges", True)])
def test_a_line_may_have_allowances_or_charges_alone(derived, a_line, kind, charge):
    [line] = derived(a_line(**{kind: [amount("10")]})).invoice.lines

    assert [(entry.charge, entry.amount) for entry in line.adjustments] == [(charge, D("10.00"))]


# -- VAT categories -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rate", "given", "code", "written_rate"),
    [
        ("21", None, "S", 21),
        ("0.01", None, "S", D("0.01")),
        ("0", None, "Z", 0),
        ("0", "", "Z", 0),
        ("0", "AE", "AE", 0),
        ("7", "L", "L", 7),
        ("0", "O", "O", None),
        ("5", "O", "O", 5),
    ],
)
def test_the_category_is_sent_or_follows_from_the_rate(
    derived, a_line, rate, given, code, written_rate
):
    """Decisions 17.12; a rate that contradicts the category is left to the rules."""
    more = {} if given is None else {"taxCategory": given}

    invoice = derived(a_line("1", "10", rate, **more)).invoice

    category = invoice.lines[0].item.category
    assert (category.code, category.rate) == (code, written_rate)
    assert invoice.taxes[0].category == category


@pytest.mark.parametrize(
    ("line", "invoice_wide", "expected"),
    [
        ({"taxCategory": "AE"}, None, ("VATEX-EU-AE", None)),
        ({"taxCategory": "K"}, None, ("VATEX-EU-IC", None)),
        ({"taxCategory": "G"}, None, ("VATEX-EU-G", None)),
        ({"taxCategory": "O"}, None, ("VATEX-EU-O", None)),
        ({"taxCategory": "E"}, None, (None, None)),
        ({"taxCategory": "Z"}, {"reason": "Books"}, (None, None)),
        ({"taxCategory": "Z"}, {"reasonCode": "VATEX-EU-G", "reason": "Books"}, (None, None)),
        (
            {"taxCategory": "Z"},
            {"reasonCode": "VATEX-SA-32", "reason": "Export"},
            ("VATEX-SA-32", "Export"),
        ),
        ({}, {"reason": "Books"}, (None, "Books")),
        ({"taxCategory": "E"}, {"reason": "Health care"}, (None, "Health care")),
        ({"taxCategory": "AE"}, {"reason": "Reverse charge"}, (None, "Reverse charge")),
        (
            {"taxCategory": "E", "taxExemption": {"reasonCode": "VATEX-EU-132"}},
            {"reason": "Health care"},
            ("VATEX-EU-132", None),
        ),
        ({"taxCategory": "AE", "taxExemption": {"reason": ""}}, {}, ("VATEX-EU-AE", None)),
    ],
)
def test_an_exemption_has_a_reason(derived, a_line, line, invoice_wide, expected):
    """Decisions 17.12: from the line, the invoice, or else the default of the category."""
    [tax] = derived(a_line("1", "10", "0", **line), taxExemption=invoice_wide).invoice.taxes

    assert (tax.exemption_code, tax.exemption_reason) == expected


@pytest.mark.parametrize(
    ("buyer_country", "line", "warned"),
    [
        ("DE", {}, True),
        ("BE", {}, False),
        ("DE", {"taxCategory": "Z"}, False),
        ("DE", {"taxExemption": {"reasonCode": "VATEX-SA-32"}}, False),
        ("DE", {"taxRate": D(21)}, False),
        (None, {}, False),
    ],
)
def test_a_zero_rate_across_a_border_is_warned_about(derived, a_line, buyer_country, line, warned):
    """Decisions 17.12: probably AE, K or G."""
    buyer = {"name": "Buyer", "address": {"countryCode": buyer_country or ""}}

    result = derived(a_line("1", "10", "0") | line, buyer=buyer)

    assert ("zero-rate-category-assumed" in codes(result)) is warned


def test_intra_community_supply_has_a_delivery_date_and_country(derived, a_line):
    """Decisions 17.12, BR-IC-11 and BR-IC-12: default issue date and the buyer's country."""
    line = a_line("1", "10", "0", taxCategory="K")

    defaulted = derived(line).invoice.delivery
    sent = derived(
        line, deliveryDate=date(2026, 11, 1), deliveryAddress={"city": "Graz", "countryCode": "AT"}
    ).invoice.delivery

    assert defaulted is not None
    assert (defaulted.date, defaulted.address.country) == (date(2026, 11, 21), "DE")
    assert (sent.date, sent.address.city, sent.address.country) == (date(2026, 11, 1), "Graz", "AT")


@pytest.mark.parametrize("buyer", [Party("Buyer"), Party("Buyer", address=Address(city="Graz"))])
def test_a_delivery_country_is_not_invented(buyer):
    """A buyer without a country leaves it out, and a rule reports it (BR-IC-12)."""
    warnings = []

    found = delivery({"issueDate": date(2026, 11, 21)}, buyer, True, warnings)

    assert found == Delivery(date=date(2026, 11, 21), address=Address())
    assert [warning.code for warning in warnings] == ["delivery-date-assumed"]


# -- money ----------------------------------------------------------------------------------------


def test_amounts_have_two_decimals_and_groups_follow_the_first_line(derived, a_line):
    invoice = derived(
        a_line("2", "50", "21"), a_line("1", "10", "6"), a_line("1", "1.5", "21.0")
    ).invoice

    assert [str(line.extension) for line in invoice.lines] == ["100.00", "10.00", "1.50"]
    assert [
        (t.category.code, t.category.rate, str(t.taxable), str(t.tax)) for t in invoice.taxes
    ] == [
        ("S", 21, "101.50", "21.32"),
        ("S", 6, "10.00", "0.60"),
    ]
    totals = invoice.totals
    assert [
        str(v) for v in (totals.lines, totals.tax_exclusive, totals.tax, totals.tax_inclusive)
    ] == [
        "111.50",
        "111.50",
        "21.92",
        "133.42",
    ]
    assert str(totals.payable) == "133.42"
    assert (totals.prepaid, totals.rounding, totals.allowances, totals.charges) == (None,) * 4


@pytest.mark.parametrize(
    ("prices", "expected", "lines_total"),
    [
        # the sum is 0.01 short of the rounded subtotal: the line with the largest error is adjusted
        (["0.333", "0.333", "0.334"], ["0.33", "0.33", "0.34"], "1.00"),
        (["1.114", "1.114", "1.113"], ["1.12", "1.11", "1.11"], "3.34"),
        (["1.111", "1.114", "1.113"], ["1.11", "1.12", "1.11"], "3.34"),
        (["1.009", "1.006", "1.008"], ["1.01", "1.00", "1.01"], "3.02"),
        (["1.005", "1.005"], ["1.00", "1.01"], "2.01"),
        (["-1.005", "-1.005"], ["-1.00", "-1.01"], "-2.01"),
        (["0.004"] * 5, ["0.01", "0.01", "0.00", "0.00", "0.00"], "0.02"),
        (["10.005"], ["10.01"], "10.01"),
        (["1.10", "2.20"], ["1.10", "2.20"], "3.30"),
    ],
)
def test_line_amounts_add_up_to_the_rounded_subtotal(
    derived, a_line, prices, expected, lines_total
):
    """Decisions 17.13: the difference is added to the lines with the largest rounding error."""
    result = derived(*[a_line("1", price, "0") for price in prices])

    assert [str(line.extension) for line in result.invoice.lines] == expected
    assert str(result.invoice.totals.lines) == lines_total
    exact = all(D(a) == D(b) for a, b in zip(prices, expected, strict=True))
    assert ("line-amount-rounded" in codes(result)) is not exact


def test_document_allowances_and_charges_reduce_and_raise_their_group(derived, a_line):
    result = derived(
        a_line("1", "100", "21"),
        allowances=[amount("10", reason="Bonus")],
        charges=[amount("4", taxRate=D(6), reasonCode="FC")],
    )

    invoice = result.invoice
    assert [(a.charge, str(a.amount), a.category.rate) for a in invoice.adjustments] == [
        (False, "10.00", 21),
        (True, "4.00", 6),
    ]
    assert [(t.category.rate, str(t.taxable), str(t.tax)) for t in invoice.taxes] == [
        (21, "90.00", "18.90"),
        (6, "4.00", "0.24"),
    ]
    totals = invoice.totals
    assert (str(totals.allowances), str(totals.charges)) == ("10.00", "4.00")
    assert (totals.lines, totals.tax_exclusive, totals.payable) == (100, 94, D("113.14"))


def test_fractions_of_a_cent_in_allowances_still_add_up(derived, a_line):
    """BR-CO-13: lines - allowances + charges is the total without VAT, in cents."""
    invoice = derived(
        a_line("1", "10.004", "0"), a_line("1", "10.004", "0"), allowances=[amount("0.004")]
    ).invoice

    totals = invoice.totals
    assert totals.tax_exclusive == D("20.00")
    assert totals.lines - totals.allowances == totals.tax_exclusive
    assert sum(line.extension for line in invoice.lines) == totals.lines


@pytest.mark.parametrize(
    ("count", "tax", "rounding"),
    [
        # each line's tax of 0.005 becomes 0.01; on the sum half of it
        (199, "1.99", None),
        (200, "1.00", "1.00"),
        (400, "2.00", "2.00"),
    ],
)
def test_tax_per_line_may_differ_from_tax_of_the_sum_by_less_than_one(
    derived, a_line, count, tax, rounding
):
    """Decisions 17.13: from 1.00 on the document has the computed tax, and a rounding amount."""
    result = derived(*[a_line("1", "0.05", "10") for _ in range(count)])

    totals = result.invoice.totals
    assert str(totals.tax) == tax
    assert totals.rounding == (None if rounding is None else D(rounding))
    assert totals.payable == D("0.05") * count + D("0.01") * count
    assert totals.payable == totals.tax_inclusive + (totals.rounding or 0)
    assert ("line-amount-rounded" in codes(result)) is (rounding is not None)


@pytest.mark.parametrize(
    ("prepaid", "written", "payable"),
    [
        ("0", None, "121.00"),
        ("21", "21.00", "100.00"),
        ("121", "121.00", "0.00"),
        ("200", "200.00", "-79.00"),
    ],
)
def test_the_prepaid_amount_reduces_the_payable_amount(derived, a_line, prepaid, written, payable):
    """Decisions 17.13: payable = grandTotal - prepaidAmount."""
    totals = derived(a_line("1", "100", "21"), totals={"prepaidAmount": D(prepaid)}).invoice.totals

    assert (None if totals.prepaid is None else str(totals.prepaid)) == written
    assert str(totals.payable) == payable
    assert totals.rounding is None


# -- assumptions (decisions 20.3) -----------------------------------------------------------------

K_LINE = {"taxCategory": "K"}


@pytest.mark.parametrize(
    ("line", "sent", "expected"),
    [
        (
            K_LINE,
            {},
            {
                "delivery-date-assumed": "invoice.deliveryDate",
                "delivery-country-assumed": "invoice.deliveryAddress.countryCode",
                "exemption-reason-assumed": "invoice.taxExemption.reasonCode",
            },
        ),
        (
            K_LINE,
            {
                "deliveryDate": date(2026, 11, 1),
                "deliveryAddress": {"countryCode": "AT"},
                "taxExemption": {"reasonCode": "VATEX-EU-IC"},
            },
            {},
        ),
        (
            K_LINE,
            {"taxExemption": {"reason": "Intra-community supply"}},
            {
                "delivery-date-assumed": "invoice.deliveryDate",
                "delivery-country-assumed": "invoice.deliveryAddress.countryCode",
            },
        ),
        (
            {"taxCategory": "AE"},
            {},
            {"exemption-reason-assumed": "invoice.taxExemption.reasonCode"},
        ),
        ({"taxCategory": "E"}, {}, {}),
        ({"taxCategory": "Z"}, {}, {}),
    ],
)
def test_what_is_filled_in_for_a_vat_category_is_reported(derived, a_line, line, sent, expected):
    result = derived(a_line("1", "10", "0", **line), **sent)

    about = ("delivery-", "exemption-")
    assert {w.code: w.field for w in result.warnings if w.code.startswith(about)} == expected


@pytest.mark.parametrize(
    ("prices", "field"),
    [
        (["10", "0"], None),
        (["-10", "20"], "invoice.lineItems[0].unitPrice"),
        (["10", "-1", "-2"], "invoice.lineItems[1].unitPrice"),
    ],
)
def test_a_price_whose_sign_moves_to_the_quantity_is_reported(derived, a_line, prices, field):
    result = derived(*[a_line("1", price) for price in prices])

    found = [w.field for w in result.warnings if w.code == "negative-price-moved"]
    assert found == ([field] if field else [])
