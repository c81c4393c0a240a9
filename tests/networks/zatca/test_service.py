"""Fatoora in the service: a unit, its documents, their PDF, and what blocks it."""

from __future__ import annotations

import io
from datetime import timedelta

import pikepdf
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from einvoice import clock
from einvoice.domain.roles import Role
from einvoice.network.checks import Level
from einvoice.services.connections import leaving
from einvoice.services.console import networks
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.invoices import artefacts
from einvoice.store.tables import PluginValue
from einvoice.web.runtime import runtime_of
from einvoice_zatca.verification import verify
from plugins.zatca.tests import saudi, unit
from tests.networks.zatca import judging
from tests.networks.zatca.selling import BUSINESS, CONSUMER, SUPPLIER, a_send, connect
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.pages.visitor import Visitor
from tests.workers import await_calls, claimed


def sent(seller, **invoice) -> str:
    answer = seller.send(a_send(**invoice))
    assert answer.status_code == 200, answer.text
    return answer.json["invoiceId"]


def status(seller, invoice) -> str:
    return seller.get(f"/api/invoices/{invoice}").json["networkStatus"]


def original(seller, invoice) -> bytes:
    kept = seller.artefacts(invoice)["AUTHORITY_DOCUMENT"]
    return seller.get(f"/api/invoices/{invoice}/artefacts/{kept['artefactId']}").data


def test_a_standard_invoice_is_cleared(seller, authority):
    invoice = sent(seller)
    before = seller.get(f"/api/invoices/{invoice}/pdf")
    seller.work()
    found = seller.get(f"/api/invoices/{invoice}").json
    kept = seller.artefacts(invoice)["AUTHORITY_DOCUMENT"]

    assert (before.status_code, slug(before)) == (409, "not-cleared")
    assert (found["networkStatus"], found["deliveredMeans"]) == ("Delivered", "authority")
    assert (kept["legalOriginal"], kept["retentionYears"]) == (True, 6)
    assert verify(original(seller, invoice)).counter == "1"
    assert len(authority.taken) == 1


def test_the_pdf_has_the_code_and_the_cleared_document(seller):
    invoice = sent(seller)
    seller.work()
    answer = seller.get(f"/api/invoices/{invoice}/pdf")
    with pikepdf.open(io.BytesIO(answer.data)) as made:
        attached = {name: file.get_file().read_bytes() for name, file in made.attachments.items()}

    assert attached["zatca-invoice.xml"] == original(seller, invoice)


def test_a_simplified_invoice_is_handed_out_before_it_is_reported(seller, service):
    """As soon as it is stamped; a standard one waits for its clearance."""
    service.faults = lambda path: "gateway"
    simplified, standard = sent(seller, buyer=CONSUMER), sent(seller, number="SA-2")
    before = seller.get(f"/api/invoices/{simplified}/pdf")
    seller.work()
    after, withheld = (seller.get(f"/api/invoices/{each}/pdf") for each in (simplified, standard))
    assert (before.status_code, after.status_code, withheld.status_code) == (409, 200, 409)
    with pikepdf.open(io.BytesIO(after.data)) as made:
        attached = made.attachments["zatca-invoice.xml"].get_file().read_bytes()

    assert status(seller, simplified) == "Processing"
    assert verify(attached).faults == ()


def test_kinds_of_documents_continue_one_chain(seller, authority):
    """A simplified invoice, a credit note and a debit note of it."""
    preceding = {"number": "SA-1"}
    notes = [{"text": "Returned goods"}]
    found = [sent(seller, buyer=CONSUMER)]
    for number, more in (("SA-2", {"type": "creditNote"}), ("SA-3", {"typeCode": "383"})):
        found.append(sent(seller, number=number, precedingInvoice=preceding, notes=notes,
                          buyer=CONSUMER, **more))  # fmt: skip
    for _ in found:
        seller.work()

    assert [status(seller, each) for each in found] == ["Delivered"] * 3
    checked = [verify(original(seller, each)) for each in found]
    assert [each.counter for each in checked] == ["1", "2", "3"]
    assert [each.previous for each in checked[1:]] == [each.hash for each in checked[:2]]


def test_the_findings_of_a_send_name_fields(seller):
    """Rules of ZATCA that are fatal refuse a send; others are its warnings."""
    supplier = {**SUPPLIER, "taxId": ""}
    refused = seller.send(a_send(supplier=supplier))
    buyer = {**BUSINESS, "address": {**BUSINESS["address"], "postalCode": "12"}}
    warned = seller.send(a_send(buyer=buyer))

    assert (refused.status_code, slug(refused)) == (400, "validation-failed"), refused.text
    (found,) = refused.json["findings"]
    assert (found["ruleId"], found["field"]) == ("BR-KSA-39", "invoice.supplier.taxId")
    assert warned.status_code == 200, warned.text
    assert "BR-KSA-67" in {each.get("ruleId", each["code"]) for each in warned.json["warnings"]}


def test_a_name_that_no_code_holds_is_refused_at_its_field(seller):
    answer = seller.send(a_send(supplier={**SUPPLIER, "name": "ش" * 128}))

    assert (answer.status_code, slug(answer)) == (400, "invalid-field"), answer.text
    assert "/invoice/supplier/name" in answer.text


def refusing(number):
    """A judge who refuses the document of this number, by a rule of its own."""
    judge = judging.judge

    def judged(said, token):
        found = judge(said, token)
        if f">{number}<".encode() in found.document:
            found.errors.append(judging.message("BR-KSA-40", "The number is not registered."))
        return found

    return judged


def test_a_refused_document_keeps_its_place_and_shows_its_errors(seller, authority, monkeypatch):
    """The authority refuses the first, by a rule of its own."""
    monkeypatch.setattr(judging, "judge", refusing("SA-1"))
    first, second = sent(seller, number="SA-1"), sent(seller, number="SA-2")
    for _ in range(2):
        seller.work()
    shown = seller.get(f"/api/invoices/{first}").json

    assert [status(seller, each) for each in (first, second)] == ["Failed", "Delivered"]
    (named,) = shown["networkFindings"]
    assert named["ruleId"] == "BR-KSA-40"
    assert named["networkText"] == "The number is not registered."
    (unit,) = authority.units.values()
    assert [counter for counter, _ in unit.links] == [1, 2]
    assert verify(original(seller, second)).previous == unit.links[0][1]


def test_warnings_with_which_a_document_is_taken_are_shown(seller):
    """At the API and on its page."""
    buyer = {**BUSINESS, "address": {**BUSINESS["address"], "postalCode": "12"}}
    invoice = sent(seller, buyer=buyer)
    seller.work()
    shown = seller.get(f"/api/invoices/{invoice}").json
    visitor = Visitor(seller.app, seller.tenant)
    visitor.post("/dashboard/preferences", {"environment": "test"})
    page = visitor.get(f"/dashboard/invoices/{invoice}").text

    assert shown["networkStatus"] == "Delivered"
    assert [each["ruleId"] for each in shown["networkFindings"]] == ["BR-KSA-67"]
    assert "Warnings that the network named" in page
    assert "Errors that the network named" not in page


def test_a_unit_whose_code_is_refused_needs_a_person(app, authority):
    caller = Caller(app)
    with pytest.raises(AssertionError, match="needs-person"):
        connect(caller, authority, otp="000000")


def test_a_further_unit_of_a_seller_has_a_chain_of_its_own_and_is_named_by_the_send(
    seller, authority
):
    further = connect(seller, authority, "-2")
    first = sent(seller)
    body = a_send(number="SA-2")
    body["routing"]["connection"] = further
    answer = seller.send(body)
    assert answer.status_code == 200, answer.text
    for _ in range(2):
        seller.work()
    second = answer.json["invoiceId"]

    assert [verify(original(seller, each)).counter for each in (first, second)] == ["1", "1"]
    assert len(authority.units) == 2


def test_a_unit_that_is_behind_waits_and_says_what_to_do(seller, authority):
    """As after a restore from a backup: the authority has documents that the unit does not know."""
    (unit,) = authority.units.values()
    unit.links += [(1, "hash of 1"), (2, "hash of 2")]
    invoice = sent(seller)
    seller.work()
    (connection,) = Dashboard(seller.app, seller.tenant).get("/api/connections").json["items"]

    assert status(seller, invoice) == "Processing"
    assert connection["state"] == "needs-person"
    assert "behind, as after a restore from a backup" in connection["reason"]


def test_the_chain_of_a_unit_is_verified_from_what_is_stored(seller, authority, monkeypatch):
    """Also the document that was refused, by its connection alone."""
    monkeypatch.setattr(artefacts, "MAX_DOCUMENTS_READ", 2)
    connect(seller, authority, "-2")
    monkeypatch.setattr(judging, "judge", refusing("SA-2"))
    for number in range(1, 5):
        sent(seller, number=f"SA-{number}")
        seller.work()
    (unit, other) = Dashboard(seller.app, seller.tenant).get("/api/connections").json["items"]
    zatca = runtime_of(seller.app).extras.commands["zatca"]
    found = {
        each["account"][-2:]: CliRunner().invoke(zatca, ["chain", each["connectionId"]])
        for each in (unit, other)
    }

    assert {suffix: each.output for suffix, each in found.items()} == {
        "03": "4 documents, counters 1 to 4\n",
        "-2": "",
    }


def test_the_page_of_a_unit_shows_its_place_and_what_was_refused(seller, monkeypatch):
    """So does that of operators; an end of the unit leaves nothing of it in the plugin's store."""
    monkeypatch.setattr(judging, "judge", refusing("SA-1"))
    sent(seller, number="SA-1")
    seller.work()
    visitor = Visitor(seller.app, seller.tenant)
    visitor.post("/dashboard/preferences", {"environment": "test"})
    page = visitor.get("/dashboard/connections").text
    (unit,) = Dashboard(seller.app, seller.tenant).get("/api/connections").json["items"]
    with seller.app.app_context():
        (state,) = [
            each
            for each in networks.state(runtime_of(seller.app)).states
            if each.access_point == "zatca-test"
        ]
    visitor.post(f"/dashboard/connections/{unit['connectionId']}/revoke")
    with seller.app.app_context():
        ended = claimed(outbox.PLUGINS, seller.tenant, kind=outbox.LEAVE)
        leaving.run(*ended, runtime_of(seller.app))
        await_calls()
        with db.reading() as connection:
            kept = connection.execute(sa.select(PluginValue.key)).scalars().all()

    assert '<dt>Next counter</dt><dd dir="auto">2</dd>' in page
    assert f"counter 1 on {clock.today()}" in page
    assert {each.label: each.value for each in state.facts}["Units"] == "1"
    assert (state.accounts_blocked, [key for key in kept if "refused" in key]) == (0, [])


def test_another_tenant_does_not_see_a_unit(seller, app):
    other = Dashboard(app, Caller(app).tenant)
    (unit,) = Dashboard(app, seller.tenant).get("/api/connections").json["items"]

    assert other.get("/api/connections").json["items"] == []
    assert other.get(f"/api/connections/{unit['connectionId']}").status_code == 404


@pytest.mark.parametrize(
    ("valid", "state"),
    [
        (timedelta(days=30, hours=1), "active"),
        (timedelta(days=29, hours=23), "renewal-due"),
    ],
)
def test_a_certificate_that_ends_within_30_days_is_renewed_by_a_code_and_the_chain_goes_on(
    app, authority, valid, state
):
    authority.valid = valid
    seller = Caller(app)
    credentials = {**unit.FIELDS, "otp": authority.otp()}
    person = Dashboard(app, seller.tenant, role=Role.OWNER)
    made = person.post("/api/connections", {
        "network": "zatca", "environment": "test", "account": f"SA{saudi.VAT_NUMBER}",
        "credentials": credentials,
    })  # fmt: skip
    assert made.status_code == 201, made.text
    first = sent(seller)
    seller.work()
    path = f"/api/connections/{made.json['connectionId']}"
    renewed = person.patch(path, {"credentials": {"otp": authority.otp()}})
    second = sent(seller, number="SA-2")
    seller.work()
    checked = [verify(original(seller, each)) for each in (first, second)]

    assert (made.json["state"], renewed.json["state"]) == (state, "active"), renewed.text
    assert [each.counter for each in checked] == ["1", "2"]
    assert checked[1].previous == checked[0].hash
    assert len(authority.units) == 1


def test_a_simplified_invoice_without_an_answer_is_told_before_its_24_hours_end(
    seller, service, monkeypatch
):
    """By the event after an hour, on the page of operators, and by the doctor after 18 hours."""
    begun, passed = clock.now(), timedelta()
    monkeypatch.setattr(clock, "now", lambda: begun + passed)
    service.faults = lambda _: "gateway"
    invoice = sent(seller, buyer=CONSUMER)
    seller.work()
    told = {}
    for hours in (2, 19, 25):
        passed = timedelta(hours=hours)
        seller.work()
        with seller.app.app_context():
            runtime = runtime_of(seller.app)
            offers = [each.offer for each in runtime.extras.checks]
            (check,) = [c for c in offers if c.name == "zatca-test-unreported"]
            (state,) = [s for s in networks.state(runtime).states if s.access_point == "zatca-test"]
        told[hours] = check.run().level, {each.label: each.value for each in state.facts}
    (event,) = [
        each
        for each in seller.get("/api/events?limit=200").json["items"]
        if each["eventType"] == "transaction.delayed"
    ]

    assert status(seller, invoice) == "Processing"
    assert [told[hours][0] for hours in (2, 19, 25)] == [Level.GOOD, Level.WARNING, Level.ERROR]
    label = "Oldest simplified document that is not reported"
    assert told[2][1][label] == f"{begun:%Y-%m-%d %H:%M} UTC, of 1"
    assert event["dueBy"] == clock.timestamp(begun + timedelta(hours=24))


def test_a_seller_reads_arabic_where_the_rules_of_zatca_refuse(seller, monkeypatch):
    """Of a send that is refused here, and of a document that ZATCA has refused."""
    refused = seller.send(a_send(supplier={**SUPPLIER, "taxId": ""}), Accept_Language="ar-SA, en")
    monkeypatch.setattr(judging, "judge", refusing("SA-1"))
    failed = sent(seller, number="SA-1")
    seller.work()
    shown = seller.get(f"/api/invoices/{failed}", Accept_Language="ar")
    (here,), (there,) = refused.json["findings"], shown.json["networkFindings"]

    assert (refused.status_code, here["ruleId"]) == (400, "BR-KSA-39")
    assert "يجب أن يكون للبائع رقم ضريبي" in here["message"]
    assert "invoice.supplier.taxId" in here["suggestion"]
    assert there["ruleId"] == "BR-KSA-40"
    assert "الرقم الضريبي للبائع" in there["message"]
    assert shown.headers["Content-Language"] == "ar"


REASONS = {
    "zero-rated, with the code of exported goods": ("Z", "VATEX-SA-32"),
    "exempt": ("E", "VATEX-SA-29"),
    "outside of the scope of VAT": ("O", "VATEX-SA-OOS"),
}


def test_what_is_outside_of_the_scope_of_vat_lacks_only_its_reason_in_words(seller):
    """Its code is that of ZATCA although the send names none."""
    line = {
        "description": "Service", "quantity": 1, "unitPrice": 100, "taxRate": 0, "taxCategory": "O"
    }  # fmt: skip
    body = a_send(lineItems=[line])
    body["invoice"]["totals"] = {"subtotal": 100, "taxAmount": 0, "grandTotal": 100}
    answer = seller.send(body)
    seller.work()
    found = seller.get(f"/api/invoices/{answer.json['invoiceId']}").json

    assert found["networkStatus"] == "Delivered"
    assert [one["ruleId"] for one in found["networkFindings"]] == ["BR-KSA-83"]


@pytest.mark.parametrize("name", REASONS)
def test_what_has_no_vat_is_taken_with_its_reason_and_the_numbers_of_both(seller, name):
    category, code = REASONS[name]
    line = {
        "description": "Service", "quantity": 1, "unitPrice": 100, "taxRate": 0,
        "taxCategory": category, "taxExemption": {"reasonCode": code, "reason": "As agreed"},
    }  # fmt: skip
    body = a_send(lineItems=[line])
    body["invoice"]["totals"] = {"subtotal": 100, "taxAmount": 0, "grandTotal": 100}
    answer = seller.send(body)
    assert (answer.status_code, answer.json.get("warnings")) == (200, None), answer.text
    seller.work()
    found = seller.get(f"/api/invoices/{answer.json['invoiceId']}").json
    document = original(seller, found["invoiceId"]).decode()

    assert (found["networkStatus"], found["networkFindings"]) == ("Delivered", [])
    assert f"<cbc:TaxExemptionReasonCode>{code}<" in document
    assert all(f">{each}<" in document for each in (saudi.VAT_NUMBER, "399999999800003"))
