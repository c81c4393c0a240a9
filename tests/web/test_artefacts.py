"""The artefacts and the history of an invoice."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta

import pytest
from lxml import etree

from einvoice import clock
from einvoice.domain.roles import Role
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

DELIVERED, REJECTED = "0088:9520000000004", "0088:9520000000059"


@pytest.fixture
def wait(caller, monkeypatch):
    """`wait(seconds)` advances the clock and carries out the due work."""
    real, ahead = clock.now, [timedelta()]
    monkeypatch.setattr(clock, "now", lambda: real() + ahead[0])

    def _wait(seconds: float) -> None:
        ahead[0] += timedelta(seconds=seconds)
        caller.work()

    return _wait


def listed(caller: Caller, invoice: str, query: str = "") -> dict[str, dict]:
    answer = caller.get(f"/api/invoices/{invoice}/artefacts{query}")
    assert answer.json.keys() == {"invoiceId", "items", "provider"}
    assert answer.json["invoiceId"] == invoice
    return {item["type"]: item for item in answer.json["items"]}


def content(caller: Caller, invoice: str, item: dict):
    return caller.get(f"/api/invoices/{invoice}/artefacts/{item['artefactId']}")


def test_ubl_report_and_original_exist_while_processing(caller):
    found = listed(caller, caller.sent())

    assert found.keys() == {"UBL", "VALIDATION_REPORT", "ORIGINAL"}


@pytest.mark.parametrize(
    ("receiver", "kind", "media"),
    [(DELIVERED, "RECEIPT", "application/xml"), (REJECTED, "FAILURE_REPORT", "application/json")],
)
def test_the_final_status_adds_its_evidence(caller, wait, receiver, kind, media):
    """Existing artefacts keep their ids."""
    invoice = caller.sent(receiver)
    before = listed(caller, invoice)
    wait(0), wait(2)
    after = listed(caller, invoice)

    assert after.keys() - before.keys() == {kind}
    assert after[kind]["contentType"] == media
    assert {k: after[k] for k in before} == before


def test_downloads_match_the_metadata_in_the_list(caller, wait):
    """Content type, size and SHA-256, of stored and derived artefacts."""
    invoice = caller.sent(number='../N 1"\n')
    wait(0), wait(2)
    for item in listed(caller, invoice).values():
        found = content(caller, invoice, item)

        assert found.status_code == 200
        assert found.content_type.partition(";")[0] == item["contentType"]
        assert len(found.data) == item["sizeBytes"]
        assert hashlib.sha256(found.data).hexdigest() == item["sha256"]
        assert found.headers["Content-Disposition"] == f'attachment; filename="{item["name"]}"'
        assert item["name"].replace("-", "").replace(".", "").isalnum()
        assert content(caller, invoice, item).data == found.data


def test_the_ubl_is_the_invoice(caller):
    invoice = caller.sent(number="N-7")
    root = etree.fromstring(content(caller, invoice, listed(caller, invoice)["UBL"]).data)
    cbc = "{urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2}"

    assert etree.QName(root).localname == "Invoice"
    assert root.findtext(f"{cbc}ID") == "N-7"
    assert root.findtext(f".//{cbc}PayableAmount") == "121.00"


def test_the_validation_report_names_the_rules(caller):
    invoice = caller.sent()
    report = content(caller, invoice, listed(caller, invoice)["VALIDATION_REPORT"]).json

    assert report["trafficLight"] == "green"
    assert report["ruleSet"].startswith("peppol-bis-billing-3.0")
    assert report["validatedAt"].endswith("Z")


def test_the_failure_report_has_the_reason(caller, wait):
    invoice = caller.sent(REJECTED)
    wait(0)
    item = listed(caller, invoice)["FAILURE_REPORT"]
    report = json.loads(content(caller, invoice, item).data)

    assert report["networkStatus"] == "Failed"
    assert (report["errorCode"], report["upstreamStatus"]) == ("SIM-BAD-REQUEST", 400)
    assert report["reasonCode"] == "document-refused"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?type=UBL", {"UBL"}),
        ("?type=RECEIPT", set()),
        ("", {"UBL", "VALIDATION_REPORT", "ORIGINAL"}),
    ],
)
def test_the_list_can_be_filtered_by_type(caller, query, expected):
    assert listed(caller, caller.sent(), query).keys() == expected


def test_an_unknown_artefact_is_not_found(caller):
    answer = caller.get(f"/api/invoices/{caller.sent()}/artefacts/00000000-0000-0000")

    assert (answer.status_code, slug(answer)) == (404, "not-found")


@pytest.mark.parametrize(
    ("receiver", "waits", "events"),
    [
        (DELIVERED, [0, 2], ["submitted", "delivered"]),
        (REJECTED, [0], ["submitted", "failed"]),
        ("0088:9520000000035", [0, 2], ["submitted", "failed"]),
        ("0088:9520000000141", [0, 2, 2], ["submitted", "retried", "delivered"]),
    ],
)
def test_the_history_is_in_order(caller, wait, receiver, waits, events):
    """Times ascend, and updatedAt is the last of them."""
    invoice = caller.sent(receiver)
    for seconds in waits:
        wait(seconds)
    reported = caller.get(f"/api/invoices/{invoice}").json
    history = reported["history"]

    assert [h["event"] for h in history] == ["received", "validated", *events]
    assert [h["at"] for h in history] == sorted(h["at"] for h in history)
    assert reported["updatedAt"] == history[-1]["at"]
    assert all(h.keys() == {"event", "at", "detail"} for h in history)


@pytest.mark.parametrize("scope", ["invoices:read", "artefacts:read"])
def test_reading_needs_its_scope(service, caller, scope):
    """Each of the two scopes grants its routes only."""
    invoice = caller.sent()
    reader = Caller(service, tenant=caller.tenant, scopes=[scope])
    opened = {
        "invoices:read": reader.get(f"/api/invoices/{invoice}"),
        "artefacts:read": reader.get(f"/api/invoices/{invoice}/artefacts"),
    }

    for needed, answer in opened.items():
        assert answer.status_code == (200 if needed == scope else 403)


def test_people_can_read_an_invoice_and_its_artefacts(service):
    """As for a key of its environment, byte for byte."""
    caller = Caller(service)
    ann = Dashboard(service, caller.tenant, Role.VIEWER)
    path = f"/api/invoices/{caller.sent()}"
    item = caller.get(f"{path}/artefacts?type=UBL").json["items"][0]["artefactId"]

    for address in (path, f"{path}/artefacts", f"{path}/artefacts/{item}"):
        assert ann.get(address).data == caller.get(address).data
    assert ann.get(path).json["environment"] == "test"
