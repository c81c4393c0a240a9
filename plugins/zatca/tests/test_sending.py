"""Documents at the stand-in: cleared or reported, refused, repeated, one after the other."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.artefacts import AUTHORITY_DOCUMENT, AUTHORITY_RECEIPT
from einvoice.network.connection_testing import left
from einvoice.network.types import Blocked, Delivered, NotSent, Rejected, Unknown
from einvoice.xml import parse
from einvoice_zatca.chain import Chain
from einvoice_zatca.digests import FIRST_HASH
from einvoice_zatca.stamp import is_simplified
from einvoice_zatca.verification import verify
from plugins.zatca.tests import saudi, unit
from tests.networks.stand_ins import REFUSALS, Answer
from tests.networks.zatca import Service, _Handler

STANDARD = saudi.an_invoice
OTHER = replace(saudi.SELLER, vat_id="SA311111111111113")


def simplified():
    return saudi.an_invoice(buyer=saudi.CONSUMER)


def sent(point, connection, invoice=None):
    """The outcome of a document, and the connection that it leaves."""
    bound, one = unit.bound(point, connection), unit.envelope(invoice)
    made = bound.prepare(one)
    return bound.submit(one, made), left(connection, made), made


def kept(outcome, kind):
    assert isinstance(outcome, Delivered), outcome
    return next(each for each in outcome.evidence if each.kind == kind)


def answered(monkeypatch, answer):
    monkeypatch.setattr(_Handler, "_answer", lambda *_: answer)


# -- what is delivered -----------------------------------------------------------------------------


def test_a_standard_document_is_cleared_and_its_original_is_that_of_the_authority(
    point, connection, authority
):
    outcome, _, made = sent(point, connection)
    original = kept(outcome, AUTHORITY_DOCUMENT)

    assert original.legal_original
    assert original.content != made.content
    assert verify(original.content).hash == verify(made.content).hash
    assert json.loads(kept(outcome, AUTHORITY_RECEIPT).content)["clearanceStatus"] == "CLEARED"


def test_a_simplified_document_is_reported_and_its_original_is_what_was_sent(point, connection):
    outcome, _, made = sent(point, connection, simplified())
    original = kept(outcome, AUTHORITY_DOCUMENT)

    assert (original.content, original.legal_original) == (made.content, True)
    assert json.loads(kept(outcome, AUTHORITY_RECEIPT).content)["reportingStatus"] == "REPORTED"


def test_every_kind_of_document_is_taken_and_continues_one_chain(point, connection, authority):
    previous, made_all = FIRST_HASH, []
    for number, invoice in enumerate(saudi.one_of_each().values(), 1):
        outcome, connection, made = sent(point, connection, invoice)
        checked = verify(made.content)
        made_all.append((outcome, checked))
        assert (checked.counter, checked.previous) == (str(number), previous)
        previous = checked.hash

    assert all(isinstance(outcome, Delivered) for outcome, _ in made_all)
    assert all(checked.faults == () for _, checked in made_all)


def test_a_rejected_document_keeps_its_place(point, connection):
    """The next one has its hash as that of the document before."""
    first, connection, refused = sent(point, connection, saudi.an_invoice(seller=OTHER))
    second, connection, after = sent(point, connection)

    assert isinstance(first, Rejected)
    assert first.code == "STAMP-VAT number of the seller"
    assert [each.rule for each in first.findings] == [first.code]
    assert first.evidence[0].content == refused.content
    assert not first.evidence[0].legal_original
    assert verify(after.content).previous == verify(refused.content).hash
    assert isinstance(second, Delivered)
    assert Chain.of(connection.state).counter == 2


def test_where_clearance_is_off_a_standard_document_is_reported(
    point, connection, authority, service
):
    authority.clears = False
    outcome, _, made = sent(point, connection)

    assert kept(outcome, AUTHORITY_DOCUMENT).content == made.content
    assert [path for _, path in service.requests[-2:]] == [
        "invoices/clearance/single", "invoices/reporting/single"
    ]  # fmt: skip


def test_an_answer_without_the_cleared_invoice_keeps_what_was_sent(point, connection, authority):
    authority.withholds = True
    outcome, _, made = sent(point, connection)
    original = kept(outcome, AUTHORITY_DOCUMENT)

    assert (original.content, original.legal_original) == (made.content, False)


def test_warnings_alone_do_not_refuse_a_document(point, connection):
    seller = replace(saudi.SELLER, address=replace(saudi.RIYADH, postal_code="233"))
    outcome, _, _ = sent(point, connection, saudi.an_invoice(seller=seller))
    results = json.loads(kept(outcome, AUTHORITY_RECEIPT).content)["validationResults"]

    assert [each["code"] for each in results["warningMessages"]] == ["BR-KSA-66"]


# -- what is repeated ------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["lost", "gateway", "html"])
@pytest.mark.parametrize("invoice", [STANDARD, simplified])
def test_without_an_answer_the_same_bytes_are_sent_again(
    point, connection, service, authority, fault, invoice
):
    """Fatoora answers 409 where it has the document already."""
    bound, accepted = unit.bound(point, connection), clock.now()
    one = replace(unit.envelope(invoice()), accepted_at=accepted)
    made = bound.prepare(one)
    service.faults = lambda _: fault
    first = bound.submit(one, made)
    service.faults = lambda _: None
    second = bound.submit(one, made)

    in_time = accepted + timedelta(hours=24) if invoice is simplified else None
    assert isinstance(first, Unknown)
    assert first.retry_until is not None
    assert first.due_by == in_time
    assert isinstance(second, Delivered)
    assert len(authority.taken) == 1


@pytest.mark.parametrize("fault", REFUSALS)
def test_a_firewall_refuses_nothing_for_good(point, connection, service, fault):
    bound, one = unit.bound(point, connection), unit.envelope()
    made = bound.prepare(one)
    service.faults = lambda _: fault
    refused = bound.submit(one, made)
    service.faults = lambda _: None

    assert isinstance(refused, NotSent)
    assert isinstance(bound.submit(one, made), Delivered)


ANSWERS = {
    "many requests": (Answer(429), NotSent),
    "a fault": (Answer(500, b"{}"), Unknown),
    "an unavailable service": (Answer(503), Unknown),
    "no credentials": (Answer(401), Blocked),
    "too large": (Answer(413), Rejected),
    "nothing": (Answer(200), Unknown),
    "a refusal without words": (Answer(400, b'{"message": "Malformed"}'), Rejected),
    "a refusal of a gateway": (Answer(400, b"<html/>"), Unknown),
    "a refusal with the status of success": (
        Answer(200, json.dumps({
            "clearanceStatus": "NOT_CLEARED",
            "validationResults": {"errorMessages": [{"code": "X-1", "message": "no"}]},
        }).encode()),
        Rejected,
    ),
    "no object": (Answer(200, b"[1]"), Unknown),
    "results that are no object": (
        Answer(400, b'{"validationResults": [1], "message": "no"}'), Rejected
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_each_answer_has_its_outcome(point, connection, monkeypatch, name):
    answer, expected = ANSWERS[name]
    bound, one = unit.bound(point, connection), unit.envelope()
    answered(monkeypatch, answer)

    assert isinstance(bound.submit(one, bound.prepare(one)), expected)


# -- the chain -------------------------------------------------------------------------------------


def test_a_counter_from_a_backup_blocks_the_unit_and_says_why(point, connection):
    _, newer, _ = sent(point, connection)
    outcome, _, _ = sent(point, connection)

    assert Chain.of(newer.state).counter == 1
    assert isinstance(outcome, Blocked)
    assert "behind, as after a restore from a backup" in outcome.reason


@pytest.mark.parametrize("lost", ["counter", "lastHash"])
def test_a_state_with_a_part_of_a_chain_begins_no_new_one(point, connection, lost):
    _, after, _ = sent(point, connection)
    state = {name: value for name, value in after.state.items() if name != lost}
    bound = unit.bound(point, replace(after, state=state))

    assert isinstance(bound.prepare(unit.envelope()), Blocked)


def test_a_document_that_was_changed_after_it_was_stamped_is_refused(point, connection):
    bound, one = unit.bound(point, connection), unit.envelope()
    made = bound.prepare(one)
    changed = replace(made, content=made.content.replace(b"Book", b"Boot"))
    outcome = bound.submit(one, changed)

    assert isinstance(outcome, Rejected)
    assert {"invoiceHash", "STAMP-signature", "STAMP-QR tag 6"} <= {
        each.rule for each in outcome.findings
    }


def test_a_document_of_another_day_has_no_time_of_this_one(point, connection):
    bound = unit.bound(point, connection)
    root = parse(bound.prepare(unit.envelope(simplified())).content)

    assert is_simplified(root)
    assert root.findtext("{*}IssueTime") == "00:00:00"


def test_what_is_sent_is_the_document_in_base64(point, connection, monkeypatch):
    seen = {}
    monkeypatch.setattr(
        _Handler, "_answer", lambda _, path, body: seen.update(json.loads(body)) or Answer(503)
    )
    _, _, made = sent(point, connection)

    assert base64.b64decode(seen["invoice"]) == made.content
    assert (seen["uuid"], seen["invoiceHash"]) == (
        made.message_id, verify(made.content).hash
    )  # fmt: skip


def test_without_a_network_nothing_is_sent(authority, connection):
    nobody = Service(authority)
    nobody.server_close()
    outcome, _, _ = sent(unit.point_at(nobody), connection)

    assert isinstance(outcome, NotSent)
