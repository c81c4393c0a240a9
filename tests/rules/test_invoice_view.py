"""An invoice has the verdict of the document written of it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from lxml import etree

from einvoice.documents.ubl.write import document_xml
from einvoice.domain.invoice import Invoice
from einvoice.rules import PACKS, RulesVerdict, Syntax
from tests.rules.viewed_invoices import INVOICES

ENGINE = PACKS[0].engine(Syntax.UBL)


def findings(verdict: RulesVerdict) -> list[tuple[str, str, str, dict[str, object]]]:
    """The findings of a verdict, sorted."""
    found = [(f.layer, f.id, f.place, dict(f.values)) for f in verdict.findings]
    return sorted(found, key=lambda one: one[:3])


def same(invoice: Invoice) -> None:
    written = etree.fromstring(document_xml(invoice))

    assert findings(ENGINE.check_invoice(invoice)) == findings(ENGINE.check(written))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(INVOICES)
def test_an_invoice_is_judged_like_the_document_written_of_it(invoice):
    """The same rules, places and values, without XML."""
    same(invoice)


def test_an_engine_for_cii_checks_no_invoice():
    """Invoices are sent as UBL."""
    with pytest.raises(ValueError, match="UBL"):
        PACKS[0].engine(Syntax.CII).check_invoice(None)
