"""Received XRechnungen are judged by their own rules and read like any invoice."""

from __future__ import annotations

import pytest

from einvoice.domain.identifiers import XRECHNUNG_INVOICE, XRECHNUNG_INVOICE_CII
from einvoice.services import forms
from einvoice.services.inbound.document_content import read_on
from einvoice.validation import Light
from tests.conformance.ours import DAY
from tests.oracle.sources import ROOT


@pytest.mark.parametrize(
    ("name", "document_type"),
    [("ubl", XRECHNUNG_INVOICE), ("cii", XRECHNUNG_INVOICE_CII)],
)
def test_a_received_xrechnung_is_green_by_its_rules(name, document_type):
    """It would be red by those of Peppol."""
    document = (ROOT / f"tests/samples/xrechnung_{name}.xml").read_bytes()
    found = read_on(document, document_type, DAY, forms.installed().of("peppol"))

    assert (found.report.rule_set, found.report.light) == (
        "xrechnung-3.0.2-schematron-2.6.0",
        Light.GREEN,
    )
    assert found.head.number == "RE-2026-17"
    assert str(found.head.payable) == "119.00"
