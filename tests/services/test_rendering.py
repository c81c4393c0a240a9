"""One PDF for each look of an invoice, however often and by however many it is asked for."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.documents import pdf
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.errors import NotFound
from einvoice.services import rendering, tenants
from einvoice.store import artefacts, db
from einvoice.store.tables import Invoice
from tests.builders import accepted
from tests.documents.pdf.samples import an_invoice


@pytest.fixture
def sent(app):
    """(tenant, invoice id) of an accepted invoice."""
    tenant = tenants.create("Acme")
    send = accepted(tenant, number="2026-0042", document=document_xml(an_invoice()))
    return tenant, send.invoice_id


@pytest.fixture
def renderings(monkeypatch):
    """Counts how often pages are set."""
    real, count = pdf.render, []
    monkeypatch.setattr(pdf, "render", lambda *given: count.append(1) or real(*given))
    return count


def kept(invoice_id: str) -> list[artefacts.Kept]:
    return [item for item in artefacts.of_invoice(invoice_id) if item.kind == "PDF"]


def test_an_invoice_is_rendered_once(sent, renderings):
    """Afterwards the kept artefact is handed out, a day later too."""
    tenant, invoice = sent

    first = rendering.pdf_of(tenant, "test", invoice)
    second = rendering.pdf_of(tenant, "test", invoice)

    assert first.startswith(b"%PDF-1.7")
    assert second == first
    assert len(renderings) == 1
    assert [(item.name, item.size) for item in kept(invoice)] == [
        ("invoice-2026-0042.pdf", len(first))
    ]


def test_the_same_invoice_gives_the_same_bytes_on_any_day(sent, monkeypatch):
    """So two who render at once agree, and an archive need not keep two."""
    first = rendering.pdf_of(sent[0], "test", sent[1])
    with db.writing() as connection:
        connection.execute(sa.text("DELETE FROM artefacts"))
    later = clock.now() + timedelta(days=400)
    monkeypatch.setattr(clock, "now", lambda: later)

    assert rendering.pdf_of(sent[0], "test", sent[1]) == first


def test_another_look_is_another_pdf(sent):
    tenant, invoice = sent
    before = rendering.pdf_of(tenant, "test", invoice)

    tenants.change(tenant, {"profile": {"displayName": "Acme reborn", "colour": "#aa0000"}})
    tenants.forget()

    assert rendering.pdf_of(tenant, "test", invoice) != before
    assert len(kept(invoice)) == 2


def test_two_renderings_at_once_leave_one(app, sent):
    tenant, invoice = sent

    def render(_: int) -> bytes:
        with app.app_context():
            return rendering.pdf_of(tenant, "test", invoice)

    with ThreadPoolExecutor(4) as pool:
        made = set(pool.map(render, range(4)))

    assert len(made) == 1
    assert len(kept(invoice)) == 1


@pytest.mark.parametrize("stranger", ["tenant", "environment", "invoice"])
def test_nobody_elses_invoice_is_rendered(sent, stranger):
    tenant, invoice = sent
    other = {
        "tenant": (tenants.create("Other"), "test", invoice),
        "environment": (tenant, "live", invoice),
        "invoice": (tenant, "test", str(uuid.uuid4())),
    }

    with pytest.raises(NotFound):
        rendering.pdf_of(*other[stranger])


def test_a_received_invoice_does_not_wear_the_look_of_who_received_it(sent):
    tenant, invoice = sent
    sent_bytes = rendering.pdf_of(tenant, "test", invoice)
    tenants.change(tenant, {"profile": {"displayName": "The buyer"}})
    tenants.forget()
    with db.writing() as connection:
        connection.execute(sa.update(Invoice).values(direction="received"))

    assert rendering.pdf_of(tenant, "test", invoice) == sent_bytes
