"""E-reports: their periods, what belongs into them, and documents valid by the official rules."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from lxml import etree

from einvoice.domain.environments import Environment
from einvoice.network.connections import Connection
from einvoice.network.period_reports import (
    PeriodContent,
    PrecedingDocument,
    ReportPeriod,
    TradeDocument,
    TradeParty,
    TradePayment,
    VatShare,
)
from einvoice_fr_ctc.reporting import regimes
from einvoice_fr_ctc.reporting.company import faults
from einvoice_fr_ctc.reporting.periods import gap_of, periods_of
from einvoice_fr_ctc.reporting.regimes import PAYMENTS, PURCHASES, SALES, Regime
from einvoice_fr_ctc.reporting.report import report_of
from tests.networks.fr import official
from tests.networks.fr.company import SELLER

DAY = date(2026, 11, 5)
GIVEN = {
    "vatRegime": "normal-monthly",
    "platformNumber": "0001",
    "reportsFrom": "2026-09-01",
    "sells": "services",
    "buys": "goods",
}
OWN = TradeParty("Vendeur SAS", "FR", f"FR32{SELLER}", SELLER, "0002")
GERMAN = TradeParty("Käufer GmbH", "DE", "DE123456789")
SWISS = TradeParty("Acheteur AG", "CH", None, "CHE-123", None)
CONSUMER = TradeParty("Jeanne Martin", "FR")


def connection(**changes: str) -> Connection:
    return Connection("c1", "t1", Environment.TEST, SELLER, GIVEN | changes)


def share(rate: str = "20", net: str = "100", **changes: object) -> VatShare:
    vat = (Decimal(net) * Decimal(rate) / 100).quantize(Decimal("0.01"))
    return replace(VatShare("S", Decimal(rate), Decimal(net), vat), **changes)


def sale(number: str = "F1", buyer: TradeParty = CONSUMER, *vat: VatShare, **changes: object):
    shares = vat or (share(),)
    made = TradeDocument(
        f"id-{number}", False, number, DAY, "380", "EUR", OWN, buyer,
        sum((each.taxable for each in shares), Decimal(0)),
        sum((each.tax for each in shares), Decimal(0)), shares,
    )  # fmt: skip
    return replace(made, **changes)


def purchase(number: str = "P1", seller: TradeParty = GERMAN, **changes: object) -> TradeDocument:
    free = share("0", category="K", reason="Intra-community", reason_code="VATEX-EU-IC")
    return sale(number, OWN, free, **({"received": True, "seller": seller} | changes))


def report(kind: str, *documents: TradeDocument, payments=(), given=None, **changes: object):
    period = ReportPeriod(kind, date(2026, 11, 1), date(2026, 11, 10), date(2026, 11, 16),
                          date(2026, 11, 20))  # fmt: skip
    content = PeriodContent(
        given or connection(), period, "Vendeur SAS", datetime(2026, 11, 16, 9, tzinfo=UTC), 0,
        False, True, documents, tuple(payments),
    )  # fmt: skip
    return report_of(replace(content, **changes))


def texts(made, path: str) -> list[str]:
    return [each.text or "" for each in etree.fromstring(made.message.document).iterfind(path)]


REVERSE = {"category": "AE", "reason": "Autoliquidation", "reason_code": "VATEX-EU-AE"}
CREDIT = {"type_code": "381", "is_credit": True}
REFERENCE = (PrecedingDocument("F0", date(2026, 10, 1)),)
EXEMPT = {"category": "E", "reason": "Art. 261", "reason_code": "VATEX-FR-FRANCHISE"}
VALID = {
    "consumers by rate": (SALES, [sale(), sale("F2", CONSUMER, share("5.5"), share("20"))]),
    "consumers taking back": (SALES, [sale(), sale("A1", CONSUMER, share(net="40"), **CREDIT)]),
    "margin": (SALES, [sale("F1", CONSUMER, share("0", reason_code="VATEX-EU-F"))]),
    "outside of VAT": (SALES, [sale("F1", CONSUMER, share("0", category="O"))]),
    "a company in the EU": (SALES, [sale("F1", GERMAN, share("0", **REVERSE))]),
    "a company outside": (SALES, [sale("F1", SWISS, share("0", category="G"))]),
    "exempt": (SALES, [sale("F1", GERMAN, share("0", **EXEMPT))]),
    "a credit note abroad": (SALES, [sale("A1", GERMAN, share("0", **REVERSE), **CREDIT,
                                          preceding=REFERENCE)]),
    "in dollars": (SALES, [sale("F1", SWISS, share("20"), currency="USD",
                                accounting_currency="EUR",
                                tax_in_accounting_currency=Decimal("18.20"))]),
    "with all dates": (SALES, [sale("F1", GERMAN, due_date=DAY, delivered_on=DAY,
                                    tax_point_code="72", representative_vat_id="DE987654321")]),
    "seller without VAT number": (SALES, [sale("F1", GERMAN, seller=replace(OWN, vat_id=None))]),
    "both at once": (SALES, [sale(), sale("F2", GERMAN, share("0", **REVERSE))]),
    "purchase in the EU": (PURCHASES, [purchase()]),
    "purchase outside": (PURCHASES, [purchase("P1", SWISS)]),
}  # fmt: skip


@official.needed
@pytest.mark.parametrize("name", VALID)
def test_a_report_is_valid_by_schema_and_rules(name):
    kind, documents = VALID[name]
    made = report(kind, *documents)

    assert made.left_out == ()
    assert made.documents == len(documents)
    assert official.e_report_faults(made.message.document) == []


@official.needed
def test_a_report_of_payments_is_valid():
    consumer, company = sale(), sale("F2", GERMAN, share("20"), share("5.5"))
    paid = [
        TradePayment("p1", consumer, Decimal(120), DAY),
        TradePayment("p2", company, Decimal(100), DAY),
        TradePayment("p3", company, Decimal("50.5"), date(2026, 11, 6)),
    ]
    made = report(PAYMENTS, payments=paid)

    assert official.e_report_faults(made.message.document) == []
    assert made.documents == 3
    assert texts(made, ".//InvoiceID") == ["F2", "F2"]
    assert texts(made, ".//Transactions//Amount") == ["120.00"]


@official.needed
def test_the_official_rules_find_what_is_wrong():
    made = report(SALES, sale()).message.document

    assert official.e_report_faults(made.replace(b">TPS1<", b">TPS9<"))
    assert official.e_report_faults(made.replace(b"<Transactions>", b"<Transaction>", 1).replace(
        b"</Transactions>", b"</Transaction>", 1))  # fmt: skip


def test_sales_of_a_day_to_consumers_are_one_entry():
    """Credit notes are taken off, and each day, currency and category is its own."""
    made = report(
        SALES,
        sale("F1"),
        sale("A1", CONSUMER, share(net="30"), **CREDIT),
        sale("F2", CONSUMER, share("5.5"), process="B1"),
        sale("F3", issue_date=date(2026, 11, 6)),
    )

    assert texts(made, ".//Transactions/CategoryCode") == ["TLB1", "TPS1", "TPS1"]
    assert texts(made, ".//Transactions/TaxExclusiveAmount") == ["100.00", "70.00", "100.00"]
    assert texts(made, ".//Transactions/TransactionsCount") == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (sale("F1", TradeParty("Acheteur", "FR", "FR00200000008", "200000008")), SALES),
        (sale("F1", GERMAN, seller=replace(OWN, legal_id="300000007", vat_id=None)), SALES),
        (sale("F1", CONSUMER, notes=(("BAR", "OUTOFSCOPE"),)), SALES),
        (sale("F1", CONSUMER, issue_date=date(2026, 8, 31)), SALES),
        (purchase(seller=replace(OWN, legal_id="200000008")), PURCHASES),
        (replace(purchase(), tax=Decimal(21)), PURCHASES),
    ],
    ids=["in France", "of another company", "out of scope", "before", "at home", "taxed abroad"],
)
def test_what_is_not_to_be_reported_is_in_no_report(document, kind):
    made = report(kind, document, is_only=False)

    assert (made.message, made.left_out) == (None, ())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"number": "F#1"}, "number"),
        ({"number": "F" * 36}, "number"),
        ({"type_code": "326"}, "type 326"),
        ({"type_code": "384"}, "corrects one invoice"),
        ({"type_code": "381"}, "credit note"),
        ({"buyer": replace(GERMAN, vat_id=None, legal_id="HRB 1")}, "no VAT number"),
        ({"buyer": replace(SWISS, country=None)}, "no country"),
        ({"vat": (share("21"),)}, "21 % is no VAT rate"),
        ({"vat": (share("0", category="E"),)}, "exemption"),
        ({"vat": (share("20", category="L"),)}, "category L"),
        ({"currency": "USD"}, "in euro"),
        ({"process": "B4", "type_code": "386"}, "advance"),
    ],
)
def test_a_document_that_cannot_be_reported_is_named_and_holds_back_no_other(changes, reason):
    good, wrong = sale("F2", GERMAN), replace(sale("F1", GERMAN), **changes)
    made = report(SALES, wrong, good)

    assert texts(made, ".//Invoice/ID") == ["F2"]
    assert [each.document_id for each in made.left_out] == ["id-F1"]
    assert reason in made.left_out[0].reason


@pytest.mark.parametrize(
    ("changes", "reason"), [({}, "goods or services"), ({"process": "M1"}, "apart")]
)
def test_the_nature_of_a_sale_is_never_guessed(changes, reason):
    made = report(SALES, sale(**changes), given=connection(sells=""))

    assert made.message is None
    assert reason in made.left_out[0].reason


@pytest.mark.parametrize(
    ("document", "is_reported"),
    [
        (sale(), True),
        (sale(process="M1"), True),
        (sale(process="B1"), False),
        (sale(tax_point_code="5"), False),
        (sale("F1", GERMAN, share("0", **REVERSE)), False),
        (sale("F1", replace(GERMAN, country="FR", legal_id="200000008")), False),
    ],
    ids=["services", "both", "goods", "on debits", "reverse charge", "in France"],
)
def test_payments_are_of_services_whose_vat_is_due_then(document, is_reported):
    made = report(PAYMENTS, payments=[TradePayment("p1", document, Decimal(10), DAY)])

    assert (made.message is not None) is is_reported


def test_a_payment_taken_back_is_taken_off_the_day():
    paid = [TradePayment(f"p{i}", sale(), Decimal(each), DAY) for i, each in enumerate((120, -20))]
    made = report(PAYMENTS, payments=paid)
    negative = report(PAYMENTS, payments=paid[1:])

    assert texts(made, ".//Amount") == ["100.00"]
    assert negative.message is None
    assert "taken back" in negative.left_out[0].reason


def test_the_digest_is_of_what_is_said_only():
    first, again = report(SALES, sale()), report(SALES, sale(), number=1, corrects=True)
    other = report(SALES, sale("F1", CONSUMER, share(net="101")))

    assert first.digest == again.digest != other.digest
    assert (texts(first, ".//TypeCode"), texts(again, ".//TypeCode")) == (["IN"], ["RE"])
    assert first.message.key != again.message.key


DUE = {
    (Regime.NORMAL_MONTHLY, SALES): [("11-01", "11-10", "11-20"), ("11-11", "11-20", "11-30"),
                                     ("11-21", "11-30", "12-10")],
    (Regime.NORMAL_MONTHLY, PAYMENTS): [("11-01", "11-30", "12-10")],
    (Regime.NORMAL_QUARTERLY, PURCHASES): [("11-01", "11-30", "12-10")],
    (Regime.SIMPLIFIED, SALES): [("11-01", "11-30", "12-30")],
    (Regime.EXEMPT, PAYMENTS): [("11-01", "12-31", "01-30")],
}  # fmt: skip


@pytest.mark.parametrize(("regime", "kind"), DUE)
def test_each_regime_has_its_periods(regime, kind):
    found = regimes.periods(regime, kind, date(2026, 11, 1), date(2026, 11, 30))
    days = [(each.start, each.end, each.due_on) for each in found]

    assert [tuple(f"{day:%m-%d}" for day in each) for each in days] == DUE[regime, kind]


@pytest.mark.parametrize("regime", Regime)
@pytest.mark.parametrize("kind", regimes.KINDS)
def test_periods_follow_each_other_without_a_gap(regime, kind):
    found = list(regimes.periods(regime, kind, date(2027, 1, 1), date(2028, 12, 31)))
    later = zip(found[1:], found, strict=False)

    assert all((one.start - before.end).days == 1 for one, before in later)
    assert all(each.end < each.send_on < each.due_on for each in found)


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, None),
        ({"vatRegime": "monthly"}, "vatRegime"),
        ({"platformNumber": ""}, "platformNumber"),
        ({"platformNumber": "12"}, "4 characters"),
        ({"reportsFrom": "tomorrow"}, "reportsFrom"),
        ({"sells": "cars"}, "sells"),
    ],
)
def test_the_values_of_a_connection_are_checked(changes, fault):
    found = next(faults(connection(**changes)), None)

    assert fault is None if found is None else fault in found


def test_a_company_without_a_regime_reports_nothing_and_is_asked_for_it_before_the_date():
    unsaid = connection(vatRegime="", reportsFrom="")
    today = date(2026, 11, 24)

    assert list(periods_of(unsaid, date(2026, 9, 1), today)) == []
    assert gap_of(unsaid, today) is None
    assert "2027-09-01" in gap_of(unsaid, date(2027, 7, 15))
    assert gap_of(connection(), today) is None
    assert "sells" in gap_of(connection(sells=""), today)
