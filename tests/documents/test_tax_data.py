"""Tax data documents as written and read: clean by their rules, the document as it was sent."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from lxml import etree

from einvoice.documents.tax_data import (
    TaxAuthority,
    TaxDataReport,
    document_uuid,
    read_tax_data,
    write_tax_data,
)
from einvoice.domain.errors import UnreadableDocument
from einvoice.domain.tax_data import SPECIFICATIONS, ReporterRole, ReportType, Scope
from einvoice.validation import Light, check, judge
from tests.rules import official, samples
from tests.rules.pint_samples import PINT_AE, PINT_OM

DAY = date(2026, 11, 22)
ISSUED = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
UUID = "3f2a6d41-9c17-4c88-a1b2-7e5d0c9a4411"
DOCUMENTS = {"AE": PINT_AE, "OM": PINT_OM, "SK": samples.GOOD}


def report_of(country: str) -> TaxDataReport:
    of = SPECIFICATIONS[country]
    return TaxDataReport(
        country=country,
        type=ReportType.SUBMIT,
        role=ReporterRole.SENDER,
        scope=Scope.DOMESTIC,
        reporter=(of.party_scheme, "1987654321"),
        authority_seat="000773",
        provider_seat="000001",
        issued=ISSUED,
        uuid=UUID if of.has_uuid else "",
        transport_id="" if country == "SK" else "cf510157-2967-460b-806a-a6e63b052164",
        transported=ISSUED if country == "OM" else None,
        authority=TaxAuthority("SK-FD", "Financial Directorate") if country == "SK" else None,
    )


def every_report(country: str) -> list[TaxDataReport]:
    """Each type, role and scope that the country has."""
    of, base = SPECIFICATIONS[country], report_of(country)
    return [
        replace(base, type=kind, role=role, scope=scope)
        for kind in of.types
        for role in of.roles
        for scope in of.scopes
    ]


@pytest.mark.parametrize("country", SPECIFICATIONS)
def test_every_report_of_a_country_is_clean_by_its_schema_and_rules(country):
    document = DOCUMENTS[country].encode()
    wrong = {}
    for report in every_report(country):
        judged = judge(write_tax_data(report, document), on=DAY)
        assert judged.choice.rule_set.name == f"tdd-{country.lower()}"
        found = judged.verdict.findings if judged.verdict else judged.schema
        if found or judged.light is not Light.GREEN:
            wrong[report.type, report.role, report.scope] = found

    assert wrong == {}


@pytest.mark.parametrize("country", SPECIFICATIONS)
def test_a_report_is_read_as_it_was_written(country):
    document = DOCUMENTS[country].encode()

    for report in every_report(country):
        found = read_tax_data(write_tax_data(report, document))
        assert found.report == report
        assert found.text("cbc:ID") == "INV-1"


@pytest.mark.parametrize("country", ["AE", "OM"])
def test_the_source_document_is_inside_as_it_was_sent_but_for_its_files(country):
    source = etree.fromstring(DOCUMENTS[country].encode())
    attached = etree.fromstring(
        f'<x xmlns:cac="{samples.NAMESPACES["cac"]}" xmlns:cbc="{samples.NAMESPACES["cbc"]}">'
        "<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cac:Attachment>"
        '<cbc:EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="a">YQ==</cbc:'
        "EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference></x>"
    )[0]
    plain = etree.tostring(source, method="c14n", exclusive=True)
    source.append(attached)

    found = read_tax_data(write_tax_data(report_of(country), etree.tostring(source))).document

    assert found is not None
    [reference] = found.findall(f"{{{samples.NAMESPACES['cac']}}}AdditionalDocumentReference")
    assert len(reference) == 1
    found.remove(reference)
    assert etree.tostring(found, method="c14n", exclusive=True) == plain


def test_a_document_without_a_uuid_is_reported_with_one_of_its_bytes():
    """So a repeated report names the same document."""
    document = samples.GOOD.encode()
    first, second = (
        read_tax_data(write_tax_data(replace(report_of("SK"), role=role), document))
        for role in ReporterRole
    )

    assert first.text("cbc:UUID") == second.text("cbc:UUID") == document_uuid(document)


def test_a_slovak_report_of_a_credit_note_has_lines_with_quantities():
    document = (
        samples.GOOD.replace("Invoice-2", "CreditNote-2")
        .replace("<Invoice ", "<CreditNote ")
        .replace("</Invoice>", "</CreditNote>")
        .replace("cbc:InvoiceTypeCode>380", "cbc:CreditNoteTypeCode>381")
        .replace("381</cbc:InvoiceTypeCode", "381</cbc:CreditNoteTypeCode")
        .replace("InvoicedQuantity", "CreditedQuantity")
        .replace("cac:InvoiceLine", "cac:CreditNoteLine")
    )

    content = write_tax_data(report_of("SK"), document.encode())

    assert content.count(b"<pxs:DocumentLine>") == content.count(b"<cbc:InvoicedQuantity") == 2
    assert b"<pxs:DocumentTypeCode>381<" in content


def test_a_type_that_a_country_does_not_have_is_refused():
    failed = replace(report_of("OM"), type=ReportType.FAILED)

    with pytest.raises(ValueError, match="OM has no reports of the type failed"):
        write_tax_data(failed, PINT_OM.encode())


@pytest.mark.parametrize("content", [b"<x/>", PINT_AE.encode()])
def test_a_document_of_another_kind_is_no_tax_data_document(content):
    with pytest.raises(UnreadableDocument):
        read_tax_data(content)


@official.needed
@pytest.mark.parametrize("country", ["AE", "OM"])
def test_reports_of_the_published_examples_are_green(country):
    """Of all that are valid by the schema: the rules agree with the official ones."""
    wrong = {}
    for path in sorted((official.FOLDER / country.lower() / "samples").glob("*billing/*/*.xml")):
        document = path.read_bytes()
        if judge(document, on=DAY).schema:
            continue
        judged = judge(write_tax_data(report_of(country), document), on=DAY)
        if judged.light is not Light.GREEN:
            wrong[path.name] = judged.verdict and [each.id for each in judged.verdict.findings]

    assert wrong == {}


def test_a_finding_on_the_invoice_in_a_slovak_report_is_at_its_place_there():
    document = samples.GOOD.replace("<cbc:Name>Chair</cbc:Name>", "").encode()

    report = check(write_tax_data(report_of("SK"), document), on=DAY)

    places = {each.location: each.line for each in report.findings if each.rule_id == "BR-25"}
    document_place = "/TaxData[1]/ReportedTransaction[1]/ReportedDocument[1]"
    assert set(places) == {f"{document_place}/DocumentLine[{number}]" for number in (1, 2)}
    assert None not in places.values()
    assert report.light is Light.RED


@pytest.mark.parametrize(("path", "found"), [("", True), ("cac:InvoiceLine", False)])
def test_rules_on_allowances_of_the_document_do_not_judge_those_of_lines(path, found):
    """In a Slovak report, as officially: a line may have two reasons."""
    document = etree.fromstring(samples.GOOD)
    names = {"cac": samples.NAMESPACES["cac"], "cbc": samples.NAMESPACES["cbc"]}
    entry = etree.fromstring(
        f'<cac:AllowanceCharge xmlns:cac="{names["cac"]}" xmlns:cbc="{names["cbc"]}">'
        "<cbc:ChargeIndicator>true</cbc:ChargeIndicator>"
        "<cbc:AllowanceChargeReason>a</cbc:AllowanceChargeReason>"
        "<cbc:AllowanceChargeReason>b</cbc:AllowanceChargeReason>"
        '<cbc:Amount currencyID="EUR">0</cbc:Amount></cac:AllowanceCharge>'
    )
    holder = document.find(path, names) if path else document
    assert holder is not None
    before = holder.find("cac:Item" if path else "cac:TaxTotal", names)
    assert before is not None
    before.addprevious(entry)

    judged = judge(write_tax_data(report_of("SK"), etree.tostring(document)), on=DAY, schema=False)

    assert judged.verdict is not None
    assert ("UBL-SR-31" in {each.id for each in judged.verdict.findings}) is found
