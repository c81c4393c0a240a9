"""The endpoint for received documents: the contract, the token, refusals."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime

import pytest

from einvoice.domain import artefacts
from einvoice.domain.environments import Environment
from einvoice.network import samples
from einvoice.network.endpoints import Request
from einvoice.network.testing import InboundContract, MemoryInbox
from einvoice.network.types import Busy, InvoiceReference, NotServiced, Settled
from einvoice_gateway.configuration import Shape
from einvoice_gateway.receiving import Receiver
from einvoice_peppol import invoice_response, mls, sbdh
from einvoice_peppol.invoice_response import Clarification, InvoiceResponse, Party
from einvoice_peppol.mls import Mls
from plugins.gateway.tests import stand_ins

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
RESPONSE = InvoiceResponse(
    id="ir-1",
    issued_at=NOW,
    buyer=Party(samples.RECEIVER, "Buyer"),
    seller=Party(samples.SENDER, "Seller"),
    code="RE",
    number="INV-1",
    type_code="380",
    invoice_date="2026-11-01",
    clarifications=(Clarification("REF", "No such order."),),
)


def header(instance_id="one", **changes):
    sample = samples.envelope()
    fields = {
        "sender": sample.sender,
        "receiver": sample.receiver,
        "document_type": sample.document_type,
        "process": sample.process,
        "instance_id": instance_id,
        "created_at": NOW,
        "country_c1": "BE",
    }
    return sbdh.Header(**(fields | changes))


def sbd(instance_id="one"):
    return sbdh.write(header(instance_id), samples.envelope(number="S-1").document)


def posted(inbox, body=None, **changes):
    receiver = Receiver(
        stand_ins.gateway(Shape.PHOSS_AP, "http://127.0.0.1:9"), stand_ins.INBOUND_TOKEN, inbox
    )
    headers = {"x-token": stand_ins.INBOUND_TOKEN} | changes.pop("headers", {})
    fields = {"method": "POST", "path": "/", "body": sbd() if body is None else body}
    return receiver.answer(Request(**(fields | changes), headers=headers))


class TestContract(InboundContract):
    @pytest.fixture
    def hand_over(self):
        def post(inbox, message):
            try:
                answered = posted(inbox, sbd(message))
            except OSError:  # the service answers 500
                return None
            return answered.body if answered.status == 200 else None

        return post


def test_a_document_has_what_its_envelope_says():
    inbox = MemoryInbox()
    posted(inbox, headers={"x-sbdh-instance-id": "one"})
    (inbound,) = inbox.arrived
    sent = samples.envelope()

    assert (inbound.access_point, inbound.instance_id) == ("gateway-test", "one")
    assert (inbound.sender, inbound.receiver) == (sent.sender, sent.receiver)
    assert (inbound.document_type, inbound.process) == (sent.document_type, sent.process)
    assert b"Invoice" in inbound.document


def test_a_body_on_disk_is_read():
    inbox = MemoryInbox()

    assert posted(inbox, b"", file=io.BytesIO(sbd())).status == 200
    assert len(inbox.arrived) == 1


@pytest.mark.parametrize("token", ["", "wrong", stand_ins.INBOUND_TOKEN + "x", "\xe9", "\udce9"])
def test_a_post_without_the_token_is_refused_unread(token):
    """The answer does not say that the document is not to be posted again."""
    inbox = MemoryInbox()
    refused = posted(inbox, b"<", headers={"x-token": token})

    assert refused.status == 401
    assert "retry" not in json.loads(refused.body)
    assert inbox.arrived == []


def test_only_posts_are_taken():
    assert posted(MemoryInbox(), method="GET").status == 405


@pytest.mark.parametrize("body", [b"", b"<Invoice/>", b"\x00", sbd()[:-20]])
def test_what_is_no_envelope_is_refused_for_good(body):
    inbox = MemoryInbox()
    refused = posted(inbox, body)

    assert refused.status == 422
    assert json.loads(refused.body)["retry"] == "none"
    assert inbox.arrived == []


def test_the_instance_id_of_the_header_must_be_that_of_the_envelope():
    inbox = MemoryInbox()

    assert posted(inbox, headers={"x-sbdh-instance-id": "two"}).status == 422
    assert inbox.arrived == []


def test_a_receiver_of_no_tenant_is_refused_for_good_and_a_busy_service_is_not():
    unserved = posted(MemoryInbox(NotServiced("no such participant")))
    busy = posted(MemoryInbox(Busy(7.0)))

    assert (unserved.status, json.loads(unserved.body)["retry"]) == (422, "none")
    assert (busy.status, busy.headers["Retry-After"]) == (503, "7")
    assert "retry" not in json.loads(busy.body)


class EvidenceInbox(MemoryInbox):
    def __init__(self, verdict):
        super().__init__()
        self.verdict, self.kept = verdict, []

    def deliver_evidence(self, access_point, reference, evidence):
        self.kept.append((access_point, reference, *evidence))
        return self.verdict


def status_message():
    status = Mls(
        id="mls-1",
        issued_at=NOW,
        sender=mls.spid_of("POP000002"),
        receiver=mls.spid_of("POP000001"),
        code=mls.PASSED_ON,
        instance_id="sent-1",
        description=None,
        issues=(),
    )
    content = mls.write(status)
    head = header(
        sender=status.sender, receiver=status.receiver,
        document_type=mls.DOCUMENT_TYPE, process=mls.PROCESS,
    )  # fmt: skip
    return sbdh.write(head, content)


def test_a_message_level_status_is_kept_with_the_document_that_it_is_about():
    inbox = EvidenceInbox(Settled("txn", changed=False))

    assert posted(inbox, status_message()).status == 200
    ((access_point, reference, evidence),) = inbox.kept
    assert (access_point, reference) == ("gateway-test", "sent-1")
    assert (evidence.kind, evidence.response_code) == (artefacts.MLS, "AB")
    assert inbox.arrived == []


@pytest.mark.parametrize(("verdict", "status"), [(NotServiced("unknown"), 200), (Busy(), 503)])
def test_a_status_about_an_unknown_document_is_acknowledged_and_a_busy_one_is_not(verdict, status):
    assert posted(EvidenceInbox(verdict), status_message()).status == status


def response_message(content=None):
    head = header(
        sender=samples.RECEIVER, receiver=samples.SENDER,
        document_type=invoice_response.DOCUMENT_TYPE, process=invoice_response.PROCESS,
    )  # fmt: skip
    return sbdh.write(head, content or invoice_response.write(RESPONSE))


def test_an_invoice_response_is_kept_with_the_invoice_that_it_names():
    inbox = EvidenceInbox(Settled("txn", changed=False))

    assert posted(inbox, response_message()).status == 200
    ((access_point, reference, evidence),) = inbox.kept
    assert access_point == "gateway-test"
    assert reference == InvoiceReference(
        Environment.TEST, samples.SENDER, samples.RECEIVER, "INV-1", date(2026, 11, 1)
    )
    assert (evidence.kind, evidence.response_code) == (artefacts.INVOICE_RESPONSE, "RE")
    assert evidence.reasons == ("No such order.",)
    assert inbox.arrived == []


def test_an_invoice_response_that_cannot_be_read_is_acknowledged_and_not_kept():
    namespace = "urn:oasis:names:specification:ubl:schema:xsd:ApplicationResponse-2"
    unreadable = f'<ApplicationResponse xmlns="{namespace}"/>'.encode()
    inbox = EvidenceInbox(Settled("txn", changed=False))

    assert posted(inbox, response_message(unreadable)).status == 200
    assert inbox.kept == []
