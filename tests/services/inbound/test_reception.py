"""Receiving documents: each is stored once and reported by one event."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from einvoice.domain.directory import SUPPLIER
from einvoice.domain.environments import Environment
from einvoice.domain.errors import ComputationTooLarge, ComputingUnavailable, NotFound
from einvoice.domain.identifiers import BIS_INVOICE, BIS_INVOICE_CII, DocumentTypeId, ParticipantId
from einvoice.network import samples
from einvoice.network.types import Busy, Duplicate, NotServiced, Stored
from einvoice.services import forms
from einvoice.services.account import tenants
from einvoice.services.computing import sizes
from einvoice.services.computing.pool import Computing
from einvoice.services.computing.process import ProcessLimits
from einvoice.services.computing.slot import NO_SLOT
from einvoice.services.directory import entries, seed
from einvoice.services.inbound import document_content, reception
from einvoice.services.inbound.reception import Reception
from einvoice.services.invoices import pdf
from einvoice.store.core import db
from einvoice.store.inbound import notices, received
from einvoice.store.tables import Artefact, Event, Invoice, Received, Supplier, Transmission
from einvoice.web.runtime import runtime, runtime_of
from tests.builders import CII
from tests.computing import InProcess
from tests.crashes import crash_before, statements_run
from tests.documents.test_hybrid import factur_x
from tests.stored import rows

ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
OURS = samples.RECEIVER


@pytest.fixture
def owner(app, tenant) -> str:
    """A tenant that owns the receiver of the samples, in the sandbox."""
    tenants.own_participant(tenant, Environment.TEST, OURS)
    return tenant


def receive(inbound):
    parts = runtime()
    return reception.receive(inbound, parts.caches, parts.computing, parts.forms)


def inbox_of(app) -> Reception:
    parts = runtime_of(app)
    return Reception(app.app_context, parts.caches, parts.computing, parts.forms)


def reported():
    return Counter(payload["documentId"] for (payload,) in rows(Event.payload))


def test_a_document_is_stored_with_its_receipt_and_told(owner):
    """Invoice, transmission, message, receipt and event: all there when the answer is."""
    inbound = samples.inbound(number="B-1")
    verdict = receive(inbound)

    assert verdict == Stored(verdict.document_id, inbound.receipt)
    assert rows(
        Invoice.id, Invoice.tenant_id, Invoice.direction, Invoice.number, Invoice.grand_total,
        Invoice.original, Invoice.document,
    ) == [
        (verdict.document_id, owner, "received", "B-1", 121, inbound.document, inbound.document)
    ]  # fmt: skip
    assert rows(Transmission.status, Transmission.phase) == [("Received", "done")]
    assert rows(Artefact.kind, Artefact.content) == [("RECEIPT", inbound.receipt)]
    ((event_type, payload),) = rows(Event.type, Event.payload)
    assert event_type == "transaction.received"
    assert payload == {
        "transactionId": payload["transactionId"],
        "invoiceId": verdict.document_id,
        "documentId": verdict.document_id,
        "status": "Received",
        "senderParticipantId": str(samples.SENDER),
        "receiverParticipantId": str(OURS),
        "documentTypeId": str(inbound.document_type),
        "documentNumber": "B-1",
        "contentUrl": f"/api/invoices/{verdict.document_id}/content",
    }


def test_a_repeated_message_is_answered_as_the_first_time(owner):
    """Also with another receipt: the first one is kept."""
    inbound = samples.inbound()
    first = receive(inbound)
    again = receive(replace(inbound, receipt=b"<Other/>"))

    assert again == Duplicate(first.document_id, inbound.receipt)
    assert rows(Invoice.id) == [(first.document_id,)]
    assert reported() == {first.document_id: 1}


def test_another_document_under_a_used_id_is_stored_with_a_warning(owner):
    """A receipt means that the document is there; what repeats either of them is a Duplicate."""
    one = samples.inbound(number="ONE", instance_id="x" * 255)
    other = replace(one, document=samples.inbound(number="OTHER").document, receipt=b"<Other/>")
    first, second = receive(one), receive(other)

    assert (type(first), type(second)) == (Stored, Stored)
    assert receive(one) == Duplicate(first.document_id, one.receipt)
    assert receive(other) == Duplicate(second.document_id, b"<Other/>")
    warned = {
        row[0]: [each["code"] for each in row[1]] for row in rows(Invoice.id, Invoice.warnings)
    }
    assert warned == {first.document_id: [], second.document_id: ["message-id-reused"]}
    assert reported() == {first.document_id: 1, second.document_id: 1}
    assert set(rows(Transmission.message_id)) == {(one.instance_id,)}


@ONE_DATABASE
def test_the_id_of_a_document_under_a_used_id_is_that_of_its_sender(owner):
    """The network is answered about both by the id that it knows."""
    one = samples.inbound(instance_id="one")
    ids = [receive(each).document_id for each in (one, replace(one, document=b"<a/>"))]

    assert {each.instance_id for each in notices.followed(ids).values()} == {"one"}
    assert [received.instance_id(each, owner) for each in ids] == ["one", "one"]


@ONE_DATABASE
@pytest.mark.parametrize(
    "other",
    [
        {"instance_id": "another"},
        {"access_point": "another"},
        {"sender": ParticipantId("0208", "0403019261")},
    ],
)
def test_another_message_is_another_document(owner, other):
    """An id is unique where it was made; somebody else's must not make ours disappear."""
    inbound = samples.inbound(instance_id="one")
    first = receive(inbound)
    second = receive(replace(inbound, **other))

    assert isinstance(second, Stored)
    assert reported() == {first.document_id: 1, second.document_id: 1}


@ONE_DATABASE
def test_the_spelling_of_participants_makes_no_other_message(owner):
    """Participant values do not distinguish case."""
    sender = ParticipantId("9915", "Anybody")
    inbound = samples.inbound(sender=sender)
    first = receive(inbound)
    again = receive(replace(inbound, sender=ParticipantId("9915", "ANYBODY")))

    assert again == Duplicate(first.document_id, inbound.receipt)


@ONE_DATABASE
@pytest.mark.parametrize("statement", range(15))
def test_a_process_that_dies_at_a_document_under_a_used_id_loses_and_doubles_nothing(
    owner, statement
):
    one, other = samples.inbound(instance_id="one"), samples.inbound(instance_id="one")
    other = replace(other, receipt=b"<Other/>", document=samples.inbound(number="O").document)
    first = receive(one)
    with crash_before(statement):
        receive(other)
    again = receive(other)

    assert (again.receipt, len(rows(Received.invoice_id))) == (b"<Other/>", 2)
    assert reported() == {first.document_id: 1, again.document_id: 1}


@pytest.mark.parametrize("statement", range(13))
def test_a_process_that_dies_at_any_statement_loses_and_doubles_nothing(owner, statement):
    """The network comes again until it is answered: then one document is there, and one event."""
    inbound = samples.inbound()
    verdict = None
    with crash_before(statement):
        verdict = receive(inbound)
    stored_before_death = len(rows(Invoice.id))
    again = receive(inbound)

    assert isinstance(again, Duplicate if stored_before_death else Stored)
    assert verdict is None or isinstance(verdict, Stored)
    assert again.receipt == inbound.receipt
    assert [len(rows(t)) for t in (Invoice.id, Transmission.id, Received.invoice_id)] == [1, 1, 1]
    assert len(rows(Artefact.id)) == 1
    assert reported() == {again.document_id: 1}


def test_the_crashes_above_reach_the_end(owner):
    """Thirteen statements are more than a receipt takes; else some line was never died at."""
    with statements_run() as found:
        receive(samples.inbound())

    assert len(found) <= 13


def test_of_many_deliveries_at_once_one_is_the_first(app, owner):
    """Concurrent calls return Stored, Duplicate or Busy: one document, one event."""
    inbox, inbound = inbox_of(app), samples.inbound()
    together = threading.Barrier(6)

    def _deliver(_):
        together.wait()
        return inbox.deliver_inbound(inbound)

    with ThreadPoolExecutor(6) as pool:
        verdicts = list(pool.map(_deliver, range(6)))

    assert sum(isinstance(v, Stored) for v in verdicts) == 1, verdicts
    assert not any(isinstance(v, NotServiced) for v in verdicts)
    assert len(rows(Invoice.id)) == 1
    assert list(reported().values()) == [1]


def test_of_different_documents_under_one_id_at_once_each_is_stored_once(app, owner):
    """Whichever is the first, the others are told from it."""
    inbox, together = inbox_of(app), threading.Barrier(6)
    messages = [
        samples.inbound(number=f"R-{place % 3}", instance_id="one", receipt=b"<R/>")
        for place in range(6)
    ]

    def _deliver(message):
        together.wait()
        return inbox.deliver_inbound(message)

    with ThreadPoolExecutor(6) as pool:
        verdicts = list(pool.map(_deliver, messages))
    verdicts += [receive(message) for message in messages[:3]]

    assert not any(isinstance(v, NotServiced) for v in verdicts)
    assert sorted(rows(Invoice.number)) == [("R-0",), ("R-1",), ("R-2",)]
    assert set(reported().values()) == {1}
    assert [type(v) for v in verdicts[6:]] == [Duplicate] * 3


@ONE_DATABASE
@pytest.mark.parametrize(
    "change",
    [
        {"receiver": ParticipantId("0088", "9520000000011")},
        {"environment": Environment.LIVE},
        {"document_type": DocumentTypeId("busdox-docid-qns", "urn:x:Order-2::Order##x::2.1")},
    ],
    ids=["no owner", "other environment", "not an invoice"],
)
def test_what_is_not_serviced_is_stored_under_nobody(app, owner, change):
    """The network reports it to the sender."""
    inbound = replace(samples.inbound(), **change)
    kind = inbound.document_type

    assert isinstance(receive(inbound), NotServiced)
    assert rows(Invoice.id) == rows(Received.invoice_id) == rows(Event.id) == []
    assert not inbox_of(app).serves(inbound.environment, inbound.receiver, kind, inbound.process)


@ONE_DATABASE
def test_what_is_served_is_told_beforehand(app, owner):
    inbound = samples.inbound()

    assert inbox_of(app).serves(
        inbound.environment, inbound.receiver, inbound.document_type, inbound.process
    )


@ONE_DATABASE
def test_each_tenant_gets_his_own(app, owner):
    """Routed by receiver and environment: the same id in live is somebody else's."""
    other = tenants.create("Other")
    tenants.own_participant(other, Environment.LIVE, OURS)
    receive(samples.inbound())
    receive(samples.inbound(environment=Environment.LIVE))

    assert set(rows(Invoice.tenant_id, Invoice.environment)) == {(owner, "test"), (other, "live")}


@ONE_DATABASE
def test_a_database_that_is_away_is_busy(owner, monkeypatch):
    """The network comes again; nothing was acknowledged."""

    def _away(*_, **__):
        raise OperationalError("INSERT", {}, Exception("the disk is full"))

    monkeypatch.setattr(reception.received, "add_many", _away)

    assert receive(samples.inbound()) == Busy()
    assert rows(Invoice.id) == []


HOSTILE = {
    "nothing": b"",
    "not xml": b"PK\x03\x04 \x00\xff",
    "a page": b"<html><script>alert(1)</script></html>",
    "doctype": b'<!DOCTYPE x [<!ENTITY a "aaaa">]><Invoice>&a;</Invoice>',
    "external": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><Invoice>&a;</Invoice>',
    "deep": b"<a>" * 5000 + b"</a>" * 5000,
    "cut off": CII[:900],
    "utf-16": CII.decode().encode("utf-16"),
    "another root": b'<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"/>',
    "no namespace": b"<Invoice><ID>1</ID></Invoice>",
}

KEPT_NUMBER = (HOSTILE["cut off"], HOSTILE["utf-16"])  # what can be read of them is (salvage)


@ONE_DATABASE
@pytest.mark.parametrize("document", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_invoice_is_kept_as_it_is(owner, document):
    """With what the envelope says, a warning and a red report: never lost, never opened."""
    verdict = receive(samples.inbound(document=document))

    assert isinstance(verdict, Stored)
    ((original, ubl, number, kind, warnings, findings),) = rows(
        Invoice.original, Invoice.document, Invoice.number, Invoice.kind, Invoice.warnings,
        Invoice.findings,
    )  # fmt: skip
    assert (original, ubl, kind) == (document, b"", "invoice")
    assert number == ("2026-1001" if document in KEPT_NUMBER else None)
    assert [warning["code"] for warning in warnings] == ["unreadable-document"]
    assert findings[0]["severity"] == "error"
    assert list(reported().values()) == [1]


FAULTY = {
    "long number": (">F-1</cbc:ID>", f">{'9' * 3000}</cbc:ID>", {"number": "9" * 500}),
    "no number": ("<cbc:ID>F-1</cbc:ID>", "", {"number": None}),
    "no currency": ("EUR</cbc:Doc", "Euros</cbc:Doc", {"currency": None}),
    "long name": ("Sample seller", "S" * 9000, {"supplier_name": "S" * 500}),
    "no day": ("<cbc:IssueDate>", "<cbc:IssueDate>soon ", {"issue_date": None}),
    "no amount": (">121.00</cbc:Pay", ">1e9</cbc:Pay", {"payable": None}),
    "many digits": (">121.00</cbc:Pay", f">{'9' * 41}</cbc:Pay", {"payable": None}),
    "no country": ("Code>BE<", "Code>Belgium<", {"number": "F-1"}),
}


@pytest.mark.parametrize(("old", "new", "kept"), FAULTY.values(), ids=FAULTY)
def test_a_faulty_invoice_is_kept_with_its_findings(owner, old, new, kept):
    """What it says is taken term by term; no term is too long for a column or an index."""
    inbound = samples.inbound(number="F-1")
    text = inbound.document.decode()
    assert old in text
    document = text.replace(old, new).encode()
    verdict = receive(replace(inbound, document=document))

    assert isinstance(verdict, Stored)
    columns = [getattr(Invoice, name) for name in kept]
    assert rows(*columns, Invoice.original) == [(*kept.values(), document)]


@ONE_DATABASE
def test_cii_is_kept_as_it_came_and_offered_as_ubl(owner):
    """Both artefacts exist: UBL and the original."""
    verdict = receive(samples.inbound(document=CII, document_type=BIS_INVOICE_CII))

    assert isinstance(verdict, Stored)
    ((original, ubl, number),) = rows(Invoice.original, Invoice.document, Invoice.number)
    assert original == CII
    assert number.encode() in ubl
    assert ubl.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n<Invoice ')
    assert rows(Received.syntax) == [("cii",)]


_EN16931 = "urn:cen.eu:en16931:2017"
_BIS = f"{_EN16931}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
_AUNZ = f"{_EN16931}#conformant#urn:fdc:peppol.eu:2017:poacc:billing:international:aunz:3.0"
# Customization of the type, that of the document, rule set, rules of errors, rules of warnings.
SPECIFICATIONS = {
    "PINT": ("urn:peppol:pint:billing-1@zz-1",) * 2,
    "PINT that says nothing": ("urn:peppol:pint:billing-1@zz-1", ""),
    "an extension": (_AUNZ, _AUNZ),
    "a CIUS": (f"{_EN16931}#compliant#urn:example",) * 2,
    "BIS sent as PINT": ("urn:peppol:pint:billing-1@zz-1", _BIS),
    "PINT sent as BIS": (_BIS, "urn:peppol:pint:billing-1@zz-1"),
}


def test_a_document_is_judged_by_the_rules_that_are_its_own():
    """Of a specification that is not known its schema is checked; EN 16931 where it says so."""
    found = {}
    for name, (of_type, says) in SPECIFICATIONS.items():
        document = samples.inbound().document.replace(_BIS.encode(), says.encode())
        kind = DocumentTypeId("busdox-docid-qns", BIS_INVOICE.value.replace(_BIS, of_type))
        report = read_with(InProcess(), document, kind).report
        rules = [each.rule_id for each in report.findings if each.severity != "information"]
        found[name] = (report.rule_set.partition("-")[0], report.light.value, rules)

    assert found.pop("PINT sent as BIS")[:2] == ("peppol", "red")
    assert found.pop("BIS sent as PINT") == ("peppol", "green", [])
    assert found == {
        "PINT": ("en16931", "amber", ["NOT-JUDGED-KNOWN"]),
        "PINT that says nothing": ("en16931", "amber", ["NOT-JUDGED-UNKNOWN"]),
        "an extension": ("en16931", "amber", ["NOT-JUDGED-EXTENSION"]),
        "a CIUS": ("en16931", "amber", ["NOT-JUDGED-SPECIFICATION"]),
    }


def test_a_document_of_an_unknown_specification_must_be_right_by_its_schema():
    of_type, says = SPECIFICATIONS["PINT"]
    kind = DocumentTypeId("peppol-doctype-wildcard", BIS_INVOICE.value.replace(_BIS, of_type))
    document = samples.inbound().document.replace(_BIS.encode(), says.encode())
    broken = document.replace(b"<cbc:IssueDate>", b"<cbc:IssueDate>soon ")

    assert read_with(InProcess(), document, kind).report.light.value == "amber"
    assert read_with(InProcess(), broken, kind).report.light.value == "red"


FACTUR_X = DocumentTypeId(
    "busdox-docid-qns",
    f"urn:peppol:doctype:pdf+xml##{_EN16931}#conformant#urn:peppol:france:billing:Factur-X:1.0::D22B",
)


@ONE_DATABASE
def test_a_pdf_with_an_invoice_is_stored_and_judged_by_the_invoice(owner):
    """Factur-X over Peppol: the PDF is the original, the invoice inside of it is read."""
    made = factur_x()
    inbound = samples.inbound(document=made, document_type=FACTUR_X)
    verdict = reception.receive(inbound, runtime().caches, InProcess(), runtime().forms)

    assert isinstance(verdict, Stored)
    ((original, kind, ubl, number, pack, findings, warnings),) = rows(
        Invoice.original, Invoice.original_type, Invoice.document, Invoice.number,
        Invoice.rule_pack, Invoice.findings, Invoice.warnings,
    )  # fmt: skip
    assert (original, kind) == (made, "application/pdf")
    assert number.encode() in ubl
    assert pack.startswith("factur-x")
    assert [each["severity"] for each in findings] == ["information"]
    assert warnings == []


@ONE_DATABASE
@pytest.mark.parametrize(
    ("document", "fault", "rule"),
    [
        (b"%PDF-1.7 \x00\xff", None, "PDF-DAMAGED"),
        (b"%PDF-1.7", ComputingUnavailable("Too many wait."), "NOT-JUDGED"),
        (b"%PDF-1.7", ComputationTooLarge("Too large."), "NOT-JUDGED"),
    ],
    ids=["damaged", "no process", "too large"],
)
def test_a_pdf_without_a_readable_invoice_is_kept(owner, document, fault, rule):
    """It is opened in a computing process only: a PDF is hostile input."""
    inbound = samples.inbound(document=document, document_type=FACTUR_X)
    verdict = reception.receive(inbound, runtime().caches, Called(fault), runtime().forms)

    assert isinstance(verdict, Stored)
    ((original, kind, findings, warnings),) = rows(
        Invoice.original, Invoice.original_type, Invoice.findings, Invoice.warnings
    )
    assert (original, kind, findings[0]["ruleId"]) == (document, "application/pdf", rule)
    assert [each["code"] for each in warnings] == ["unreadable-document"]


@ONE_DATABASE
def test_a_number_that_came_before_is_warned_of(owner):
    """The usual way to pay a bill twice."""
    for _ in range(2):
        receive(samples.inbound(number="TWICE"))
    first, second = [[w["code"] for w in warnings] for (warnings,) in rows(Invoice.warnings)]

    assert (first, second) == ([], ["possible-duplicate"])


@ONE_DATABASE
def test_a_reader_that_breaks_loses_nothing(owner, monkeypatch):
    """A fault of ours in a rule must not send a document back and forth for ever."""

    def _broken(*_, **__):
        raise RecursionError

    for step in ("judge", "opened"):
        monkeypatch.setattr(f"einvoice.services.inbound.document_content.{step}", _broken)
    receive(samples.inbound())
    pdf = samples.inbound(document=b"%PDF-1.7", document_type=FACTUR_X, instance_id="pdf")
    reception.receive(pdf, runtime().caches, InProcess(), runtime().forms)

    (findings, warnings), (of_pdf, _) = rows(Invoice.findings, Invoice.warnings)
    for found in (findings, of_pdf):
        assert [(each["ruleId"], each["severity"]) for each in found] == [("NOT-JUDGED", "warning")]
    assert warnings[0]["code"] == "unreadable-document"


# -- large documents -------------------------------------------------------------------------------

UNAVAILABLE = [ComputingUnavailable("Too many wait."), BlockingIOError(11, "no more processes")]


class Called(InProcess):
    """Computes in this process, and notes what was called; or raises `fault` instead."""

    def __init__(self, fault: Exception | None = None) -> None:
        super().__init__()
        self._slot = NO_SLOT  # that of the web needs an application
        self.called: list[str] = []
        self.fault = fault

    def run(self, tenant_id, function, *args, large=True):
        if large:
            self.called.append(function.__name__)
            if self.fault is not None:
                raise self.fault
        return super().run(tenant_id, function, *args, large=large)


def read_with(computing, document, kind=BIS_INVOICE):
    return document_content.read(document, kind, "t1", computing, forms.installed().of("peppol"))


@pytest.fixture
def all_large(monkeypatch):
    monkeypatch.setattr(sizes, "MAX_TAGS", 0)
    monkeypatch.setattr(sizes, "_MIN_BYTES", 0)


READABLE = {
    "good": samples.inbound().document,
    "faulty": samples.inbound().document.replace(b"EUR</cbc:Doc", b"Euros</cbc:Doc"),
    "cii": CII,
    **HOSTILE,
}


@pytest.mark.parametrize("document", READABLE.values(), ids=READABLE)
def test_a_large_document_is_read_in_a_computing_process_with_the_same_result(document, request):
    here, there = Called(), Called()
    small = read_with(here, document)
    request.getfixturevalue("all_large")

    assert read_with(there, document) == small
    assert (here.called, there.called) == ([], ["read_on"] if b"<" in document else [])


@pytest.mark.parametrize("fault", UNAVAILABLE, ids=["no turn", "no process"])
def test_a_large_document_is_not_read_here_if_no_computing_process_is_available(all_large, fault):
    """This process has no bound of time; a refusal would return the document to the network."""
    computing = Called(fault)
    found = read_with(computing, samples.inbound(number="L-1").document)

    assert (found.head.number, found.is_unread, computing.called) == (None, True, ["read_on"])


@ONE_DATABASE
def test_a_document_beyond_the_bounds_of_a_computation_is_stored_unread(owner, all_large):
    """Reading it here would take the memory or CPU time that the bounds protect."""
    inbound = samples.inbound()
    verdict = reception.receive(
        inbound, runtime().caches, Called(ComputationTooLarge("Too large.")), runtime().forms
    )

    assert isinstance(verdict, Stored)
    ((original, findings, warnings),) = rows(Invoice.original, Invoice.findings, Invoice.warnings)
    assert (original, findings[0]["ruleId"]) == (inbound.document, "NOT-JUDGED")
    assert warnings[0]["code"] == "unreadable-document"


@ONE_DATABASE
def test_a_large_document_is_received_from_a_real_computing_process(app, owner):
    """Of 700 lines, by the inbox of plugins."""
    text = samples.inbound(number="L-2").document.decode()
    begin = text.index("<cac:InvoiceLine>")
    end = text.index("</cac:InvoiceLine>") + len("</cac:InvoiceLine>")
    document = (text[:begin] + text[begin:end] * 700 + text[end:]).encode()
    processes = Computing(ProcessLimits(2560 * 1024**2, 60.0, 60.0, "CRITICAL"))
    parts = runtime_of(app)
    inbox = Reception(app.app_context, parts.caches, processes, parts.forms)
    verdict = inbox.deliver_inbound(samples.inbound(document=document))
    computed = processes._idle[0].calls
    processes.close()

    assert computed == 1
    assert sizes.is_large(document)
    assert isinstance(verdict, Stored)
    assert rows(Invoice.number, Invoice.document) == [("L-2", document)]


def with_attachment(size, **changes):
    """A document of exactly so many bytes, nearly all of them an attachment."""
    text = samples.inbound(**changes).document
    begin = (
        b"<cac:AdditionalDocumentReference><cbc:ID>plan</cbc:ID><cac:Attachment>"
        b'<cbc:EmbeddedDocumentBinaryObject mimeCode="application/pdf" filename="plan.pdf">'
    )
    end = b"</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>"
    place = text.index(b"<cac:AccountingSupplierParty>")
    room = size - len(text) - len(begin) - len(end)
    return text[:place] + begin + (b"QUJD" * (room // 4 + 1))[:room] + end + text[place:]


def test_a_document_beyond_the_limit_of_requests_is_judged():
    """21 MiB: a request may have 20, a document from a network 100."""
    document = with_attachment(21 * 1024**2, number="L-3")
    found = read_with(Called(), document)

    assert (found.head.number, found.ubl == document) == ("L-3", True)
    assert "XML-TOO-LARGE" not in [finding.rule_id for finding in found.report.findings]


@ONE_DATABASE
@pytest.mark.parametrize("over", [0, 1])
def test_a_document_of_the_largest_size_is_judged_and_a_longer_one_not_taken(
    owner, monkeypatch, over
):
    """The plugin says so to the network."""
    inbound = samples.inbound(document=with_attachment(20_000, number="L-4"))
    for module in (document_content, reception):
        monkeypatch.setattr(module, "MAX_RECEIVED_BYTES", 20_000 - over)
    verdict = receive(inbound)

    assert isinstance(verdict, NotServiced if over else Stored)
    assert rows(Invoice.number) == ([] if over else [("L-4",)])


@pytest.mark.long  # some 400 MiB
@ONE_DATABASE
def test_a_hundred_mebibytes_are_judged_in_a_computing_process(app, owner):
    """Within the bounds of a computation, which are those of the defaults."""
    document = with_attachment(100 * 1024**2, number="L-5")
    parts = runtime_of(app)
    processes = Computing(ProcessLimits(2560 * 1024**2, 20.0, 60.0, "CRITICAL"))
    inbox = Reception(app.app_context, parts.caches, processes, parts.forms)
    verdict = inbox.deliver_inbound(samples.inbound(document=document))
    processes.close()

    assert isinstance(verdict, Stored)
    ((number, size),) = rows(Invoice.number, sa.func.length(Invoice.document))
    assert (number, size) == ("L-5", len(document))


@pytest.mark.parametrize("instance_id", ["", "a" * 256, "line\nfeed", "nul\x00"])
def test_an_instance_id_is_printable_and_fits(instance_id):
    """A plugin learns it at once, not when the database chokes on it."""
    with pytest.raises(ValueError, match="instance id"):
        samples.inbound(instance_id=instance_id)

    assert samples.inbound(instance_id="a" * 255)


# -- suppliers -------------------------------------------------------------------------------------


def a_supplier(tenant, **said) -> str:
    values = {"name": "Somebody", "country_code": "BE", "default_gl_account_code": "6100"}
    return entries.create(SUPPLIER, tenant, values | said).id


@pytest.mark.parametrize(
    "said",
    [
        {"peppol_id": str(samples.SENDER)},
        {"tax_id": "be 0123.456.749"},
        {"name": "  SAMPLE  seller "},
    ],
    ids=["participant id", "tax id", "name"],
)
def test_a_bill_of_a_known_supplier_is_coded(owner, said):
    """However the directory writes what it is known by."""
    supplier = a_supplier(owner, **said)
    receive(samples.inbound())

    assert rows(Received.supplier_id, Received.gl_account_code) == [(supplier, "6100")]


@ONE_DATABASE
def test_the_participant_id_tells_more_than_the_tax_id_and_that_more_than_the_name(owner):
    names = a_supplier(owner, name="Sample seller")
    taxes = a_supplier(owner, tax_id="BE0123456749")
    sends = a_supplier(owner, peppol_id=str(samples.SENDER))
    for supplier in (sends, taxes, names):
        bill = receive(samples.inbound()).document_id
        entries.remove(SUPPLIER, owner, supplier)

        assert (bill, supplier) in rows(Received.invoice_id, Received.supplier_id)


def two_suppliers(owner, **second) -> list[str]:
    """Suppliers with the participant id of the sample's sender, as earlier releases stored them."""
    made = [a_supplier(owner, name="One"), a_supplier(owner, **({"name": "Two"} | second))]
    keys = {"peppol_id": str(samples.SENDER), "peppol_key": samples.SENDER.canonical}
    with db.writing() as connection:
        connection.execute(sa.update(Supplier).where(Supplier.id.in_(made)).values(**keys))
    return made


@ONE_DATABASE
def test_a_bill_that_two_suppliers_match_has_neither_until_they_are_merged(owner):
    """Never silently the first: the warning names both, and the merge assigns the bill."""
    first, second = two_suppliers(owner)
    bill = receive(samples.inbound()).document_id

    ((warnings,),) = rows(Invoice.warnings)
    assert rows(Received.supplier_id, Received.gl_account_code) == [(None, None)]
    assert [w["code"] for w in warnings] == ["supplier-ambiguous"]
    assert all(f"({each})" in warnings[0]["values"]["suppliers"] for each in (first, second))
    entries.change(SUPPLIER, owner, second, {"default_gl_account_code": "6000"})
    entries.merge(SUPPLIER, owner, second, first)
    assert rows(Received.invoice_id, Received.supplier_id) == [(bill, second)]
    assert rows(Received.gl_account_code) == [("6000",)]


@ONE_DATABASE
def test_of_two_suppliers_the_one_with_the_bills_tax_id_is_taken(owner):
    _, second = two_suppliers(owner, tax_id="BE0123456749")
    receive(samples.inbound())

    ((warnings,),) = rows(Invoice.warnings)
    assert rows(Received.supplier_id) == [(second,)]
    assert warnings == []


@ONE_DATABASE
def test_a_merge_moves_the_bills_and_leaves_those_of_others(owner):
    """A third supplier of the participant id keeps undecided bills undecided."""
    first = a_supplier(owner, tax_id="BE0123456749")
    moved = receive(samples.inbound()).document_id
    entries.change(SUPPLIER, owner, first, {"tax_id": None})
    kept, third = two_suppliers(owner)
    undecided = receive(samples.inbound()).document_id
    entries.merge(SUPPLIER, owner, kept, first)

    found = dict(rows(Received.invoice_id, Received.supplier_id))
    assert found == {moved: kept, undecided: None}
    assert third


@ONE_DATABASE
def test_a_bill_of_nobody_known_waits_for_a_person(owner):
    """An empty directory, another tenant's supplier, a document without a name."""
    other = tenants.create("Other")
    a_supplier(other, name="Sample seller")
    receive(samples.inbound())
    receive(samples.inbound(document=b"<Other/>"))

    assert rows(Received.supplier_id, Received.gl_account_code) == [(None, None)] * 2


@ONE_DATABASE
def test_suppliers_are_seeded_from_bills_and_unreadable_ones_left_out(owner):
    """An unreadable document has no supplier."""
    receive(samples.inbound())
    receive(samples.inbound(document=b"<Other/>"))
    seeded = seed.seed(SUPPLIER, owner)

    assert (seeded.created, seeded.skipped) == (1, 0)
    assert rows(Invoice.supplier_tax_id, Invoice.supplier_country, Invoice.buyer_country)[0] == (
        "BE0123456749", "BE", "BE",
    )  # fmt: skip


# -- on paper --------------------------------------------------------------------------------------


@ONE_DATABASE
def test_a_bill_can_be_printed_and_what_is_none_cannot(owner):
    """Not found rather than a fault: there is no such page."""
    bill = receive(samples.inbound()).document_id
    other = receive(samples.inbound(document=b"%PDF-1.7")).document_id

    assert pdf.pdf_of(owner, "test", bill, InProcess()).startswith(b"%PDF-")
    with pytest.raises(NotFound, match="cannot be read as an invoice"):
        pdf.pdf_of(owner, "test", other, InProcess())
