"""Submitting invoices: what each answer means, time-outs, repetitions, tokens."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from einvoice import clock
from einvoice.domain.delivery import DeliveredMeans
from einvoice.network import reasons
from einvoice.network.types import (
    Blocked,
    Delivered,
    NeverSeen,
    NotSent,
    Pending,
    Rejected,
    Unknown,
)
from einvoice_fr_ctc import flows, form
from einvoice_fr_ctc.client import multipart
from tests.networks import fr
from tests.networks.fr import company, judging, official
from tests.networks.fr.platform import fault
from tests.networks.stand_ins import PAGE, Answer


def submitted(bound, one):
    return bound.submit(one, bound.prepare(one))


def answering(monkeypatch, operation, *answers):
    """Let the stand-in answer an operation with these, and then as usual."""
    real, waiting = fr._Handler._answer, list(answers)

    def answer(self, method, path, query, body):
        if fr.operation_of(method, path) == operation and waiting:
            return waiting.pop(0)
        return real(self, method, path, query, body)

    monkeypatch.setattr(fr._Handler, "_answer", answer)


def test_an_acknowledged_invoice_waits_for_its_buyer_and_is_not_polled(bound):
    one = company.envelope()
    pending = bound.poll(one, submitted(bound, one))

    assert isinstance(pending, Pending)
    assert pending.next_poll_at is None
    assert pending.deadline > clock.now()
    assert json.loads(pending.evidence[0].content)["acknowledgement"] == {"status": "Ok"}
    assert isinstance(bound.poll(one, replace(pending, evidence=())), Pending)


def test_a_sale_that_is_only_reported_is_delivered_to_nobody(bound, platform):
    outcome = company.sent(bound, company.to_consumer())

    assert isinstance(outcome, Delivered)
    assert outcome.means is DeliveredMeans.REPORTED
    assert [flow.rule for flow in platform.flows.values()] == ["B2C"]


@pytest.mark.parametrize(
    ("note", "rule"),
    [("B2B", "B2B"), ("B2BINT", "B2BInt"), ("B2C", "B2C"), ("OUTOFSCOPE", "OutOfScope"),
     ("ARCHIVEONLY", "ArchiveOnly"), (None, "B2B"), ("ELSE", "B2B")],
)  # fmt: skip
@pytest.mark.parametrize("profile", ["fr-s1", "fr-s1-cii"])
def test_the_processing_rule_is_what_the_document_says(note, rule, profile):
    by_name = {each.name: each for each in form.PROFILES}
    notes = (*company.NOTES, *((("BAR", note),) if note else ()))
    one = company.envelope(company.french_invoice(notes=notes), by_name[profile])

    assert flows.rule_of(one) == rule


@official.needed
def test_every_request_and_answer_is_valid_by_the_published_interface(point, bound, service):
    company.sent(bound, company.envelope())
    company.arrive(service, 3)
    connection = company.connected(point, service, company.SELLER)
    point.fetch(connection, None)
    point.lookup(company.envelope().receiver)
    list(point.search_participants("vend", None, 5))
    found = {each.path.rpartition("/v1/")[2].partition("/")[0] for each in service.exchanges}

    assert judging.faults(service.exchanges) == []
    assert {"flows", "healthcheck", "siren", "directory-line"} <= found


@official.needed
@pytest.mark.parametrize(
    ("changes", "member"),
    [({"flowSyntax": "EDIFACT"}, "flowSyntax"), ({"name": None}, "name"),
     ({"sha256": "abc"}, "sha256"), ({"processingRule": "B2X"}, "processingRule")],
)  # fmt: skip
def test_the_judge_finds_a_wrong_request(bound, service, changes, member):
    """A judge that takes everything would prove nothing."""
    submitted(bound, company.envelope())
    good = service.exchanges[-1]
    upload = flows.upload_of(company.envelope(), b"<x/>", {})
    info = {name: value for name, value in (upload.info | changes).items() if value is not None}
    name_missing = {"name": "x.xml"} | info
    boundary, body = multipart(replace(upload, info=name_missing | {"sha256": info["sha256"]}))
    body = body if "name" in info else body.replace(b'"name": "x.xml", ', b"")
    wrong = replace(
        good,
        body=body,
        headers=good.headers | {"content-type": f"multipart/form-data; boundary={boundary}"},
    )

    assert any(member in each for each in judging.faults([wrong])), judging.faults([wrong])
    assert judging.faults([good]) == []


def test_an_invoice_without_an_answer_is_found_by_our_id_and_not_sent_again(bound, service):
    service.faults = lambda call: "lost" if call == "createFlow" else None
    one = company.envelope()
    prepared = bound.prepare(one)
    outcome = bound.submit(one, prepared)
    found = bound.find(one, prepared)

    assert isinstance(outcome, Unknown)
    assert isinstance(found, Pending)
    assert service.calls("createFlow") == 1


def test_an_invoice_that_the_platform_never_got_is_sent_again(bound, service):
    service.faults = lambda call: "gateway" if call == "createFlow" else None
    one = company.envelope()
    prepared = bound.prepare(one)
    outcome = bound.submit(one, prepared)

    assert isinstance(outcome, Unknown)
    assert isinstance(bound.find(one, prepared), NeverSeen)


def test_a_flow_that_the_platform_has_from_before_goes_on_if_its_bytes_are_ours(bound, platform):
    one = company.envelope()
    prepared = bound.prepare(one)
    first, second = (bound.submit(one, prepared) for _ in range(2))
    assert platform.flows[second.reference].details[0]["reasonCode"] == "AlreadyExistingFlow"
    outcome = bound.poll(one, second)

    assert isinstance(outcome, Pending)
    assert outcome.reference == first.reference


def test_another_invoice_of_the_same_number_is_a_duplicate(bound):
    one = company.envelope()
    company.sent(bound, one)
    outcome = company.sent(bound, company.envelope(number=one.number))

    assert isinstance(outcome, Rejected)
    assert outcome.reason_code == reasons.DUPLICATE_DOCUMENT.code
    assert outcome.code == "AlreadyExistingFlow"


def test_an_error_is_final_with_the_reasons_of_the_platform(bound):
    """BR-FR-05: the mandatory notes are missing."""
    outcome = company.sent(bound, company.envelope(company.french_invoice(notes=())))

    assert isinstance(outcome, Rejected)
    assert outcome.code == "OtherTechnicalError"
    assert "BR-FR-05" in outcome.reason
    assert outcome.findings


def test_a_file_that_changes_after_its_checksum_is_refused_and_may_be_sent_again(bound, platform):
    platform.at_once = False
    one = company.envelope()
    pending = submitted(bound, one)
    platform.flows[pending.reference].content += b" "
    platform.settle()
    outcome = bound.poll(one, pending)

    assert isinstance(outcome, Rejected)
    assert (outcome.code, outcome.reason_code) == ("ChecksumMismatch", "network-unavailable")
    assert outcome.retryable


def test_a_reason_that_is_not_of_the_interface_is_kept_as_text(bound, platform):
    platform.at_once = False
    one = company.envelope()
    pending = submitted(bound, one)
    flow = platform.flows[pending.reference]
    flow.status = "Error"
    flow.details = [{"level": "Warning", "item": "", "reasonCode": "W", "reasonMessage": "w"},
                    {"level": "Error", "item": "BT-1", "reasonCode": "OWN-7",
                     "reasonMessage": "x" * 100_000}]  # fmt: skip
    outcome = bound.poll(one, pending)

    assert outcome.code == "OWN-7"
    assert 100 < len(outcome.reason) < 1000
    assert len(outcome.findings) == 1


def test_a_flow_that_stays_pending_is_asked_about_less_and_less_often(bound, platform):
    platform.at_once = False
    one = company.envelope()
    outcome, waits = submitted(bound, one), []
    for _ in range(9):
        outcome = bound.poll(one, outcome)
        waits.append(round((outcome.next_poll_at - clock.now()).total_seconds()))

    assert waits == [5, 15, 30, 60, 120, 300, 600, 1800, 1800]


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (fault(400, "BAD", "no"), Rejected, "BAD: no"),
        (fault(413, "FILE_SIZE_EXCEEDED", "big"), Rejected, "FILE_SIZE_EXCEEDED"),
        (Answer(413, PAGE, "text/html"), Rejected, "HTTP 413"),
        (fault(422, "UNPROCESSABLE", "x"), Rejected, "UNPROCESSABLE"),
        (fault(403, "FORBIDDEN_ACCESS", ""), Blocked, "FORBIDDEN_ACCESS"),
        (Answer(403, PAGE, "text/html"), NotSent, "firewall"),
        (Answer(403), NotSent, "firewall"),
        (fault(404, "MISSING", "x"), NotSent, "address of the connection"),
        (fault(429, "TOO_MANY_REQUESTS", "slow"), NotSent, "slow"),
        (fault(503, "RESOURCE_ERROR", ""), NotSent, "RESOURCE_ERROR"),
        (fault(500, "INTERNAL_ERROR", ""), Unknown, "INTERNAL_ERROR"),
        (Answer(502, PAGE, "text/html"), Unknown, "HTTP 502"),
        (Answer(202, PAGE, "text/html"), Unknown, "HTTP 202"),
        (Answer(202, b"{}"), Unknown, "without its id"),
        (Answer(400, PAGE, "text/html"), Unknown, "HTTP 400"),
        (Answer(202, b"[" * 100_000), Unknown, "HTTP 202"),
    ],
)
def test_each_answer_to_a_submission_has_one_meaning(bound, monkeypatch, answer, kind, words):
    answering(monkeypatch, "createFlow", answer)
    outcome = submitted(bound, company.envelope())

    assert isinstance(outcome, kind), outcome
    assert words in outcome.reason


def test_a_refused_token_is_renewed_once_and_the_invoice_sent(bound, platform):
    platform.tokens.clear()

    assert isinstance(submitted(bound, company.envelope()), Pending)


def test_a_secret_that_is_no_longer_valid_needs_a_person(bound, platform):
    platform.tokens.clear()
    platform.companies[company.SELLER].client = ("client", "another")
    outcome = submitted(bound, company.envelope())

    assert isinstance(outcome, Blocked)
    assert platform.flows == {}


def test_an_answer_of_an_earlier_version_is_understood(bound, platform):
    platform.is_old = True

    assert isinstance(company.sent(bound, company.to_consumer()), Delivered)
