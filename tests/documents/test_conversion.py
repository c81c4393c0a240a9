"""UBL → CII and CII → UBL: nothing that EN 16931 knows is lost without being named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from einvoice import clock, validation
from einvoice.documents.conversion import (
    READERS,
    WRITERS,
    ConvertedDocument,
    converted,
    readable,
    written,
)
from einvoice.documents.leaves import leaves, missing, places
from einvoice.documents.payment import merged
from einvoice.documents.schemas import schema_errors
from einvoice.domain.errors import UnreadableDocument
from einvoice.domain.invoice import (
    DocumentKind,
    Invoice,
    Party,
    PaymentCard,
    PaymentMeans,
    PrecedingInvoice,
    Price,
)
from einvoice.xml import parse
from tests.conformance import corpus
from tests.documents.cii_forms import as_cii_expresses_it
from tests.documents.pdf.samples import TRANSFER, an_invoice
from tests.documents.strategies import invoices
from tests.rules import changes
from tests.rules.changes import Change, add, good, twice

SAMPLES = Path(__file__).parents[1] / "samples"
OTHER = {"ubl": "cii", "cii": "ubl"}
NAMESPACE = {"ubl": "oasis", "cii": "uncefact"}
# Rules of the other syntax that do not depend on what an invoice says in EN 16931: Peppol's and
# the countries' rules differ between the syntaxes, and CEN has warnings about their elements.
_OF_ONE_SYNTAX = re.compile(r"PEPPOL-|[A-Z]{2}-[RS]-|(UBL|CII)-")


def convert(content: bytes, form: str, to: str) -> ConvertedDocument:
    root = parse(content)
    return converted(root, READERS[form](root), form, to)


def paths(found) -> list[str]:
    return [place.path for place in found]


@pytest.mark.parametrize("form", ["ubl", "cii"])
def test_a_good_document_is_converted_there_and_back(form):
    """Nothing is lost or filled in, and both are valid."""
    source = (SAMPLES / f"good_{form}.xml").read_bytes()
    there = convert(source, form, OTHER[form])
    back = convert(there.content, OTHER[form], form)

    assert (there.lost, there.filled, back.lost, back.filled) == ((), (), (), ())
    assert NAMESPACE[OTHER[form]].encode() in there.content
    for content in (there.content, back.content):
        assert validation.check(content, on=clock.today()).errors == []


@pytest.mark.skipif(not corpus.present(), reason="the corpus is not here")
@pytest.mark.parametrize("part", ["valid", "examples"])
@pytest.mark.parametrize("form", ["ubl", "cii"])
def test_official_documents_keep_every_term(part, form):
    """Each value that the reader of the source finds is found in the converted document too."""
    found = [each for each in corpus.documents(part) if each.syntax.lower() == form]
    compared = 0
    for each in found[::3]:
        root = parse(each.content)
        try:
            source = READERS[form](root)
        except UnreadableDocument:
            continue
        there = converted(root, source, form, OTHER[form])
        again = READERS[OTHER[form]](parse(there.content))
        compared += 1
        expected = source
        if form == "ubl":  # its payment means are one where they now have the same reference
            expected = as_cii_expresses_it(source)
            payment = tuple(merged(expected.payment))
            expected = replace(expected, payment=payment, preceding=source.preceding[:1])
        assert list(changed(expected, again)) == [], each.file
        assert again == source or there.lost or there.filled, each.file
        assert schema_errors(parse(there.content)) == [] or not each.schema_valid, each.file
    assert compared > 5


def changed(source: object, again: object, path: str = "") -> Iterator[str]:
    """The paths of values of the source that are others in the converted document."""
    if source in (None, again):
        return
    if is_dataclass(source) and type(source) is type(again):
        for field in fields(source):
            yield from changed(
                getattr(source, field.name), getattr(again, field.name), f"{path}.{field.name}"
            )
    elif isinstance(source, tuple) and isinstance(again, tuple) and len(source) == len(again):
        for at, (one, other) in enumerate(zip(source, again, strict=True)):
            yield from changed(one, other, f"{path}[{at}]")
    elif not path.endswith("tax_registration.scheme"):  # CII has one scheme for all
        yield path


@pytest.mark.skipif(not corpus.present(), reason="the corpus is not here")
@pytest.mark.parametrize("form", ["ubl", "cii"])
def test_valid_official_documents_stay_valid(form):
    """By the rules of EN 16931, which are the same in both syntaxes."""
    found = [each for each in corpus.documents("valid") if each.syntax.lower() == form]
    for each in found[1::3]:
        there = convert(each.content, form, OTHER[form])
        report = validation.check(there.content, on=clock.today())
        wrong = {f.rule_id for f in report.findings} - {
            f.rule_id for f in validation.check(each.content, on=clock.today()).findings
        }
        assert [rule for rule in wrong if not _OF_ONE_SYNTAX.match(rule)] == [], each.file


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(invoices())
def test_a_difference_of_any_invoice_is_named(invoice: Invoice):
    """An invoice that reads back differently has lost or filled in something."""
    for to in ("ubl", "cii"):
        found = written(invoice, to)
        again = READERS[to](parse(found.content))

        assert schema_errors(parse(found.content)) == []
        assert _ordered(again) == _ordered(invoice) or found.lost or found.filled


def _ordered(invoice: Invoice) -> Invoice:
    """With the identifiers of its parties in one order: CII has those without a scheme first."""
    parties = {each.name: getattr(invoice, each.name) for each in fields(invoice)}
    return replace(
        invoice,
        **{
            name: replace(party, identifiers=tuple(sorted(party.identifiers, key=str)))
            for name, party in parties.items()
            if isinstance(party, Party)
        },
    )


LOSSES = [
    (
        {"preceding": (PrecedingInvoice("1"), PrecedingInvoice("2"))},
        ["/Invoice[1]/BillingReference[2]"],
    ),
    (
        {"payment": (TRANSFER, replace(TRANSFER, code="31", remittance="another"))},
        ["/Invoice[1]/PaymentMeans[2]/PaymentID[1]"],
    ),
    (
        {"payment": (PaymentMeans("48", card=PaymentCard("1234", network="VISA")),)},
        ["/Invoice[1]/PaymentMeans[1]/CardAccount[1]/NetworkID[1]"],
    ),
    ({"tax_point": date(2026, 11, 1), "taxes": ()}, ["/Invoice[1]/TaxPointDate[1]"]),
]


@pytest.mark.parametrize(("changes", "lost"), LOSSES)
def test_a_term_without_a_place_in_cii_is_named_with_its_place(changes, lost):
    found = written(an_invoice(**changes), "cii")

    assert paths(found.lost) == lost
    assert written(an_invoice(**changes), "ubl").lost == ()


def test_elements_outside_of_en_16931_are_named_once_with_their_number():
    """A whole group is one place; the same element of several lines too."""
    invoice = an_invoice()
    lines = tuple(replace(invoice.lines[0], id=str(number)) for number in (1, 2, 3))
    text = WRITERS["ubl"](replace(invoice, lines=lines)).decode()
    signature = "<cac:Signature><cbc:ID>S</cbc:ID><cbc:Note>by hand</cbc:Note></cac:Signature>"
    for before, added in (
        ("<cac:AccountingSupplierParty>", signature),
        ("<cbc:InvoicedQuantity", "<cbc:UUID>u</cbc:UUID>"),
    ):
        text = text.replace(before, added + before)
    found = convert(text.encode(), "ubl", "cii")

    assert [(p.path, p.value, p.count) for p in found.lost] == [
        ("/Invoice[1]/Signature[1]", None, 1),
        ("/Invoice[1]/InvoiceLine[1]/UUID[1]", "u", 3),
    ]
    assert [place.line for place in found.lost] == [2, 2]


def test_what_the_other_syntax_requires_is_filled_in_and_named():
    """UBL has no gross price without a discount."""
    invoice = an_invoice()
    priced = replace(invoice.lines[0], price=Price(net=invoice.lines[0].price.net, gross=None))
    priced = replace(priced, price=replace(priced.price, gross=priced.price.net))
    cii = WRITERS["cii"](replace(invoice, lines=(priced, *invoice.lines[1:])))
    found = convert(cii, "cii", "ubl")

    assert found.lost == ()
    assert [path.rpartition("/")[2] for path in paths(found.filled)] == [
        "AppliedTradeAllowanceCharge[1]"
    ]


def test_a_vat_point_that_each_entry_of_the_breakdown_repeats_is_one_term():
    """CII may have it in each entry; it is written once, and nothing is lost."""
    invoice = an_invoice(tax_point=date(2026, 11, 1))
    twice = replace(invoice, taxes=(invoice.taxes[0], invoice.taxes[0]))
    text = WRITERS["cii"](twice).decode()
    start = text.index("<ram:TaxPointDate>")
    end = text.index("</ram:TaxPointDate>") + len("</ram:TaxPointDate>")
    point, after = text[start:end], text[end:]
    repeated = text[:end] + after.replace(
        "<ram:RateApplicablePercent>", f"{point}<ram:RateApplicablePercent>", 2
    ).replace(point, "", 1)
    assert repeated.count(point) == 2

    assert convert(repeated.encode(), "cii", "ubl").lost == ()


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (DocumentKind.INVOICE, "380"),
        (DocumentKind.INVOICE, "389"),
        (DocumentKind.CREDIT_NOTE, "381"),
        (DocumentKind.CREDIT_NOTE, "261"),
    ],
)
def test_a_credit_note_stays_one(kind, code):
    """The form of the document, also of a self-billed one."""
    cii = written(an_invoice(kind=kind, type_code=code), "cii")
    again = READERS["ubl"](parse(convert(cii.content, "cii", "ubl").content))

    assert (again.kind, again.type_code) == (kind, code)


# -- leaves ----------------------------------------------------------------------------------------


def difference(one: str, other: str) -> list[str]:
    first = list(leaves(parse(one.encode())))
    return [
        place.path for place in places(missing(first, list(leaves(parse(other.encode())))), first)
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<a><b>1.50</b></a>", "<a><b> 01.50 </b></a>"),
        ("<a><Indicator>1</Indicator></a>", "<a><Indicator>true</Indicator></a>"),
        ("<a><b>x</b><b>y</b></a>", "<a><b>y</b><b>x</b></a>"),
        ("<a><b>x<!-- said --></b><c/></a>", "<a><b>x</b></a>"),
        ("<a><ProprietaryID>1</ProprietaryID></a>", "<a><IBANID>1</IBANID></a>"),
    ],
)  # fmt: skip
def test_spellings_of_one_value_are_equal(one, other):
    assert difference(one, other) == difference(other, one) == []


@pytest.mark.parametrize(
    ("one", "other", "lost"),
    [
        ("<a><b>1.50</b></a>", "<a><b>1.51</b></a>", ["/a[1]/b[1]"]),
        ("<a><b>x</b><b>x</b></a>", "<a><b>x</b></a>", ["/a[1]/b[2]"]),
        ('<a><b id="1">x</b></a>', "<a><b>x</b></a>", ["/a[1]/b[1]/@id"]),
        ("<a><b><c>x</c><d>y</d></b></a>", "<a><b><c>x</c></b></a>", ["/a[1]/b[1]/d[1]"]),
        ("<a><b><c>x</c><d>y</d></b></a>", "<a><e>x</e></a>", ["/a[1]/b[1]"]),
        (
            "<a><InvoiceLine><b>x</b></InvoiceLine><InvoiceLine><c>y</c></InvoiceLine></a>",
            "<a><InvoiceLine><c>y</c></InvoiceLine><InvoiceLine><b>x</b></InvoiceLine></a>",
            ["/a[1]/InvoiceLine[1]"],
        ),
    ],
)
def test_a_difference_has_the_place_of_the_first_document(one, other, lost):
    assert difference(one, other)[: len(lost)] == lost


TO_UBL = parse((SAMPLES / "good_cii.xml").read_bytes())
PAYMENT_TERMS = "SpecifiedTradePaymentTerms"
LINE = "IncludedSupplyChainTradeLineItem"
SERVICE = """<ram:SpecifiedLogisticsServiceCharge>
  <ram:Description>Haulage</ram:Description><ram:AppliedAmount>7.00</ram:AppliedAmount>
  <ram:AppliedTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>S</ram:CategoryCode>
  <ram:RateApplicablePercent>21</ram:RateApplicablePercent></ram:AppliedTradeTax>
</ram:SpecifiedLogisticsServiceCharge>"""


def read_as_core(*edits: Change) -> tuple[Invoice, list[str]]:
    """The invoice of the changed CII sample, and what its UBL document has lost."""
    root = parse(changes.changed(good("good_cii.xml"), *edits))
    invoice = readable(root, "cii")
    return invoice, paths(converted(root, invoice, "cii", "ubl").lost)


def test_a_term_that_occurs_too_often_counts_once_and_the_others_are_named():
    """As in EXTENDED; in a send it is refused."""
    for path in (PAYMENT_TERMS, "BuyerOrderReferencedDocument", "AppliedTradeAllowanceCharge"):
        invoice, lost = read_as_core(twice(path))

        assert invoice == READERS["cii"](TO_UBL), path
        assert any(f"{path.rpartition('/')[2]}[2]" in place for place in lost), path
        with pytest.raises(UnreadableDocument, match="occurs 2 times"):
            READERS["cii"](parse(changes.changed(good("good_cii.xml"), twice(path))))


def test_terms_that_occur_very_often_are_refused_in_the_end():
    """Each costs reading the document once more."""
    with pytest.raises(UnreadableDocument, match="occurs"):
        read_as_core(*[twice(PAYMENT_TERMS)] * 40)


def test_lines_that_only_group_or_inform_are_no_lines_of_the_invoice():
    status = "<ram:LineStatusReasonCode>{}</ram:LineStatusReasonCode>"
    at = f"{LINE}/AssociatedDocumentLineDocument"

    assert len(read_as_core(add(at, status.format("DETAIL")))[0].lines) == 2
    for text in ("GROUP", "INFORMATION"):
        invoice, lost = read_as_core(add(at, status.format(text)))
        assert [line.id for line in invoice.lines] == ["2"]
        assert any(f"{LINE}[1]" in place for place in lost)


def test_a_logistics_service_is_a_charge_of_the_document():
    before = len(READERS["cii"](TO_UBL).adjustments)
    invoice, _ = read_as_core(add("ApplicableHeaderTradeSettlement", SERVICE))
    freight = [each for each in invoice.adjustments if each.reason == "Haulage"]

    assert len(invoice.adjustments) == before + 1
    assert [(each.charge, str(each.amount)) for each in freight] == [(True, "7.00")]


def sample(form: str) -> bytes:
    return (SAMPLES / f"good_{form}.xml").read_bytes()


def test_an_account_without_its_number_is_left_out_and_named():
    """The rules accept the empty group, so it stops no conversion."""
    for form, number, group in (
        ("ubl", "ID", "PayeeFinancialAccount"),
        ("cii", "IBANID", "PayeePartyCreditorFinancialAccount"),
    ):
        root = parse(sample(form))
        for found in root.findall(f".//{{*}}{group}/{{*}}{number}"):
            found.getparent().remove(found)

        source = readable(root, form)

        assert source.payment
        assert not [transfer for means in source.payment for transfer in means.transfers], group


def test_a_vat_total_in_a_further_currency_is_left_out_and_named():
    further = b'<cac:TaxTotal><cbc:TaxAmount currencyID="USD">7.00</cbc:TaxAmount></cac:TaxTotal>'
    content = sample("ubl").replace(
        b"<cac:LegalMonetaryTotal>", further + b"<cac:LegalMonetaryTotal>"
    )
    root = parse(content)

    there = converted(root, readable(root, "ubl"), "ubl", "cii")

    assert [(place.path, place.value) for place in there.lost if "TaxTotal" in place.path] == [
        ("/Invoice[1]/TaxTotal[3]", None)
    ]


def test_an_accounting_currency_that_is_the_currency_is_left_out_of_cii():
    """BR-53 of CII wants a second VAT total in it; UBL does not."""
    second = b'<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">342.93</cbc:TaxAmount></cac:TaxTotal>'
    content = sample("ubl").replace(b"Code>SEK<", b"Code>EUR<").replace(second, b"")

    there = convert(content, "ubl", "cii")

    assert paths(there.lost) == ["/Invoice[1]/TaxCurrencyCode[1]"]
    assert validation.check(there.content, on=clock.today()).errors == []


def test_the_time_zone_of_a_day_is_named_and_the_day_is_carried_over():
    """A day that is lost as a whole is none of these."""
    zoned = re.sub(
        rb"(<cbc:(?:IssueDate|EndDate|StartDate)>[0-9-]+)<", rb"\1+01:00<", sample("ubl")
    )

    there = convert(zoned, "ubl", "cii")

    assert there.lost == ()
    assert {place.path.rpartition("/")[2][:-3] for place in there.zones} == {
        "IssueDate", "EndDate", "StartDate"
    }  # fmt: skip
    assert all(place.value.endswith("+01:00") for place in there.zones)


def test_what_is_lost_is_named_with_its_attributes():
    measure = '<ram:BasisPeriodMeasure unitCode="DAY">14</ram:BasisPeriodMeasure>'
    terms = (
        "<ram:ApplicableTradePaymentDiscountTerms>"
        f"{measure}</ram:ApplicableTradePaymentDiscountTerms></ram:SpecifiedTradePaymentTerms>"
    )
    content = sample("cii").replace(b"</ram:SpecifiedTradePaymentTerms>", terms.encode(), 1)

    places = convert(content, "cii", "ubl").lost

    assert [(place.value, place.attributes) for place in places] in (
        [("14", (("unitCode", "DAY"),))],
        [(None, ())],  # the group around it, which is lost as a whole
    )
