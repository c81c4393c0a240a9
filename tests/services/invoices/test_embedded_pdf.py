"""The embedded PDF: in the document before the first attempt, and the same in every attempt."""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from io import BytesIO

import pytest
import sqlalchemy as sa
from lxml import etree
from pypdf import PdfReader

from einvoice import clock, validation
from einvoice.documents import pdf
from einvoice.documents.reading import invoice_in
from einvoice.documents.ubl.write import document_xml
from einvoice.network import samples
from einvoice.services.account import tenants
from einvoice.services.invoices import embedded_pdf, pdf_computations
from einvoice.services.invoices import pdf as rendering
from einvoice.store.core import db
from einvoice.store.invoices import artefacts
from einvoice.store.sending import transmissions
from einvoice.store.tables import Transmission
from einvoice.web.runtime import runtime_of
from tests.computing import InProcess
from tests.web.caller import Caller

DELIVERED, REJECTED = "0088:9520000000004", "0088:9520000000059"
NOT_AT_FIRST = "0088:9520000000141"


@pytest.fixture
def caller(app):
    return Caller(app)


def sent_with_pdf(caller: Caller, receiver: str = DELIVERED, **invoice) -> str:
    return caller.sent(receiver, embedPdf=True, **invoice)


def document(caller: Caller, invoice: str) -> bytes:
    return caller.get(f"/api/invoices/{invoice}/artefacts/{_ubl(caller, invoice)}").data


def _ubl(caller: Caller, invoice: str) -> str:
    listed = caller.get(f"/api/invoices/{invoice}/artefacts?type=UBL").json["items"]
    return str(listed[0]["artefactId"])


def attached(content: bytes) -> list[tuple[str, str]]:
    """(media type, file name) of the attachments of a document."""
    return [
        (entry.attachment.mime_type, entry.attachment.filename)
        for entry in invoice_in(content).supporting
        if entry.attachment
    ]


@pytest.mark.parametrize(
    ("setting", "asked", "expected"),
    [
        (None, {}, False),
        (None, {"embedPdf": True}, True),
        (True, {}, True),
        (True, {"embedPdf": False}, False),
        (False, {"embedPdf": True}, True),
    ],
)
def test_the_request_decides_before_the_setting_of_the_tenant(caller, setting, asked, expected):
    with caller.app.app_context():
        tenants.change(caller.tenant, {"profile": {} if setting is None else {"embedPdf": setting}})
    runtime_of(caller.app).caches.clear()
    invoice = caller.sent(**asked)
    caller.work()

    assert bool(attached(document(caller, invoice))) is expected


def test_the_stored_document_is_the_one_that_was_sent(caller, monkeypatch):
    """The UBL artefact, the submitted document and the PDF of the invoice agree."""
    point = runtime_of(caller.app).access_points["simulator"]
    sent: list[bytes] = []
    real = type(point).submit_many

    def submit_many(self, parcels):
        sent.extend(made.content or envelope.document for envelope, made in parcels)
        return real(self, parcels)

    monkeypatch.setattr(type(point), "submit_many", submit_many)
    invoice = sent_with_pdf(caller, number="2026/7")
    caller.work()
    stored = document(caller, invoice)

    assert sent == [stored]
    assert attached(stored) == [("application/pdf", "invoice-2026-7.pdf")]
    (entry,) = invoice_in(stored).supporting
    assert entry.reference == "2026/7"
    with caller.app.app_context():
        marked = rendering.pdf_of(caller.tenant, "test", invoice, InProcess())
        with db.writing() as connection:
            connection.execute(sa.update(Transmission).values(status="Delivered"))
        shown = rendering.pdf_of(caller.tenant, "test", invoice, InProcess())
        kept = [item for item in artefacts.of_invoice(invoice, caller.tenant) if item.kind == "PDF"]
    assert entry.attachment is not None
    assert shown == entry.attachment.content
    assert marked != shown  # until it is delivered, the pages say so; the receiver's never do
    assert "Printed form" not in PdfReader(BytesIO(marked)).pages[0].extract_text()
    assert [item.size for item in kept] == [len(shown)]


def test_the_reference_stands_before_the_parties_and_breaks_no_rule(caller):
    invoice = sent_with_pdf(caller)
    caller.work()
    root = etree.fromstring(document(caller, invoice))
    names = [etree.QName(child).localname for child in root]

    assert names.index("AdditionalDocumentReference") < names.index("AccountingSupplierParty")
    assert validation.check(etree.tostring(root), on=clock.today()).errors == []


@pytest.mark.parametrize(("process", "description"), [("S1", "LISIBLE"), (None, pdf.DESCRIPTION)])
def test_the_description_of_the_pdf_is_a_code_in_france(process, description):
    """BR-FR-17 lets no other text describe an attachment."""
    made = replace(samples.invoice(), profile=process)
    content, printed = pdf_computations.with_pdf(document_xml(made), {}, made.number, "a.pdf")
    (entry,) = invoice_in(content).supporting

    assert entry.description == description
    assert pdf_computations.attached_pdf(content) == printed


def test_a_pdf_attached_by_the_tenant_takes_its_place(caller):
    own = {
        "filename": "own.pdf",
        "mimeType": "application/pdf",
        "content": base64.b64encode(b"%PDF-1.7 own").decode(),
    }
    invoice = sent_with_pdf(caller, attachments=[own])
    caller.work()

    assert attached(document(caller, invoice)) == [("application/pdf", "own.pdf")]


def test_every_attempt_sends_the_same_document(caller, monkeypatch):
    """The second attempt does not render again, even if the branding has changed."""
    rendered = []
    real_render = pdf.render
    monkeypatch.setattr(pdf, "render", lambda *a, **k: rendered.append(1) or real_render(*a, **k))
    real, ahead = clock.now, [timedelta()]
    monkeypatch.setattr(clock, "now", lambda: real() + ahead[0])
    invoice = sent_with_pdf(caller, NOT_AT_FIRST)
    caller.work()
    first = document(caller, invoice)
    with caller.app.app_context():
        tenants.change(caller.tenant, {"profile": {"colour": "#aa0000"}})
    runtime_of(caller.app).caches.clear()
    ahead[0] += timedelta(seconds=60)
    caller.work()

    assert document(caller, invoice) == first
    assert rendered == [1]


def test_a_document_whose_pdf_cannot_be_rendered_is_not_sent(caller, monkeypatch):
    """The PDF was asked for: the send waits, as if its access point were unavailable."""

    def broken(*_: object) -> bytes:
        raise RuntimeError("rendering failed")

    monkeypatch.setattr(pdf, "render", broken)
    invoice = sent_with_pdf(caller)
    caller.work()
    reported = caller.get(f"/api/invoices/{invoice}").json

    assert reported["networkStatus"] == "Processing"
    with caller.app.app_context():
        work = transmissions.find(reported["transactionId"])
    assert work is not None
    assert (work.message_id, work.attempts) == (None, 0)


def test_concurrent_workers_agree_on_one_document(caller):
    """The slower one uses the document that the faster one stored."""
    invoice = sent_with_pdf(caller)

    def complete(_: int) -> bytes:
        with caller.app.app_context():
            work = transmissions.find(caller.get(f"/api/invoices/{invoice}").json["transactionId"])
            assert work is not None
            return embedded_pdf.embedded(work, InProcess()).document

    with ThreadPoolExecutor(3) as pool:
        documents = set(pool.map(complete, range(3)))

    assert documents == {document(caller, invoice)}


def test_a_document_without_an_embedded_pdf_is_not_rendered(caller, monkeypatch):
    rendered = []
    monkeypatch.setattr(pdf, "render", lambda *given: rendered.append(given))
    caller.sent()
    caller.work()

    assert rendered == []
