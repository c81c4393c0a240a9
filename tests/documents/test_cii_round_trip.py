"""An invoice that is written as CII and read again is the same, as far as CII can express it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import HealthCheck, assume, given, settings

from einvoice import clock, validation
from einvoice.documents.cii.read import read_invoice
from einvoice.documents.cii.write import EN16931, document_xml, inexpressible
from einvoice.documents.reading import invoice_in
from einvoice.documents.schemas import schema_errors
from einvoice.domain.invoice import (
    Invoice,
    PaymentMeans,
    PrecedingInvoice,
)
from einvoice.xml import parse
from tests.conformance import corpus
from tests.documents.cii_forms import as_cii_expresses_it
from tests.documents.pdf.samples import TRANSFER, an_invoice
from tests.documents.strategies import invoices


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(invoices())
def test_a_written_invoice_reads_back_equal_and_is_valid_by_the_schema(invoice: Invoice):
    assume(not inexpressible(invoice))
    assume(len({(means.code, means.text) for means in invoice.payment}) == len(invoice.payment))
    assume(not any(means.mandate or means.creditor for means in invoice.payment))
    expected = as_cii_expresses_it(invoice)

    root = parse(document_xml(invoice))

    assert schema_errors(root) == []
    assert read_invoice(root) == expected


def test_a_direct_debit_keeps_its_mandate_and_creditor() -> None:
    debit = PaymentMeans(
        "59", remittance="2026-0042", mandate="M-7", creditor="BE68ZZZ0123456749",
        debited_account="BE68539007547034",
    )  # fmt: skip

    read = read_invoice(parse(document_xml(an_invoice(payment=(debit,)))))

    assert read.payment == (debit,)


@pytest.mark.parametrize("day", [date(1, 1, 1), date(999, 12, 31), date(9999, 12, 31)])
def test_a_year_has_four_digits(day: date) -> None:
    root = parse(document_xml(an_invoice(issue_date=day)))

    assert schema_errors(root) == []
    assert read_invoice(root).issue_date == day


OTHER = replace(TRANSFER, code="31", remittance="another")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"payment": (TRANSFER, OTHER)}, "more than one payment reference"),
        ({"preceding": (PrecedingInvoice("1"), PrecedingInvoice("2"))}, "preceding invoice"),
        ({"tax_point": date(2026, 11, 1), "taxes": ()}, "VAT point"),
    ],
)
def test_terms_that_cii_cannot_express_are_listed(changes, words) -> None:
    assert inexpressible(an_invoice()) == []
    assert words in inexpressible(an_invoice(**changes))[0]


@pytest.mark.skipif(not corpus.present(), reason="the corpus is not here")
@pytest.mark.parametrize("syntax", ["UBL", "CII"])
def test_valid_documents_stay_valid_as_cii(syntax: str):
    """A sample of the corpus, validated by the rules of EN 16931 in the other syntax."""
    found = [entry for entry in corpus.documents("valid") if entry.syntax.upper() == syntax]
    sayable = [entry for entry in found if not inexpressible(invoice_in(entry.content))]
    assert len(sayable) > 0.8 * len(found) > 5
    for entry in sayable[::2]:
        invoice = invoice_in(entry.content)
        report = validation.check(document_xml(invoice, EN16931), on=clock.today())
        errors = [finding.rule_id for finding in report.errors if not _is_peppol(finding.rule_id)]
        assert errors == [], entry.file


def _is_peppol(rule_id: str) -> bool:
    """Peppol's rules do not apply to documents of EN 16931 alone."""
    return rule_id.startswith("PEPPOL")
