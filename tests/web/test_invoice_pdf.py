"""GET /api/invoices/{invoiceId}/pdf, for people and programs (decisions 20.6)."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO

import facturx
import pytest
from pypdf import PdfReader

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

MARK = "Nog niet afgeleverd bij de ontvanger"  # the buyer of the samples is in Gent


def path_of(invoice_id: str, query: str = "") -> str:
    return f"/api/invoices/{invoice_id}/pdf{query}"


def marked(answer) -> bool:
    assert (answer.status_code, answer.content_type) == (200, "application/pdf"), answer.text
    return MARK in PdfReader(BytesIO(answer.data)).pages[0].extract_text()


def deliver(caller, invoice, monkeypatch) -> None:
    now = clock.now()
    for seconds in (0, 3):
        monkeypatch.setattr(clock, "now", lambda ahead=seconds: now + timedelta(seconds=ahead))
        caller.work()
    assert caller.get(f"/api/invoices/{invoice}").json["networkStatus"] == "Delivered"


def test_a_viewer_a_key_and_v1_get_the_same_pdf(service, caller):
    invoice = caller.sent(number="P/1")
    viewer = Dashboard(service, caller.tenant, Role.VIEWER)
    answers = [
        viewer.get(path_of(invoice)),
        caller.get(path_of(invoice)),
        caller.bearer("GET", f"/v1/invoices/{invoice}/pdf"),
    ]

    assert len({answer.data for answer in answers}) == 1
    assert {a.headers["Content-Disposition"] for a in answers} == {
        'inline; filename="invoice-P-1.pdf"'
    }


def test_the_pdf_is_marked_until_the_invoice_is_delivered(service, caller, monkeypatch):
    """While it is Processing; it is not withheld."""
    invoice = caller.sent()
    viewer = Dashboard(service, caller.tenant, Role.VIEWER)
    before = viewer.get(path_of(invoice))
    deliver(caller, invoice, monkeypatch)

    assert (marked(before), marked(viewer.get(path_of(invoice)))) == (True, False)


def test_factur_x_embeds_the_invoice_as_cii(service, caller):
    viewer = Dashboard(service, caller.tenant, Role.VIEWER)
    answer = viewer.get(path_of(caller.sent(), "?format=factur-x"))

    assert marked(answer)
    assert answer.headers["Content-Disposition"].startswith('inline; filename="factur-x-')
    assert facturx.get_xml_from_pdf(answer.data, check_xsd=True)[0] == "factur-x.xml"


def test_a_receipt_is_a_strip_of_paper_and_kept_as_an_artefact_of_its_own(caller, monkeypatch):
    invoice = caller.sent()
    deliver(caller, invoice, monkeypatch)
    answer = caller.get(path_of(invoice, "?format=receipt"))
    listed = caller.get(f"/api/invoices/{invoice}/artefacts").json["items"]
    kinds = [each["type"] for each in listed]

    assert answer.headers["Content-Disposition"].startswith('inline; filename="receipt-')
    assert float(PdfReader(BytesIO(answer.data)).pages[0].mediabox.width) < 230
    assert ("PDF_RECEIPT" in kinds, "PDF" in kinds) == (True, False)


@pytest.mark.parametrize(
    ("query", "accept", "status", "expected"),
    [
        ("?format=docx", "*/*", 400, "invalid-field"),
        ("?form=pdf", "*/*", 400, "invalid-field"),
        ("", "image/png", 406, "not-acceptable"),
        ("", "application/pdf", 200, None),
        ("", "*/*;q=0.1, text/html", 200, None),
    ],
)
def test_query_and_accept_are_read_as_in_v1(service, caller, query, accept, status, expected):
    invoice = caller.sent()
    people = Dashboard(service, caller.tenant).get(path_of(invoice, query), Accept=accept)
    v1 = caller.bearer("GET", f"/v1/invoices/{invoice}/pdf{query}", Accept=accept)

    for answer in (people, v1):
        assert answer.status_code == status
        assert expected is None or slug(answer) == expected


def test_a_key_needs_the_scope_for_artefacts(service, caller):
    invoice = caller.sent()
    for scope, status in (("invoices:read", 403), ("artefacts:read", 200)):
        other = Caller(service, tenant=caller.tenant, scopes=[scope])
        assert other.get(path_of(invoice)).status_code == status


def test_a_person_gets_the_pdf_of_both_environments_of_their_tenant_only(service, caller):
    """Another tenant and a key of the other environment get 404."""
    invoice = caller.sent()
    strangers = [
        Dashboard(service).get(path_of(invoice)),
        Caller(service, Environment.LIVE, caller.tenant).get(path_of(invoice)),
    ]

    assert Dashboard(service, caller.tenant).get(path_of(invoice)).status_code == 200
    assert [(a.status_code, slug(a)) for a in strangers] == [(404, "not-found")] * 2
