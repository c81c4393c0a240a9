"""The rules of PINT that have no verdicts beside the corpus agree with the official ones.

The official sheets and examples are fetched (sources.py), damaged by a seed and judged by both.
"""

from __future__ import annotations

from datetime import date

import pytest

from einvoice.documents.conversion import readable
from einvoice.documents.leaves import leaves, missing
from einvoice.documents.ubl.write import document_xml
from einvoice.validation import Light, judge
from einvoice.xml import parse
from tests.oracle import mutation, sources
from tests.oracle.pint import Published

DAY = date(2026, 4, 1)  # of the releases that the package has
SETS = (
    Published("pint", "pint/1.1.2/xslt", "pint-eu/1.0.1", (("billing-1@eu-1", "billing-1"),)),
    Published("pint-aunz", "pint-aunz/1.1.2/xslt/billing", "pint-aunz/1.1.2/billing"),
    Published(
        "pint-aunz-selfbilling", "pint-aunz/1.1.2/xslt/selfbilling", "pint-aunz/1.1.2/selfbilling"
    ),
    Published("pint-eu", "pint-eu/1.0.1/xslt", "pint-eu/1.0.1"),
    Published("pint-jp", "pint-jp/1.1.2/xslt", "pint-jp/1.1.2"),
    Published(
        "pint-jp-selfbilling",
        "pint-jp-sb/1.1.2/xslt",
        "pint-jp/1.1.2",
        (
            ("pint:billing-1", "pint:selfbilling-1"),
            ("bis:billing", "bis:selfbilling"),
            ("TypeCode>380<", "TypeCode>389<"),
        ),
    ),
    Published("pint-jp-nontax", "pint-jp-ntr/1.1.2/xslt", "pint-jp-ntr/1.1.2"),
    Published("pint-my", "pint-my/1.3.0/xslt/billing", "pint-my/1.3.0/billing"),
    Published("pint-sg", "pint-sg/1.4.0/xslt", "pint-sg/1.4.0"),
)
FAMILIES = ("random", "random", "vat", "random")
every_set = pytest.mark.parametrize("of", SETS, ids=lambda of: of.rule_set)


def examples(of):
    try:
        return of.documents()
    except sources.Unavailable as reason:
        pytest.skip(str(reason))


def differing(of, documents):
    """Of each document whose findings differ: those of one side. Never green where it stops."""
    wrong = {}
    for name, content in documents:
        judged, official = (
            judge(content, on=DAY, schema=False, asked=of.rule_set),
            of.found(content),
        )
        if official is None:
            if judged.light is not Light.RED:
                wrong[name] = {"stops, and is not red"}
            continue
        ours = {(each.id, each.flag.value) for each in judged.verdict.findings}
        if ours != official:
            wrong[name] = ours ^ official
    return wrong


def damaged(documents, count):
    for seed in range(count):
        name, content = documents[seed % len(documents)]
        family = FAMILIES[seed % len(FAMILIES)]
        yield f"{name} {family} {seed}", mutation.mutate(content, seed, family).content


@every_set
def test_published_examples_have_the_official_findings(of):
    documents = examples(of)

    assert documents
    assert not differing(of, documents)


@every_set
def test_damaged_examples_have_the_official_findings(of):
    assert not differing(of, damaged(examples(of), 60))


# What the neutral invoice does not carry of the published examples, by kind of element.
_LINE_REFERENCE = "/Invoice/InvoiceLine/DocumentReference"
_SECOND_ROW = "/Invoice/TaxTotal/TaxSubtotal"
# Of Malaysia: several taxes of one line, and taxes by unit, which EN 16931 does not know; what the
# authority verified of a referenced document; the second of several codes of an item; and of a
# credit note what UBL has no place for, or another.
_MY_LINE_TAX = (
    "TaxableAmount", "TaxableAmount/@currencyID", "TaxAmount", "TaxAmount/@currencyID",
    "BaseUnitMeasure", "BaseUnitMeasure/@unitCode", "PerUnitAmount", "PerUnitAmount/@currencyID",
    "TaxCategory/ID", "TaxCategory/Percent", "TaxCategory/TaxScheme/ID",
)  # fmt: skip
_MY = {
    f"/{form}/{path}"
    for form in ("Invoice", "CreditNote")
    for path in (
        "AdditionalDocumentReference/DocumentType",
        "AdditionalDocumentReference/ResultOfVerification/ValidationDate",
        "AdditionalDocumentReference/ResultOfVerification/ValidationTime",
        "TaxTotal/TaxSubtotal/TaxCategory/TaxScheme/ID",
        f"{form}Line/DocumentReference/DocumentTypeCode",
        f"{form}Line/Item/ClassifiedTaxCategory/ID",
        f"{form}Line/Item/ClassifiedTaxCategory/TaxScheme/ID",
        f"{form}Line/Item/CommodityClassification/CommodityCode",
        *(f"{form}Line/TaxTotal/TaxSubtotal/{name}" for name in _MY_LINE_TAX),
    )
} | {
    f"/CreditNote/{path}"
    for path in (
        "DueDate", "PrepaidPayment/ID", "PrepaidPayment/PaidAmount",
        "PrepaidPayment/PaidAmount/@currencyID", "PrepaidPayment/PaidTime",
        "PrepaidPayment/ReceivedDate",
    )
}  # fmt: skip
# Of Malaysia: one name for all taxes, and the due date of a credit note at the payment means.
_ADDED = {
    "pint-my": {
        "/CreditNote/PaymentMeans/PaymentDueDate",
        "/CreditNote/CreditNoteLine/DocumentReference/DocumentTypeCode",
        "/CreditNote/TaxTotal/TaxSubtotal/TaxCategory/TaxScheme/ID",
        "/Invoice/TaxTotal/TaxSubtotal/TaxCategory/TaxScheme/ID",
    },
}
NOT_CARRIED = {
    "pint-my": _MY,
    "pint-eu": set(),
    "pint-aunz": {"/Invoice/PaymentMeans/PaymentMeansCode/@name"},
    "pint-aunz-selfbilling": {"/Invoice/PaymentMeans/PaymentMeansCode/@name"},
    "pint-jp": {
        f"{_LINE_REFERENCE}/ID",
        f"{_LINE_REFERENCE}/ID/@schemeID",
        *(
            f"{_SECOND_ROW}/{name}"
            for name in (
                "TaxAmount",
                "TaxAmount/@currencyID",
                "TaxCategory/ID",
                "TaxCategory/Percent",
                "TaxCategory/TaxScheme/ID",
            )
        ),
    },
    "pint-jp-nontax": {f"{_LINE_REFERENCE}/ID", f"{_LINE_REFERENCE}/ID/@schemeID"},
    "pint-sg": set(),
}


@pytest.mark.parametrize("of", [each for each in SETS if each.rule_set in NOT_CARRIED],
                         ids=lambda of: of.rule_set)  # fmt: skip
def test_published_examples_are_written_as_they_were_read(of):
    """Through the neutral invoice, by the table of each country."""
    lost = set()
    for name, content in examples(of):
        root = parse(content)
        before = list(leaves(root))
        after = list(leaves(parse(document_xml(readable(root, "ubl")))))
        lost |= {_kind(leaf) for leaf in missing(before, after)}
        added = {_kind(leaf) for leaf in missing(after, before)}
        allowed = _ADDED.get(of.rule_set, set()) | {f"{_LINE_REFERENCE}/DocumentTypeCode"}
        assert added <= allowed, name

    assert lost == NOT_CARRIED[of.rule_set]


def _kind(leaf):
    return "".join(c for c in leaf.kind if not c.isdigit()).replace("[]", "")


@pytest.mark.long
@every_set
def test_many_damaged_examples_have_the_official_findings(of):
    assert not differing(of, damaged(examples(of), 1200))
