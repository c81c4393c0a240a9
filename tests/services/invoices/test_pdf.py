"""Rendered PDFs: one for each invoice and branding, under repeated and concurrent requests."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from io import BytesIO

import facturx
import pytest
import sqlalchemy as sa
from pypdf import PdfReader

from einvoice import clock
from einvoice.documents import pdf
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.errors import NotAsFacturX, NotFound
from einvoice.domain.invoice import PaymentMeans
from einvoice.services.account import tenants
from einvoice.services.invoices import pdf as rendering
from einvoice.store.core import db
from einvoice.store.invoices import artefacts
from einvoice.store.tables import Invoice, Transmission
from tests.builders import accepted
from tests.computing import InProcess
from tests.documents.pdf.samples import TRANSFER, an_invoice


@pytest.fixture
def sent(app):
    """(tenant, invoice id) of a delivered invoice."""
    tenant = tenants.create("Acme")
    send = accepted(tenant, number="2026-0042", document=document_xml(an_invoice()))
    becomes("Delivered")
    return tenant, send.invoice_id


def becomes(status: str) -> None:
    """Give all transmissions the status."""
    with db.writing() as connection:
        connection.execute(sa.update(Transmission).values(status=status))


@pytest.fixture
def renderings(monkeypatch):
    """Counts the calls of `pdf.render`."""
    real, count = pdf.render, []
    monkeypatch.setattr(pdf, "render", lambda *a, **k: count.append(1) or real(*a, **k))
    return count


def kept(invoice_id: str, tenant: str) -> list[artefacts.ArtefactSummary]:
    return [item for item in artefacts.of_invoice(invoice_id, tenant) if item.kind == "PDF"]


def test_an_invoice_is_rendered_once(sent, renderings):
    """Later requests return the stored artefact."""
    tenant, invoice = sent

    first = rendering.pdf_of(tenant, "test", invoice, InProcess())
    second = rendering.pdf_of(tenant, "test", invoice, InProcess())

    assert first.startswith(b"%PDF-1.7")
    assert second == first
    assert len(renderings) == 1
    assert [(item.name, item.size) for item in kept(invoice, tenant)] == [
        ("invoice-2026-0042.pdf", len(first))
    ]


def test_the_same_invoice_gives_the_same_bytes_on_any_day(sent, monkeypatch):
    """So concurrent renderings agree, and one copy is stored."""
    first = rendering.pdf_of(sent[0], "test", sent[1], InProcess())
    with db.writing() as connection:
        connection.execute(sa.text("DELETE FROM artefacts"))
    later = clock.now() + timedelta(days=400)
    monkeypatch.setattr(clock, "now", lambda: later)

    assert rendering.pdf_of(sent[0], "test", sent[1], InProcess()) == first


def test_another_branding_is_another_pdf(sent):
    tenant, invoice = sent
    before = rendering.pdf_of(tenant, "test", invoice, InProcess())

    tenants.change(tenant, {"profile": {"displayName": "Acme reborn", "colour": "#aa0000"}})

    assert rendering.pdf_of(tenant, "test", invoice, InProcess()) != before
    assert len(kept(invoice, tenant)) == 2


def test_concurrent_renderings_store_one_pdf(app, sent):
    tenant, invoice = sent

    def render(_: int) -> bytes:
        with app.app_context():
            return rendering.pdf_of(tenant, "test", invoice, InProcess())

    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(render, range(4)))

    assert len(made) == 1
    assert len(kept(invoice, tenant)) == 1


@pytest.mark.parametrize("stranger", ["tenant", "environment", "invoice"])
def test_the_invoice_of_another_tenant_or_environment_is_not_found(sent, stranger):
    tenant, invoice = sent
    other = {
        "tenant": (tenants.create("Other"), "test", invoice),
        "environment": (tenant, "live", invoice),
        "invoice": (tenant, "test", str(uuid.uuid4())),
    }

    with pytest.raises(NotFound):
        rendering.pdf_of(*other[stranger], InProcess())


def test_a_received_invoice_does_not_have_the_branding_of_its_receiver(sent):
    tenant, invoice = sent
    sent_bytes = rendering.pdf_of(tenant, "test", invoice, InProcess())
    tenants.change(tenant, {"profile": {"displayName": "The buyer"}})
    with db.writing() as connection:
        connection.execute(sa.update(Invoice).values(direction="received"))

    assert rendering.pdf_of(tenant, "test", invoice, InProcess()) == sent_bytes


@pytest.mark.parametrize("status", ["Processing", "Failed"])
def test_pages_of_an_undelivered_invoice_are_marked_and_not_stored(sent, status):
    """In the language of the page; once it is delivered, the mark is gone."""
    tenant, invoice = sent
    clean = rendering.pdf_of(tenant, "test", invoice, InProcess())
    becomes(status)
    marked = [
        made(tenant, "test", invoice, InProcess())
        for made in (rendering.pdf_of, rendering.factur_x_of)
    ]
    with db.writing() as connection:
        connection.execute(sa.text("DELETE FROM artefacts"))
    again = rendering.pdf_of(tenant, "test", invoice, InProcess())

    assert [MARK in text_of(made) for made in (clean, *marked)] == [False, True, True]
    assert again == marked[0]
    assert artefacts.of_invoice(invoice, tenant) == []
    becomes("Delivered")
    assert rendering.pdf_of(tenant, "test", invoice, InProcess()) == clean


def test_pages_of_a_received_invoice_are_never_marked(sent):
    tenant, invoice = sent
    becomes("Received")
    with db.writing() as connection:
        connection.execute(sa.update(Invoice).values(direction="received"))

    assert MARK not in text_of(rendering.pdf_of(tenant, "test", invoice, InProcess()))


MARK = "Dem Empfänger noch nicht zugestellt"


def text_of(content: bytes) -> str:
    return " ".join(page.extract_text() for page in PdfReader(BytesIO(content)).pages)


def test_factur_x_is_stored_beside_the_pdf(sent):
    tenant, invoice = sent

    hybrid = rendering.factur_x_of(tenant, "test", invoice, InProcess())
    again = rendering.factur_x_of(tenant, "test", invoice, InProcess())

    kept_kinds = {item.kind: item.name for item in artefacts.of_invoice(invoice, tenant)}
    assert kept_kinds == {"FACTUR_X": "factur-x-2026-0042.pdf"}
    assert again == hybrid != rendering.pdf_of(tenant, "test", invoice, InProcess())
    assert facturx.get_xml_from_pdf(hybrid, check_xsd=True)[0] == "factur-x.xml"


def test_an_invoice_that_cii_cannot_express_is_refused_with_the_reasons(app):
    tenant = tenants.create("Acme")
    other = PaymentMeans("31", remittance="another", transfers=TRANSFER.transfers)
    document = document_xml(an_invoice(payment=(TRANSFER, other)))
    invoice = accepted(tenant, document=document).invoice_id

    with pytest.raises(NotAsFacturX) as refused:
        rendering.factur_x_of(tenant, "test", invoice, InProcess())

    assert refused.value.extras()["reasons"] == [
        "its payment means have more than one payment reference"
    ]
    assert artefacts.of_invoice(invoice, tenant) == []


def test_an_invoice_that_breaks_a_rule_of_en_16931_is_refused_with_the_rule(app):
    tenant = tenants.create("Acme")
    wrong = replace(an_invoice().totals, payable=Decimal("1.00"))
    invoice = accepted(tenant, document=document_xml(an_invoice(totals=wrong))).invoice_id

    with pytest.raises(NotAsFacturX, match="BR-CO-16"):
        rendering.factur_x_of(tenant, "test", invoice, InProcess())


def test_an_invoice_with_more_than_the_maximum_of_lines_has_no_pdf(app, monkeypatch):
    """A received one could take all memory to render; one with the maximum is rendered."""
    tenant = tenants.create("Acme")
    invoice = accepted(tenant, document=document_xml(an_invoice())).invoice_id
    monkeypatch.setattr(rendering, "MAX_LINES", 2)
    with pytest.raises(NotFound, match="more than 2 lines"):
        rendering.pdf_of(tenant, "test", invoice, InProcess())
    monkeypatch.setattr(rendering, "MAX_LINES", 3)

    assert rendering.pdf_of(tenant, "test", invoice, InProcess()).startswith(b"%PDF")
