"""ZUGFeRD 1.0, which is older than EN 16931: known by name, not judged, not converted, not sent."""

from __future__ import annotations

from datetime import date
from io import BytesIO

import pikepdf
import pytest

from einvoice.domain.identifiers import BIS_INVOICE_CII
from einvoice.network.access_points import PEPPOL
from einvoice.services import forms
from einvoice.services.inbound import document_content
from einvoice.validation import check
from tests.builders import RECEIVER
from tests.web.caller import slug
from tests.web.submission.documents import SAMPLES, encoded, request_of

DAY = date(2026, 11, 23)
DOCUMENT = (SAMPLES / "former" / "zugferd_1.xml").read_bytes()
XML = {"Content_Type": "application/xml"}


def in_pdf(name: str = "ZUGFeRD-invoice.xml") -> bytes:
    document, content = pikepdf.new(), BytesIO()
    document.add_blank_page()
    document.attachments[name] = pikepdf.AttachedFileSpec(document, DOCUMENT, filename=name)
    document.save(content)
    return content.getvalue()


def test_its_document_element_names_it():
    """Of the release and of its candidate; the same name in another namespace is no invoice."""
    found = {}
    for namespace in (b":invoice:1p0", b":invoice:rc", b":order:1p0"):
        report = check(DOCUMENT.replace(b":invoice:1p0", namespace, 1), on=DAY)
        found[namespace] = (report.light.value, [each.rule_id for each in report.findings])

    assert found == {
        b":invoice:1p0": ("amber", ["NOT-JUDGED-FORMER"]),
        b":invoice:rc": ("amber", ["NOT-JUDGED-FORMER"]),
        b":order:1p0": ("red", ["XSD-UNKNOWN-DOCUMENT"]),
    }


@pytest.mark.parametrize("form", ["XML", "PDF"])
def test_a_validation_says_what_to_do(caller, form):
    body = DOCUMENT if form == "XML" else in_pdf()
    media = "application/xml" if form == "XML" else "application/pdf"
    answer = caller.bearer("POST", "/v1/invoices/validate", body, Content_Type=media)

    assert (answer.status_code, answer.json["trafficLight"]) == (200, "amber")
    (finding,) = (each for each in answer.json["findings"] if each["severity"] == "warning")
    assert finding["ruleId"] == "NOT-JUDGED-FORMER"
    assert "ZUGFeRD 1.0" in finding["message"]
    assert "Ask the issuer for the invoice as ZUGFeRD 2" in finding["suggestion"]


def test_a_conversion_and_a_send_name_it_in_their_refusal(caller):
    answers = (
        caller.bearer("POST", "/v1/invoices/convert", DOCUMENT, **XML),
        caller.bearer("POST", "/v1/invoices/convert", {"invoice": encoded(in_pdf())}),
        caller.bearer("POST", "/v1/invoices", request_of(DOCUMENT, RECEIVER, format="auto")),
    )

    for answer in answers:
        assert (answer.status_code, slug(answer)) == (400, "invalid-field")
        assert "ZUGFeRD 1.0" in answer.json["detail"]
        assert "ask its issuer for ZUGFeRD 2 or Factur-X" in answer.json["detail"]


def test_a_received_one_is_a_bill_that_says_what_it_is():
    network = forms.installed().of(PEPPOL)
    found = document_content.read_on(DOCUMENT, BIS_INVOICE_CII, DAY, network)

    assert [each.rule_id for each in found.report.findings] == ["NOT-JUDGED-FORMER"]
    assert (found.report.light.value, found.report.is_document, found.ubl) == ("amber", False, b"")
