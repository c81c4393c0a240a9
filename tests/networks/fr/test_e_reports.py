"""E-reports of a French company: collected from what goes other ways, sent once, and corrected."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from lxml import etree

from einvoice import clock
from einvoice.cli import doctor_work
from einvoice.services.connections import accounts
from einvoice.services.delivery import transmit
from einvoice.services.reporting import rounds
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Event, PeriodReport
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER, send_body
from tests.networks.fr import company, judging, official
from tests.networks.fr.selling import BUYER, SUPPLIER, connect
from tests.web.caller import Caller, slug
from tests.web.pages.test_isolation import Person
from tests.workers import claimed

REPORTING = {
    "vatRegime": "normal-monthly",
    "platformNumber": "0001",
    "reportsFrom": "2026-09-01",
    "sells": "services",
    "buys": "services",
}
GERMAN = {
    "name": "Käufer GmbH",
    "taxId": "DE123456789",
    "address": {"line1": "Weg 1", "city": "Köln", "postalCode": "50667", "countryCode": "DE"},
}
CONSUMER = {"name": "Jeanne Martin", "address": BUYER["address"]}


@pytest.fixture
def move(monkeypatch):
    """Moves the clock, which begins in a known period."""
    moved = [datetime(2026, 11, 24, 9, tzinfo=UTC)]
    monkeypatch.setattr(clock, "now", lambda: moved[0])

    def _move(**by: float) -> None:
        moved[0] += timedelta(**by)

    return _move


@pytest.fixture
def seller(app, service, move):
    caller = Caller(app)
    caller.connection = connect(caller, service, company.SELLER, **REPORTING)
    return caller


def sell(caller, move, buyer, **changes) -> str:
    """An invoice that goes another way than through the platform; its id."""
    body = send_body(caller.reference(RECEIVER), supplier=SUPPLIER, buyer=buyer, **changes)
    body["invoice"] = json.loads(
        json.dumps(body["invoice"]).replace("21.0", "20.0").replace("121.0", "120.0")
    )
    answer = caller.send(body)
    assert answer.status_code == 200, answer.text
    for _ in range(3):
        caller.work()
        move(seconds=30)
    return answer.json["invoiceId"]


def make_round(caller, move, **later) -> None:
    """A round of reports, after this time, and the delivery of what it sends."""
    move(**(later or {"seconds": 1}))
    with caller.app.app_context():
        parts = runtime_of(caller.app)
        rounds.schedule(parts)
        with db.writing() as connection:
            outbox.make_due(connection, rounds.PREFIX + caller.connection, clock.now())
        rounds.run(*claimed(outbox.CHORES, caller.tenant, kind=outbox.REPORT), parts)
    for _ in range(2):
        move(seconds=90)
        with caller.app.app_context():
            ids, token = claimed(outbox.CHORES, caller.tenant, kind=outbox.MESSAGE)
            transmit.advance(ids, token, runtime_of(caller.app))


def reported(platform) -> list[etree._Element]:
    return [etree.fromstring(e.content) for e in platform.flows.values() if e.syntax == "FRR"]


def rows(caller):
    with caller.app.app_context(), db.reading() as connection:
        query = sa.select(
            PeriodReport.kind, PeriodReport.number, PeriodReport.documents, PeriodReport.message_id
        ).where(PeriodReport.tenant_id == caller.tenant, PeriodReport.documents > 0)
        ordered = query.order_by(PeriodReport.starts_on, PeriodReport.kind, PeriodReport.number)
        return [(kind, number, count, message is not None)
                for kind, number, count, message in connection.execute(ordered)]  # fmt: skip


def listed(caller):
    return caller.get("/api/period-reports").json["items"]


@official.needed
def test_sales_to_consumers_and_abroad_are_reported_once_when_the_period_has_ended(
    seller, move, platform, service
):
    """Valid by schema and rules, through the same interface; a second round sends nothing."""
    sell(seller, move, GERMAN)
    sell(seller, move, CONSUMER)
    make_round(seller, move)
    before = rows(seller)
    make_round(seller, move, days=13)
    make_round(seller, move, hours=6)

    (report,) = reported(platform)
    assert before == [("sales", 0, 2, False)]
    assert rows(seller) == [("sales", 0, 2, True)]
    assert official.e_report_faults(etree.tostring(report)) == []
    assert report.findtext(".//TypeCode") == "IN"
    assert len(report.findall(".//Invoice")) == len(report.findall(".//Transactions")) == 1
    assert judging.faults(service.exchanges) == []


def test_a_sale_that_comes_late_is_reported_by_a_correction(seller, move, platform):
    sell(seller, move, CONSUMER)
    make_round(seller, move, days=13)
    sell(seller, move, CONSUMER, issueDate="2026-11-22")
    make_round(seller, move)
    make_round(seller, move, hours=6)

    first, second = reported(platform)
    assert [each.findtext(".//TypeCode") for each in (first, second)] == ["IN", "RE"]
    assert first.findtext(".//Id") != second.findtext(".//Id")
    assert len(second.findall(".//Transactions")) == 2


def test_payments_of_services_are_reported_by_the_month(seller, move, platform):
    invoice = sell(seller, move, CONSUMER)
    body = json.dumps({"amount": 60, "date": "2026-11-24"}).encode()
    path = f"/api/invoices/{invoice}/payments"
    assert seller.call("POST", path, body, Content_Type="application/json").status_code == 200
    make_round(seller, move, days=20)

    (payments,) = [each for each in reported(platform) if each.find("PaymentsReport") is not None]
    assert payments.findtext(".//Amount") == "60.00"
    assert payments.findtext(".//EndDate") == "20261130"


def test_a_report_that_the_platform_refuses_is_not_repeated_until_a_person_says_so(
    seller, move, platform
):
    sell(seller, move, CONSUMER)
    platform.judge = lambda _: ["refused"]
    make_round(seller, move, days=13)
    make_round(seller, move, hours=6)
    assert rows(seller) == [("sales", 0, 1, True)]
    with seller.app.app_context(), db.reading() as connection:
        query = sa.select(Event.payload).where(Event.type == "periodReport.refused")
        (payload,) = connection.execute(query).scalars()
    assert (payload["kind"], "refused" in payload["reason"]) == ("sales", True)

    platform.judge = lambda _: []
    shown = next(each for each in listed(seller) if each["documents"])
    assert (shown["status"], shown["kind"]) == ("refused", "sales")
    path = f"/api/period-reports/{shown['reportId']}"
    assert seller.call("POST", f"{path}/repeat").status_code == 200
    assert seller.get(f"{path}/document").data.startswith(b"<?xml")
    make_round(seller, move, hours=6)

    assert rows(seller) == [("sales", 0, 1, True), ("sales", 1, 1, True)]
    assert [each.findtext(".//TypeCode") for each in reported(platform)] == ["IN", "IN"]


def test_what_goes_through_the_platform_or_belongs_to_another_tenant_is_not_collected(
    seller, app, move, platform
):
    other = Caller(app)
    sell(other, move, CONSUMER)
    sell(seller, move, BUYER)
    make_round(seller, move, days=13)

    assert reported(platform) == []
    assert rows(seller) == []


def test_a_connection_without_a_regime_collects_and_reports_when_it_has_one(
    app, service, move, platform
):
    """From the first day on, also where the bytes of the documents are gone by then."""
    caller = Caller(app)
    caller.connection = connect(caller, service, company.SELLER)
    sell(caller, move, CONSUMER)
    make_round(caller, move)
    assert rows(caller) == []
    with app.app_context():
        accounts.change(
            caller.tenant, caller.connection, runtime_of(app), credentials=dict(REPORTING)
        )
    make_round(caller, move, days=13)

    assert rows(caller) == [("sales", 0, 1, True)]


def test_what_is_left_out_is_shown_before_the_report_is_due(seller, move):
    """At the API, on the page and to the operator; an open report has no document yet."""
    invoice = sell(seller, move, {**GERMAN, "taxId": None, "companyId": "HRB 1"})
    make_round(seller, move)
    (shown,) = [each for each in listed(seller) if each["leftOut"]]
    path = f"/api/period-reports/{shown['reportId']}"

    assert shown["status"] == "open"
    assert [each["invoiceId"] for each in shown["leftOut"]] == [invoice]
    assert "no VAT number" in shown["leftOut"][0]["reason"]
    assert slug(seller.get(f"{path}/document")) == "conflict"
    assert slug(seller.call("POST", f"{path}/repeat")) == "conflict"
    page = Person(seller.app, seller.tenant).ask("GET", "/dashboard/connections/reports")
    assert "no VAT number" in page.text
    with seller.app.app_context():
        problems = [str(each) for each in doctor_work.check_period_reports()]
    assert any("leaves out 1 documents" in each for each in problems), problems


def test_a_report_that_is_late_is_a_problem_for_operators(seller, move, platform):
    sell(seller, move, CONSUMER)
    platform.judge = lambda _: ["refused"]
    make_round(seller, move, days=13)
    move(days=6)
    with seller.app.app_context():
        (problem,) = doctor_work.check_period_reports()

    assert problem.serious
    assert "is refused and was due on 2026-12-10" in problem.message


def test_the_operator_is_told_before_the_date_which_connections_cannot_report(app, service, move):
    caller = Caller(app)
    connect(caller, service, company.SELLER, reportsFrom="2026-12-01")
    parts = runtime_of(app)
    with app.app_context():
        found = list(doctor_work.reporting_gaps(parts.access_points, parts.settings))

    assert ["vatRegime" in each.message for each in found] == [True]
