"""An invoice that is written as UBL and read again is the same, and valid by the schema."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from einvoice.documents.schemas import schema_errors
from einvoice.documents.ubl.read import read_invoice
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.invoice import Invoice
from einvoice.xml import parse
from tests.documents.strategies import invoices


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(invoices())
def test_a_written_invoice_reads_back_equal_and_is_valid_by_the_schema(invoice: Invoice):
    """No business term is lost, moved or changed."""
    root = parse(document_xml(invoice))

    assert read_invoice(root) == invoice
    assert schema_errors(root) == []
