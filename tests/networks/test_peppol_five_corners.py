"""Five corners: an invoice, the reports of both access points, and the book of the authority.

The service is both access points; the authority is the stand-in of the practice network. Messages
go by DNS, SMP and AS4.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import ExitStack, contextmanager

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from sqlalchemy import event
from werkzeug.serving import make_server

import einvoice_peppol
from einvoice.cli import application, doctor_work
from einvoice.cli import reports as commands
from einvoice.cli.demo_countries import STORIES
from einvoice.domain.errors import Conflict
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    SELF_BILLED_INVOICE,
    SELF_BILLING_PROCESS,
    ParticipantId,
)
from einvoice.domain.tax_data import ReporterRole, ReportType
from einvoice.network.sent_documents import Amendment
from einvoice.network.types import NotSent
from einvoice.services.delivery import messages
from einvoice.services.inbound import amended_reports, notices
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Outbox
from einvoice.web.runtime import runtime_of
from einvoice_peppol import configuration, entry_routes, mls, stages
from einvoice_peppol.practice import tax_authority
from einvoice_peppol.practice.tax_authority import TaxAuthority
from einvoice_peppol.tax_authorities import TAX_PROCESS, TAX_TYPES
from plugins.peppol.tests import key_files, pki, smp_servers
from plugins.peppol.tests.dns_servers import ZONE, dnsmasq, name_of
from plugins.peppol.tests.smp_servers import endpoint, group, information, path_of, signed
from tests.builders import send_body
from tests.crashes import Crash
from tests.web.caller import Caller, slug
from tests.workers import await_calls, claimed

OURS, AUTHORITY = (pki.ACCESS_POINTS.leaf(seat) for seat in ("POP000001", "POP000775"))
PUBLISHER = pki.SMPS.leaf("POP000010")
SELLER, BUYER = (ParticipantId("0245", f"202031706{digit}") for digit in (8, 9))
STRANGER = ParticipantId("9950", "SK2020317069")
FALCON, ORYX = ParticipantId("0235", "1987654321"), ParticipantId("0235", "1345678901")
MUSCAT, SALALAH = (ParticipantId("0248", f"OM123456789{digit}") for digit in (0, 1))
EXPORT, DEEMED = (ParticipantId("0235", f"990000009{digit}") for digit in (9, 7))
AUSTRIAN = ParticipantId("9915", "austria")  # whose service does not report
PARTIES = (SELLER, BUYER, STRANGER, AUSTRIAN, FALCON, ORYX, MUSCAT, SALALAH)
PRECEDING = "0a2c6d3e-7f9f-4f0e-9a52-0f1f5a7d8c11"
PROVIDER, SEAT = mls.spid_of("POP000001"), mls.spid_of("POP000775")
SLOVAK = {"line1": "Ulica 1", "city": "Bratislava", "postalCode": "81101", "countryCode": "SK"}

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def network(tmp_path):
    """An SMP that DNS names for everybody, and the settings of each access point."""
    folder = key_files.anchors(tmp_path / "anchors", pki.ACCESS_POINTS, pki.SMPS, pki.ROOT)
    with ExitStack() as stack:
        smp = stack.enter_context(smp_servers.serving())
        records = (
            f"--naptr-record={name_of(each)},100,10,U,Meta:SMP,!.*!{smp.url}!"
            for each in (*PARTIES, PROVIDER, SEAT)
        )
        dns = stack.enter_context(dnsmasq(f"--local=/{ZONE}/", *records))

        def settings(leaf, name):
            (tmp_path / name).write_bytes(key_files.as_pkcs12(leaf))
            values = {
                "KEYS": str(tmp_path / name), "PASSWORD": "secret", "ANCHORS": str(folder),
                "ZONE": ZONE, "RESOLVERS": dns, "REVOCATION": "soft", "CLOSED": True,
            }  # fmt: skip
            return {f"EINVOICE_PEPPOL_TEST_{key}": value for key, value in values.items()}

        yield smp, settings


def register(smp, participant, leaf, address, *routes):
    smp.put(path_of(participant), group(participant, *(kind for kind, _ in routes)))
    for kind, process in routes:
        content = information(
            participant, endpoint(leaf.certificate, address), document_type=kind, process=process
        )
        smp.put(path_of(participant, kind), signed(content, PUBLISHER))


@pytest.fixture
def authority(network):
    """The stand-in, at its seat; its answers are sent by `settle`."""
    smp, settings = network
    own = configuration.configured(stages.TEST, settings(AUTHORITY, "authority.p12"))
    made = TaxAuthority(own)
    server = tax_authority._Server(("127.0.0.1", 0), made)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    register(smp, SEAT, AUTHORITY, address, *((each, TAX_PROCESS) for each in TAX_TYPES.values()))
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def app(make_app, network, authority, monkeypatch):
    """The service, which reports to Slovakia, the Emirates and Oman."""
    smp, settings = network
    given = settings(OURS, "ap.p12")
    for country in ("SK", "AE", "OM"):
        given[f"EINVOICE_PEPPOL_TEST_{country}_SEAT"] = str(SEAT)
        given[f"EINVOICE_PEPPOL_TEST_{country}_SINCE"] = "2026-01-01"
    given["EINVOICE_PEPPOL_TEST_SK_AUTHORITY"] = "SK-FD"
    for name, value in given.items():
        monkeypatch.setenv(name, str(value).lower() if value is True else value)
    app = make_app([einvoice_peppol], retry_for_test=86_400)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.port}/networks/peppol-test/"
    register(smp, PROVIDER, OURS, address, (mls.DOCUMENT_TYPE, mls.PROCESS))
    routes = [(kind, BIS_BILLING_PROCESS) for kind in (BIS_INVOICE, BIS_CREDIT_NOTE)]
    routes += [(SELF_BILLED_INVOICE, SELF_BILLING_PROCESS)]
    routes += [each for each in entry_routes.OF_PARTICIPANTS.items() if "pint" in each[0].value]
    for each in PARTIES:
        register(smp, each, OURS, address, *routes)
    yield app
    server.shutdown()
    server.server_close()


@pytest.fixture
def seller(app):
    return Caller(app)


@pytest.fixture
def buyer(app):
    buyer = Caller(app)
    buyer.own(str(BUYER))
    buyer.own(str(ORYX))
    buyer.own(str(SALALAH))
    return buyer


def body(caller, receiver=BUYER, **changes):
    """A correct invoice between two Slovak parties."""
    made = caller.body(
        str(receiver),
        supplier={
            "name": "Predajca s.r.o.", "taxId": "SK2020317068", "companyId": "31333532",
            "address": SLOVAK,
        },
        buyer={"name": "Kupec a.s.", "taxId": "SK2020317069", "address": SLOVAK},
        lineItems=[{"description": "Práca", "quantity": 2, "unitPrice": 50.0, "taxRate": 23.0}],
        totals={"subtotal": 100.0, "taxAmount": 23.0, "grandTotal": 123.0},
        **changes,
    )  # fmt: skip
    made["routing"]["senderParticipantId"] = str(SELLER)
    return made


def sent(caller, **changes):
    answer = caller.send(body(caller, **changes))
    assert answer.status_code == 200, answer.text
    return answer.json["invoiceId"]


def call(app, *callers):
    """Call the access point about what it follows, and send what it returns."""
    for each in callers:
        with app.app_context():
            notices.run(*claimed(outbox.PLUGINS, each.tenant), runtime_of(app))
        await_calls()
        each.work()


def reports(caller, invoice):
    found = caller.get(f"/api/invoices/{invoice}").json["reports"]
    return [(each["reportsTo"], each["status"], each["reason"]) for each in found]


def bill_of(buyer):
    (bill,) = buyer.get("/api/invoices?direction=received").json["items"]
    return bill["invoiceId"]


@pytest.mark.parametrize("country", ["SK", "AE", "OM"])
def test_both_access_points_report_an_invoice_and_the_authority_answers(
    app, authority, seller, buyer, country
):
    """A report is open until the status of the authority, and does not hold the invoice."""
    write = {"SK": lambda caller, _: body(caller), "AE": emirati, "OM": omani}[country]
    answer = seller.send(write(seller, "B-1"))
    assert answer.status_code == 200, answer.text
    invoice = answer.json["invoiceId"]
    seller.work()
    assert seller.get(f"/api/invoices/{invoice}").json["networkStatus"] == "Delivered"
    call(app, seller, buyer)
    bill = bill_of(buyer)
    for caller, each in ((seller, invoice), (buyer, bill)):
        assert reports(caller, each) == [(country, "Processing", None)]

    first, second = authority.book.entries
    assert (first.faults, second.faults) == ((), ())
    assert {first.report.role, second.report.role} == set(ReporterRole)
    assert {first.report.type, second.report.type} == {ReportType.SUBMIT}
    assert first.document == second.document
    number = seller.get(f"/api/invoices/{invoice}").json["number"]
    assert {each.number for each in (first, second)} == {number}

    assert authority.send_answers() == 2
    for caller, each in ((seller, invoice), (buyer, bill)):
        assert reports(caller, each) == [(country, "Delivered", None)]
        assert {"TDD", "TDD_RECEIPT", "TDD_MLS"} <= caller.artefacts(each).keys()
        events = caller.get(f"/api/events?invoiceId={each}").json["items"]
        assert [e["status"] for e in events if e["eventType"] == "invoice.reported"] == [
            "Delivered"
        ]


def test_a_refused_report_needs_a_person_and_says_why(app, authority, seller, buyer):
    authority.book._judge = lambda _: ["ibr-tdd-99: the tax number of the seller is unknown"]
    invoice = sent(seller)
    seller.work()
    call(app, seller)
    authority.send_answers()

    (report,) = seller.get(f"/api/invoices/{invoice}").json["reports"]
    assert (report["status"], report["attention"]) == ("Failed", True)
    assert report["reason"].startswith("The tax authority refuses the report: ")
    assert "ibr-tdd-99: the tax number of the seller is unknown" in report["reason"]
    assert seller.get(f"/api/invoices/{invoice}").json["networkStatus"] == "Delivered"


def test_an_operator_makes_a_refused_report_again_and_withdraws_an_accepted_one(
    app, authority, seller, buyer, monkeypatch
):
    """Of both access points, by the command, with a type and key of its own each time."""
    monkeypatch.setattr(application, "application", lambda: app)

    def ran(*words):
        result = CliRunner().invoke(commands.reports, words)
        return result.output.strip()

    judge = authority.book._judge
    authority.book._judge = lambda _: ["ibr-tdd-99: unknown"]
    invoice = sent(seller)
    seller.work()
    call(app, seller, buyer)
    authority.send_answers()
    authority.book._judge = judge
    assert ran("open").splitlines()[1].split()[:3] == ["SK", "2", "2"]
    for caller, each in ((seller, invoice), (buyer, bill_of(buyer))):
        path = f"/api/invoices/{each}"
        (refused,) = caller.get(path).json["reports"]
        for refusal in (("withdraw", refused["reportId"]), ("resubmit", "msg_none")):
            assert ran(*refusal).startswith("Error: ")
        assert ran("resubmit", refused["reportId"]).startswith("msg_")
        caller.work()
        authority.send_answers()
        accepted = caller.get(path).json["reports"][-1]
        assert accepted["status"] == "Delivered"
        assert ran("withdraw", accepted["reportId"]).startswith("msg_")
        caller.work()
        authority.send_answers()

    of = [(each.report.type, each.report.role, each.accepted) for each in authority.book.entries]
    assert sorted((kind.value, ok) for kind, _, ok in of) == [
        ("resubmit", True), ("resubmit", True), ("submit", False), ("submit", False),
        ("withdraw", True), ("withdraw", True),
    ]  # fmt: skip
    assert ran("open").splitlines()[1:] == []


def test_a_report_is_amended_once_however_often_it_is_asked_for(app, authority, seller, buyer):
    """In two tabs, twice refused, and a withdrawal that is refused: the last report counts, and
    the authority is never told the same twice."""
    judge = authority.book._judge
    authority.book._judge = lambda _: ["ibr-tdd-99: unknown"]
    invoice = sent(seller)
    seller.work()
    call(app, seller, buyer)

    def answered():
        seller.work()
        authority.send_answers()
        return seller.get(f"/api/invoices/{invoice}").json["reports"][-1]

    def amended(report, how):
        with app.app_context():
            return amended_reports.amend(report, how, runtime_of(app))

    resubmit, withdraw = Amendment.RESUBMIT, Amendment.WITHDRAW
    first = answered()["reportId"]
    second = amended(first, resubmit)
    for how in (resubmit, withdraw):
        with pytest.raises(
            Conflict, match=f"{first} was followed by {second}, which is Processing"
        ):
            amended(first, how)
        with pytest.raises(Conflict, match=f"{second} is Processing"):
            amended(second, how)
    assert answered()["status"] == "Failed"
    authority.book._judge = judge
    third = amended(second, resubmit)
    assert answered()["status"] == "Delivered"
    authority.book._judge = lambda _: ["ibr-tdd-99: not yet"]
    fourth = amended(third, withdraw)
    assert (answered()["status"], answered()["reportId"]) == ("Failed", fourth)
    with pytest.raises(Conflict, match="a withdrawal that failed is withdrawn again"):
        amended(fourth, resubmit)
    authority.book._judge = judge
    fifth = amended(fourth, withdraw)
    assert answered()["status"] == "Delivered"
    for how in (resubmit, withdraw):
        with pytest.raises(Conflict, match=f"{fifth} is a withdrawal and Delivered"):
            amended(fifth, how)

    mine = [each for each in authority.book.entries if each.report.role is ReporterRole.SENDER]
    assert [(each.report.type.value, each.accepted) for each in mine] == [
        ("submit", False), ("resubmit", False), ("resubmit", True), ("withdraw", False),
        ("withdraw", True),
    ]  # fmt: skip


def test_an_authority_that_is_away_delays_no_invoice_and_loses_no_report(
    app, authority, seller, buyer, move, monkeypatch
):
    """Away for an hour, then there; answers that are sent twice change nothing."""
    point = next(iter(runtime_of(app).access_points))
    real = type(point)._endpoint

    def away(self, envelope):
        if envelope.document_type in TAX_TYPES.values():
            return NotSent("the authority is away")
        return real(self, envelope)

    with monkeypatch.context() as patch:
        patch.setattr(type(point), "_endpoint", away)
        invoices = [sent(seller) for _ in range(3)]
        seller.work()
        call(app, seller, buyer)
        move(minutes=30)
        call(app, seller, buyer)
        assert authority.book.entries == []
        found = [seller.get(f"/api/invoices/{each}").json["networkStatus"] for each in invoices]
        assert found == ["Delivered"] * 3
    move(minutes=31)
    call(app, seller, buyer)
    assert len(authority.book.entries) == 6
    waiting = list(authority.book.waiting)
    authority.send_answers()
    authority.book.waiting = waiting
    authority.send_answers()

    assert all(each.accepted for each in authority.book.entries)
    assert [reports(seller, each) for each in invoices] == [[("SK", "Delivered", None)]] * 3
    with app.app_context():
        assert list(doctor_work.check_reports()) == []


def test_an_authority_that_answers_nothing_leaves_the_report_open_and_visible(
    app, authority, seller, buyer, move
):
    invoice = sent(seller)
    seller.work()
    call(app, seller)
    move(hours=25)

    assert reports(seller, invoice) == [("SK", "Processing", None)]
    with app.app_context():
        (problem,) = doctor_work.check_reports()
    assert problem.message.startswith("1 reports to the tax authority of SK are overdue")
    move(days=2)
    seller.work()
    (report,) = seller.get(f"/api/invoices/{invoice}").json["reports"]
    assert (report["status"], report["attention"]) == ("Processing", True)


def test_a_party_without_the_id_of_its_country_is_refused_before_sending(app, seller):
    """Nothing is stored, and the problem names the field and what id it is to be."""
    refused = seller.send(body(seller, receiver=STRANGER))

    assert (refused.status_code, slug(refused)) == (400, "invalid-field")
    (error,) = refused.json["errors"]
    assert (error["pointer"], error["code"]) == (
        "/routing/receiverParticipantId", "participant-id-of-country",
    )  # fmt: skip
    assert "scheme 0245: the tax number (DIČ) of 10 digits" in error["message"]
    assert seller.stored() == 0


# -- many, with a service that dies ----------------------------------------------------------------

VIENNA = {"line1": "Gasse 1", "city": "Wien", "postalCode": "1010", "countryCode": "AT"}


def credit_note(caller, number):
    return body(caller, number=number, type="creditNote", precedingInvoice={"number": "B-1"})


def self_billed(caller, number):
    """The buyer issues and sends it."""
    return body(caller, number=number, type="selfBilledInvoice")


def abroad(caller, number):
    made = body(caller, receiver=AUSTRIAN, number=number)
    made["invoice"]["buyer"] = {"name": "Käufer GmbH", "taxId": "ATU12345675", "address": VIENNA}
    return made


def emirati(caller, number, receiver=ORYX, **changes):
    """A correct invoice of the Emirates."""
    made = send_body(caller.reference(str(receiver)), number=number)
    made["invoice"] = STORIES["AE"].changed(made["invoice"]) | changes
    made["invoice"].pop("buyerReference", None)
    made["routing"] |= {
        "senderParticipantId": str(FALCON), "receiverParticipantId": str(receiver),
    }  # fmt: skip
    return made


def emirati_credit_note(caller, number):
    preceding = {"number": "E-1", "issueDate": "2026-07-01"}
    return emirati(caller, number, type="creditNote", precedingInvoice=preceding,
                   correctionReason="DL8.61.1.A")  # fmt: skip


def emirati_self_billed(caller, number):
    """The buyer issues and sends it, so that the seller is the receiver."""
    made = emirati(caller, number, type="selfBilledInvoice")
    ends = made["invoice"]
    ends["supplier"], ends["buyer"] = ends["buyer"], ends["supplier"]
    return made


def omani(caller, number, **changes):
    """A correct invoice of Oman."""
    made = send_body(caller.reference(str(SALALAH)), number=number)
    made["invoice"] = STORIES["OM"].changed(made["invoice"]) | changes
    made["invoice"].pop("buyerReference", None)
    made["routing"] |= {
        "senderParticipantId": str(MUSCAT), "receiverParticipantId": str(SALALAH),
    }  # fmt: skip
    return made


def omani_credit_note(caller, number):
    preceding = {"number": "O-1", "issueDate": "2026-07-01", "uuid": PRECEDING}
    return omani(caller, number, type="creditNote", precedingInvoice=preceding,
                 correctionReason="VAL")  # fmt: skip


def omani_self_billed(caller, number):
    """The buyer issues and sends it, so that the seller is the receiver."""
    made = omani(caller, number, type="selfBilledInvoice")
    ends = made["invoice"]
    contact = ends["supplier"].pop("contact")
    ends["supplier"], ends["buyer"] = ends["buyer"] | {"contact": contact}, ends["supplier"]
    return made


def exported(caller, number, receiver=EXPORT):
    """To a buyer in France, in Peppol or not."""
    place = {"line1": "Rue 1", "city": "Paris", "countryCode": "FR", "region": "IDF"}
    made = emirati(caller, number, receiver, transactionTypes=["export"], deliveryAddress=place)
    buyer = {"name": "Acheteur SA", "companyId": "732829320", "address": place}
    made["invoice"]["buyer"] = made["invoice"]["buyer"] | buyer
    return made


S, R = (ReportType.SUBMIT, ReporterRole.SENDER), (ReportType.SUBMIT, ReporterRole.RECEIVER)
KINDS = {
    "domestic": (lambda caller, number: body(caller, number=number), [S, R]),
    "credit note": (credit_note, [S, R]),
    "self-billed": (self_billed, [S, R]),
    "abroad": (abroad, [S]),
    "in the Emirates": (emirati, [S, R]),
    "credit note of the Emirates": (emirati_credit_note, [S, R]),
    "self-billed in the Emirates": (emirati_self_billed, [S, R]),
    "in Oman": (omani, [S, R]),
    "credit note of Oman": (omani_credit_note, [S, R]),
    "self-billed in Oman": (omani_self_billed, [S, R]),
    "exported": (lambda caller, number: exported(caller, number, AUSTRIAN), [S]),
    "exported to a buyer who is not in Peppol": (exported, [S]),
    "deemed supply": (
        lambda caller, number: emirati(caller, number, DEEMED, transactionTypes=["deemedSupply"]),
        [S],
    ),
}


@contextmanager
def killed_before(app, statement):
    """This thread dies right before its n-th statement; those that answer others go on."""
    left, mine = [statement], threading.get_ident()

    def count(*_):
        if threading.get_ident() == mine:
            left[0] -= 1
            if left[0] < 0:
                raise Crash

    with app.app_context():
        engine = db.db.engine
    event.listen(engine, "before_cursor_execute", count)
    try:
        yield
    except Crash:
        pass
    finally:
        event.remove(engine, "before_cursor_execute", count)


def free_leases(app):
    """What a dead process has leased is due again."""
    with app.app_context(), db.writing() as connection:
        connection.execute(sa.update(Outbox).values(token=None, lease_until=None))


def everybody_works(app, callers, authority):
    call(app, *callers)
    authority.send_answers()


@pytest.mark.parametrize("count", [len(KINDS), pytest.param(2000, marks=pytest.mark.long)])
def test_every_invoice_has_exactly_the_reports_that_the_law_asks_for(
    app, authority, seller, buyer, move, monkeypatch, count
):
    """Of all kinds, with a worker that dies at every statement, calls that fail, and an authority
    that is away for an hour; nothing is lost, and nothing is reported twice."""
    austrian = Caller(app)
    austrian.own(str(AUSTRIAN))
    callers = (seller, buyer, austrian)
    point = next(iter(runtime_of(app).access_points))
    away, failing = [False], [0]
    found, made = type(point)._endpoint, messages.add

    def endpoint_of(self, envelope):
        if away[0] and envelope.document_type in TAX_TYPES.values():
            return NotSent("the authority is away")
        return found(self, envelope)

    def add(*given):
        failing[0] += 1
        if failing[0] % 5 == 3:
            raise OSError("the database is away")
        return made(*given)

    monkeypatch.setattr(type(point), "_endpoint", endpoint_of)
    monkeypatch.setattr(messages, "add", add)
    expected = {}
    for place in range(count):
        name = list(KINDS)[place % len(KINDS)]
        write, reported = KINDS[name]
        answer = seller.send(write(seller, f"F-{place}"))
        assert answer.status_code == 200, answer.text
        expected[f"F-{place}"] = reported
        if place % 4 == 3:
            away[0] = count // 3 < place < 2 * count // 3
            with killed_before(app, (place * 7) % 43):
                seller.work()
            free_leases(app)
            everybody_works(app, callers, authority)
            move(minutes=2 if count > 100 else 20)
    away[0] = False
    for _ in range(40):
        move(minutes=61)
        everybody_works(app, callers, authority)
        with app.app_context():
            left = list(amended_reports.open_reports())
        if sum(map(len, expected.values())) <= len(authority.book.entries) and not left:
            break

    reported = defaultdict(list)
    for entry in authority.book.entries:
        assert entry.accepted, entry.faults
        reported[entry.number].append((entry.report.type, entry.report.role))
    assert {each: sorted(kinds) for each, kinds in reported.items()} == {
        each: sorted(kinds) for each, kinds in expected.items()
    }
    assert left == []
