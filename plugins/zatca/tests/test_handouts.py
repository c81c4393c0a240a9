"""What the PDF and the buyer's page have beside the invoice: code, Arabic words, the XML."""

from __future__ import annotations

import pytest

from einvoice.domain.additions import NOTHING, Handout
from einvoice.domain.artefacts import AUTHORITY_DOCUMENT
from einvoice_zatca import form
from einvoice_zatca.stamp import Place, stamped
from plugins.zatca.tests import saudi
from plugins.zatca.tests.identities import identity
from plugins.zatca.tests.test_stamp import MOMENT

CAPTIONS = {"standard": "فاتورة ضريبية", "simplified": "فاتورة ضريبية مبسطة"}
KINDS = {"credit note": "إشعار دائن", "debit note": "إشعار مدين", "prepayment": "فاتورة دفعة مقدمة"}


def additions_of(invoice):
    document = form.PROFILE.write(form.adapt(invoice).invoice)
    made = stamped(document, Place("0" * 36, 1, "x" * 44, "12:00:00"), identity(), MOMENT)
    return form.PROFILE.additions(
        Handout(invoice, document, True, {AUTHORITY_DOCUMENT.code: made.content})
    ), made.content


@pytest.mark.parametrize("name", saudi.one_of_each())
def test_a_document_has_its_kind_parties_and_amounts_in_arabic(name):
    invoice = saudi.one_of_each()[name]
    found, content = additions_of(invoice)
    sort, _, kind = name.partition(" ")
    standard = sort == "standard"

    assert found.lines[0] == CAPTIONS[sort]
    assert (found.lines[1] == KINDS.get(kind)) == (kind in KINDS)
    assert f"رقم الفاتورة: {invoice.number}" in found.lines
    assert f"الرقم الضريبي للبائع: {saudi.VAT_NUMBER}" in found.lines
    assert ("الرقم الضريبي للمشتري: 399999999800003" in found.lines) == standard
    assert "ضريبة القيمة المضافة: 15.00 SAR" in found.lines
    assert "الإجمالي شامل ضريبة القيمة المضافة: 115.00 SAR" in found.lines
    assert ("سبب الإشعار: Returned goods" in found.lines) == ("note" in kind)
    assert (found.attached.content, found.issued) == (content, not standard)


def test_the_deducted_prepayments_are_among_the_amounts():
    found, _ = additions_of(saudi.after_prepayments())

    assert "المدفوع مقدمًا: 276.00 SAR" in found.lines
    assert "المبلغ المستحق: 874.00 SAR" in found.lines


def test_before_the_stamp_there_is_nothing():
    assert form.PROFILE.additions(Handout(saudi.an_invoice(), b"<Invoice/>", False)) == NOTHING
