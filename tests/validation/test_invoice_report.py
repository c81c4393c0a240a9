"""The report on a send that breaks a rule names the rule and the field of the request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from einvoice.documents import pdf
from einvoice.documents.cii import write as cii
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.branding import Branding
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Invoice, Routing
from einvoice.validation import Light, Report, check, findings
from tests.documents.strategies import invoices
from tests.validation.conftest import derived

DAY = date(2026, 11, 21)
ROUTING = Routing(ParticipantId("0208", "0123456749"), ParticipantId("0088", "9520000000004"))
Judged = Callable[[dict[str, Any]], Report]


@pytest.mark.parametrize(
    ("day", "release"), [(date(2027, 2, 23), "3.0.21"), (date(2027, 2, 24), "3.0.22")]
)
def test_a_correct_send_is_green_and_names_the_rules(
    judged: Judged, monkeypatch: pytest.MonkeyPatch, day: date, release: str
) -> None:
    """The report has the id of the pack in force."""
    monkeypatch.setattr("einvoice.clock.today", lambda: day)
    report = judged({})

    assert (report.light, report.findings) == (Light.GREEN, ())
    assert report.rule_set == f"peppol-bis-billing-{release}"


LINE = {"description": "More", "quantity": 1, "unitPrice": 0, "taxRate": 21.0}
BACKWARDS = {"startDate": "2026-11-02", "endDate": "2026-11-01"}
CPV = {"classifications": [{"scheme": "CPV", "value": "1"}]}
GERMANS = {
    "invoice.supplier.taxId": "DE123456788",
    "invoice.supplier.address.countryCode": "DE",
    "invoice.buyer.address.countryCode": "DE",
}
SELLER, BUYER = "routing.senderParticipantId", "routing.receiverParticipantId"

# The change to a correct send, the rule it breaks, and the field of the finding.
CHANGES: list[tuple[dict[str, Any], str, str]] = [
    (
        {"invoice.supplier.taxId": None, "invoice.supplier.companyId": "0208:0123456749"},
        "BR-S-02",
        "invoice.supplier.taxId",
    ),
    ({"invoice.lineItems.0.unitCode": "PCE"}, "BR-CL-23", "invoice.lineItems[0].unitCode"),
    ({"invoice.lineItems.0.taxCategory": "E"}, "BR-E-05", "invoice.lineItems[0].taxRate"),
    ({"invoice.lineItems.0.taxCategory": "E"}, "BR-E-10", "invoice.taxExemption"),
    ({"invoice.paymentMeans": {"method": "999"}}, "BR-CL-16", "invoice.paymentMeans.method"),
    ({"invoice.paymentMeans": {"method": "30"}}, "BR-61", "invoice.paymentMeans.iban"),
    ({"invoice.period": BACKWARDS}, "BR-29", "invoice.period.startDate"),
    (
        {"invoice.lineItems.0.period": BACKWARDS},
        "BR-30",
        "invoice.lineItems[0].period.startDate",
    ),
    (
        {"invoice.lineItems": [LINE | {"unitPrice": 100.0}, LINE | CPV]},
        "BR-CL-13",
        "invoice.lineItems[1].classifications[0]",
    ),
    (
        {"invoice.lineItems.0.taxCategory": "K", "invoice.supplier.taxId": None},
        "BR-IC-02",
        "invoice.supplier.taxId",
    ),
    ({"invoice.lineItems.0.taxCategory": "K"}, "BR-IC-02", "invoice.buyer.taxId"),
    ({SELLER: "0231:1234567890"}, "BR-CL-25", SELLER),
    ({BUYER: "0231:1234567890"}, "BR-CL-25", BUYER),
    ({"invoice.buyer.endpointId": "0231:1"}, "BR-CL-25", "invoice.buyer.endpointId"),
]

PEPPOL: list[tuple[dict[str, Any], str, str]] = [
    ({BUYER: "0231:1234567890"}, "PEPPOL-EN16931-CL008", BUYER),
    ({BUYER: "0088:9520000000005"}, "PEPPOL-COMMON-R040", BUYER),
    ({SELLER: "0208:0123456748"}, "PEPPOL-COMMON-R043", SELLER),
    (GERMANS, "DE-R-001", "invoice.paymentMeans"),
    (GERMANS, "DE-R-002", "invoice.supplier.contact"),
]


@pytest.mark.parametrize(("changes", "rule", "field"), [*CHANGES, *PEPPOL])
def test_the_finding_names_the_wrong_field(
    changes: dict[str, Any], rule: str, field: str, judged: Judged
) -> None:
    """As a field of the request, and in the API's form `RULE-ID: text (field)`."""
    report = judged(changes)
    found = [one for one in report.findings if one.rule_id == rule]

    assert report.light is Light.RED
    assert [one.field for one in found] == [field] * len(found) != []
    assert found[0].as_violation() == f"{rule}: {found[0].message} ({field})"


def test_lines_and_adjustments_have_the_indices_of_the_request(judged: Judged) -> None:
    """UBL has one list of allowances and charges; the request has two, each from 0."""
    extras = {
        "allowances": [{"amount": 5.0, "reason": "a"}],
        "charges": [{"amount": 2.0, "reason": "b"}, {"amount": 3.0, "reasonCode": "ZZX"}],
    }
    report = judged({"invoice.lineItems": [LINE | {"unitPrice": 100.0}, LINE | extras]})

    assert [f.field for f in report.errors if f.rule_id == "BR-CL-20"] == [
        "invoice.lineItems[1].charges[1].reasonCode"
    ]


def test_a_scheme_that_cannot_be_routed_asks_for_an_endpoint_id(judged: Judged) -> None:
    """0231 is in neither list of schemes: decisions 0.3."""
    report = judged({"routing.receiverParticipantId": "0231:1234567890"})
    suggestion = next(f.suggestion for f in report.errors if f.rule_id == "BR-CL-25")

    assert suggestion is not None
    assert "endpointId" in suggestion
    assert "invoice.buyer.endpointId" in suggestion


@pytest.mark.parametrize(
    ("unit", "meant"), [("PCE", "C62"), ("HUR", None), ("HRS", "HUR"), ("KG", "KGM")]
)
def test_a_similar_code_is_suggested(unit: str, meant: str | None, judged: Judged) -> None:
    report = judged({"invoice.lineItems.0.unitCode": unit})
    suggestions = [f.suggestion or "" for f in report.findings if f.rule_id == "BR-CL-23"]

    assert [meant in suggestion for suggestion in suggestions] == [True] * (meant is not None)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(invoices())
def test_a_send_has_the_report_of_the_document_written_of_it(invoice: Invoice) -> None:
    """The same rules, places and words."""
    sent = findings(invoice, ROUTING, DAY)
    written = check(document_xml(invoice), on=DAY, schema=False)

    def words(report: Report) -> set[tuple[str, str | None, str]]:
        return {(f.rule_id, f.location, f.message) for f in report.findings}

    assert words(sent) == words(written)
    assert (sent.light, sent.kind, sent.form) == (written.light, written.kind, written.form)


NORWEGIAN = {
    "invoice.supplier.taxId": "NO123456785MVA",
    "invoice.supplier.address.countryCode": "NO",
}
REGISTERED = {"invoice.supplier.taxRegistration": "Foretaksregisteret"}


def test_the_register_that_a_norwegian_supplier_names_has_a_field(judged: Judged) -> None:
    """NO-R-002 names the field, and with it the send has no finding of the rule."""
    [without] = [f for f in judged(NORWEGIAN).findings if f.rule_id == "NO-R-002"]
    ids = {f.rule_id for f in judged(NORWEGIAN | REGISTERED).findings}

    assert without.field == "invoice.supplier.taxRegistration"
    assert "invoice.supplier.taxRegistration" in (without.suggestion or "")
    assert "NO-R-002" not in ids


def test_the_tax_registration_of_a_send_is_in_ubl_cii_and_on_the_pdf() -> None:
    """BT-32: in UBL beside the VAT number, in CII with the scheme of fiscal numbers."""
    invoice, _ = derived(NORWEGIAN | REGISTERED)

    assert b"<cbc:CompanyID>Foretaksregisteret</cbc:CompanyID>" in document_xml(invoice)
    assert b'<ram:ID schemeID="FC">Foretaksregisteret</ram:ID>' in cii.document_xml(invoice)
    assert "Foretaksregisteret" in str(pdf.content(invoice, Branding("Example")))
