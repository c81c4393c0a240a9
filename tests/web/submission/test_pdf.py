"""GET /v1/invoices/{id}/pdf."""

from __future__ import annotations

import facturx
import pytest

from tests.web.caller import Caller, slug
from tests.web.submission.documents import CII_SENDER, cii, request_of, two_lines

FROM_CII = {"format": "cii", "sender": {"peppolId": CII_SENDER}}


@pytest.mark.parametrize(
    "body", [request_of(two_lines("P 1")), request_of(cii(), **FROM_CII)], ids=["ubl", "cii"]
)
def test_a_submitted_invoice_is_available_as_pdf(caller, body):
    """A second request returns the same file."""
    accepted = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
    path = f"/v1/invoices/{accepted.json['id']}/pdf"
    first, second = caller.bearer("GET", path), caller.bearer("GET", path)

    assert (first.status_code, first.content_type) == (200, "application/pdf")
    assert first.data.startswith(b"%PDF-")
    assert second.data == first.data
    assert first.headers["Content-Disposition"].startswith('inline; filename="invoice-')


@pytest.mark.parametrize("body", [request_of(two_lines("F 1")), request_of(cii(), **FROM_CII)])
def test_factur_x_embeds_the_invoice_as_cii(caller, body):
    accepted = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
    answer = caller.bearer("GET", f"/v1/invoices/{accepted.json['id']}/pdf?format=factur-x")

    assert (answer.status_code, answer.content_type) == (200, "application/pdf")
    assert answer.headers["Content-Disposition"].startswith('inline; filename="factur-x-')
    assert facturx.get_xml_from_pdf(answer.data, check_xsd=True)[0] == "factur-x.xml"


def test_an_invoice_that_cii_cannot_express_is_refused_with_reasons(caller):
    twice = two_lines("F 2").replace(
        b"<cac:AccountingSupplierParty>", _PRECEDING * 2 + b"<cac:AccountingSupplierParty>", 1
    )
    accepted = caller.bearer("POST", "/v1/invoices", request_of(twice), Prefer="respond-async")
    path = f"/v1/invoices/{accepted.json['id']}/pdf"
    answer = caller.bearer("GET", f"{path}?format=factur-x")

    assert (answer.status_code, slug(answer)) == (406, "factur-x-not-possible")
    assert answer.json["reasons"] == ["it refers to more than one preceding invoice"]
    assert caller.bearer("GET", path).status_code == 200


_PRECEDING = (
    b"<cac:BillingReference><cac:InvoiceDocumentReference><cbc:ID>1</cbc:ID>"
    b"</cac:InvoiceDocumentReference></cac:BillingReference>"
)


@pytest.mark.parametrize("query", ["format=docx", "format=", "form=pdf"])
def test_another_form_is_refused(caller, query):
    answer = caller.bearer("GET", f"/v1/invoices/{caller.sent()}/pdf?{query}")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")


def test_the_pdf_of_another_tenant_s_invoice_is_not_found(service, caller):
    invoice = caller.sent()
    answer = Caller(service).bearer("GET", f"/v1/invoices/{invoice}/pdf")

    assert (answer.status_code, slug(answer)) == (404, "not-found")
