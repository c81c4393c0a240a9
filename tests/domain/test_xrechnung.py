"""XRechnung: what the profile changes in an invoice, and the Leitweg-ID of German public buyers."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from einvoice.documents.profiles import XRECHNUNG
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.identifiers import XRECHNUNG_CUSTOMIZATION
from einvoice.domain.invoice import DocumentKind
from einvoice.rules import Choice, ChosenBy, built_in
from einvoice.validation import Light, findings, judge

LEITWEG = "04011000-12345-03"
RECEIVER = f"0204:{LEITWEG}"
STREET = {"line1": "Hafenstraße 1", "city": "Bremen", "postalCode": "28195", "countryCode": "DE"}
CONTACT = {"name": "Erika Muster", "phone": "+49 421 123456", "email": "erika@lieferant.example"}
SUPPLIER = {"name": "Lieferant", "taxId": "DE123456788", "address": STREET, "contact": CONTACT}
COMPLETE = {
    "supplier": SUPPLIER,
    "buyer": {"name": "Amt", "address": STREET},
    "paymentMeans": {"method": "58", "iban": "DE02120300000000202051"},
    "deliveryDate": date(2026, 11, 2),
    "buyerReference": LEITWEG,
}


@pytest.fixture
def adapted(derived):
    """The invoice of a request as XRechnung; fields of the complete request may be replaced."""

    def run(receiver=RECEIVER, **changes):
        found = derived(receiver=receiver, **(COMPLETE | changes))
        return XRECHNUNG.adapt(found.invoice)

    return run


def codes(adapted) -> list[tuple[str, str]]:
    return [(warning.code, warning.field) for warning in adapted.warnings]


def test_a_complete_send_is_a_green_xrechnung(adapted):
    """Judged before it is written, and as the document."""
    made = adapted()
    choice = Choice(built_in()["xrechnung"], ChosenBy.NETWORK)
    judgement = judge(document_xml(made.invoice), on=date(2026, 11, 21))

    assert findings(made.invoice, None, date(2026, 11, 21), choice=choice).findings == ()
    assert (judgement.pack.id, judgement.light) == ("xrechnung-3.0.2-schematron-2.6.0", Light.GREEN)
    assert made.warnings == ()


@pytest.mark.parametrize(
    ("field", "without", "rule", "named"),
    [
        ("supplier", SUPPLIER | {"contact": None}, "BR-DE-2", "invoice.supplier.contact"),
        ("paymentMeans", None, "BR-DE-1", "invoice.paymentMeans"),
        ("buyer", {"name": "Amt", "address": STREET | {"city": ""}}, "BR-DE-8",
         "invoice.buyer.address.city"),
    ],
)  # fmt: skip
def test_what_a_public_buyer_needs_is_asked_for_by_its_field(adapted, field, without, rule, named):
    if field == "supplier":
        without = {name: value for name, value in without.items() if value}
    choice = Choice(built_in()["xrechnung"], ChosenBy.NETWORK)
    report = findings(adapted(**{field: without}).invoice, None, date(2026, 11, 21), choice=choice)

    assert [(found.rule_id, found.field) for found in report.errors] == [(rule, named)]


def test_the_document_types_contain_the_specification():
    types = {str(each) for each in XRECHNUNG.types.values()}

    assert all(f"##{XRECHNUNG_CUSTOMIZATION}::" in each for each in types)
    assert len(types) == 3
    assert XRECHNUNG.type_of(DocumentKind.CREDIT_NOTE).value.startswith(
        "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2::CreditNote##"
    )


def test_wrong_check_digits_of_a_leitweg_id_are_a_warning(adapted):
    made = adapted(buyerReference="04011000-12345-04")

    assert codes(made) == [("leitweg-id-check-digits-wrong", "invoice.buyerReference")]


def test_another_reference_is_a_warning_only_to_a_public_buyer(adapted):
    """Companies ask for XRechnungen too, with references of their own."""
    words = "buyer-reference-not-a-leitweg-id"

    assert codes(adapted(buyerReference="PO 17")) == [(words, "invoice.buyerReference")]
    assert codes(adapted(receiver="9930:de123456788", buyerReference="PO 17")) == []


@pytest.mark.parametrize("order", [None, "4500012345"])
def test_the_leitweg_id_of_the_receiver_stands_as_buyer_reference(adapted, order):
    """Not the number of the invoice, which the buyer does not know."""
    made = adapted(buyerReference=None, orderReference=order)

    assert made.invoice.buyer_reference == LEITWEG
    assert codes(made) == [("buyer-reference-assumed", "invoice.buyerReference")]
    assert ("buyer-reference-defaulted" in made.settled) is True


DISCOUNT = "#SKONTO#TAGE=14#PROZENT=2.00#"


@pytest.mark.parametrize(
    ("terms", "written"),
    [
        (DISCOUNT, f"{DISCOUNT}\n"),
        (f"30 days net\n {DISCOUNT}", f"30 days net\n {DISCOUNT}\n"),
        (f"{DISCOUNT}\n", f"{DISCOUNT}\n"),
        (f"{DISCOUNT}\n30 days net", f"{DISCOUNT}\n30 days net"),
        ("30 days net", "30 days net"),
    ],
)
def test_a_cash_discount_at_the_end_gets_its_line_break(adapted, terms, written):
    """BR-DE-18 requires one behind each discount, and programs trim texts."""
    made = adapted(paymentTerms=terms)
    choice = Choice(built_in()["xrechnung"], ChosenBy.NETWORK)

    assert made.invoice.payment_terms == written
    assert findings(made.invoice, None, date(2026, 11, 21), choice=choice).findings == ()


@pytest.mark.parametrize(
    ("terms", "discounts", "written"),
    [
        (None, [{"days": 14, "percent": Decimal(2)}], f"{DISCOUNT}\n"),
        ("30 days net", [{"days": 14, "percent": Decimal("2.00")}], f"30 days net\n{DISCOUNT}\n"),
        (
            None,
            [
                {"days": 0, "percent": Decimal("3.5"), "baseAmount": Decimal("-12.345")},
                {"days": 14, "percent": Decimal(2)},
            ],
            f"#SKONTO#TAGE=0#PROZENT=3.50#BASISBETRAG=-12.35#\n{DISCOUNT}\n",
        ),
        ("30 days net", [], "30 days net"),
    ],
)
def test_cash_discounts_are_written_in_their_form(adapted, terms, discounts, written):
    """Each on a line of its own, behind the text; the rules accept them."""
    made = adapted(paymentTerms=terms, cashDiscounts=discounts)
    choice = Choice(built_in()["xrechnung"], ChosenBy.NETWORK)

    assert made.invoice.payment_terms == written
    assert findings(made.invoice, None, date(2026, 11, 21), choice=choice).findings == ()


@pytest.mark.parametrize(("percent", "warned"), [("2.125", True), ("2.10", False)])
def test_a_rounded_percentage_is_a_warning(derived, percent, warned):
    found = derived(cashDiscounts=[{"days": 14, "percent": Decimal(percent)}])

    codes_found = [warning.code for warning in found.warnings]
    assert ("cash-discount-rounded" in codes_found) is warned
