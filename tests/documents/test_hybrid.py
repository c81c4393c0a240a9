"""Opening PDFs: what is attached, what they say of it, and files that are hostile or no PDF."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from io import BytesIO

import pikepdf
import pytest

from einvoice.documents import pdf
from einvoice.documents.cii import write as cii
from einvoice.documents.hybrid import is_pdf
from einvoice.documents.hybrid.opening import opened
from einvoice.documents.ubl import write as ubl
from einvoice.validation import Judgement, Light, judge, report_of
from tests.documents.pdf.samples import ACME, an_invoice

DAY = date(2026, 11, 22)
EN16931 = "urn:cen.eu:en16931:2017"
BASIC = f"{EN16931}#compliant#urn:factur-x.eu:1p0:basic"


def factur_x(change: Callable[[pikepdf.Pdf], None] | None = None, xml: bytes = b"") -> bytes:
    """Our own Factur-X, changed; with another XML if one is given."""
    invoice = an_invoice()
    made = pdf.render_factur_x(invoice, ACME, xml or cii.document_xml(invoice, EN16931))
    return made if change is None else changed(made, change)


def changed(made: bytes, change: Callable[[pikepdf.Pdf], None]) -> bytes:
    written = BytesIO()
    with pikepdf.open(BytesIO(made)) as document:
        change(document)
        document.save(written, fix_metadata_version=False)
    return written.getvalue()


def judged(made: bytes) -> Judgement:
    return judge(made, on=DAY, pdf=opened(made))


def misfits(made: bytes) -> dict[str, str]:
    found = report_of(judged(made)).findings
    return {each.rule_id: each.severity for each in found if each.rule_id.startswith("PDF-")}


def metadata(old: bytes, new: bytes) -> Callable[[pikepdf.Pdf], None]:
    def change(document: pikepdf.Pdf) -> None:
        content = document.Root.Metadata.read_bytes()
        assert old in content
        document.Root.Metadata.write(content.replace(old, new))

    return change


def test_a_factur_x_is_judged_by_its_profile_and_fits():
    found = judged(factur_x())

    assert (found.choice.rule_set.name, found.light) == ("factur-x", Light.GREEN)
    [finding] = report_of(found).findings
    assert (finding.rule_id, finding.severity) == ("PDF-PROFILE", "information")
    assert finding.message == "The PDF holds an invoice in CII, profile EN 16931: factur-x.xml."


def test_a_pdf_with_ubl_is_judged_by_the_rules_of_the_ubl():
    invoice = an_invoice()
    found = judged(pdf.render(invoice, ACME, ubl.document_xml(invoice)))

    assert found.choice.rule_set.name == "peppol-bis-billing"
    assert [each.rule_id for each in report_of(found).findings if "PDF" in each.rule_id] == [
        "PDF-UBL"
    ]


def delete_associated(document: pikepdf.Pdf) -> None:
    del document.Root.AF


def relate(kind: str) -> Callable[[pikepdf.Pdf], None]:
    def change(document: pikepdf.Pdf) -> None:
        document.Root.AF[0].AFRelationship = pikepdf.Name(kind)

    return change


@pytest.mark.parametrize(
    ("change", "rule", "severity"),
    [
        (metadata(b"<pdfaid:part>3<", b"<pdfaid:part>2<"), "PDF-PART", "error"),
        (metadata(b">EN 16931<", b">BASIC<"), "PDF-LEVEL", "error"),
        (metadata(b"Name>factur-x.xml<", b"Name>other.xml<"), "PDF-METADATA-FILE", "error"),
        (metadata(b"urn:factur-x:pdfa", b"urn:other:pdfa"), "PDF-METADATA", "error"),
        (relate("/Unspecified"), "PDF-RELATIONSHIP", "error"),
        (delete_associated, "PDF-ASSOCIATED", "error"),
    ],
)
def test_a_pdf_that_does_not_fit_its_invoice_says_why(change, rule, severity):
    found = misfits(factur_x(change))

    assert found == {"PDF-PROFILE": "information", rule: severity}
    assert judged(factur_x(change)).light is Light.RED


def test_the_profile_of_the_xml_is_compared_with_that_of_the_metadata():
    xml = cii.document_xml(an_invoice(), EN16931).replace(
        f">{EN16931}<".encode(), f">{BASIC}<".encode()
    )

    assert misfits(factur_x(xml=xml))["PDF-LEVEL"] == "error"


def rename(document: pikepdf.Pdf) -> None:
    for attachment in document.attachments.values():
        attachment.obj.UF = attachment.obj.F = pikepdf.String("other.xml")


def test_another_name_of_the_attachment_is_an_error():
    assert {"PDF-NAME", "PDF-METADATA-FILE"} <= misfits(factur_x(rename)).keys()


def remove_all(document: pikepdf.Pdf) -> None:
    for name in list(document.attachments):
        del document.attachments[name]


def encrypted() -> bytes:
    written = BytesIO()
    with pikepdf.open(BytesIO(factur_x())) as document:
        document.save(written, encryption=pikepdf.Encryption(owner="o", user="u"))
    return written.getvalue()


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (lambda: factur_x(remove_all), "PDF-WITHOUT-INVOICE"),
        (encrypted, "PDF-ENCRYPTED"),
        (lambda: b"%PDF-1.7 nothing", "PDF-DAMAGED"),
        (lambda: factur_x()[:2000], "PDF-DAMAGED"),
    ],
)
def test_a_pdf_without_an_invoice_is_red_and_says_why(content, rule):
    found = judged(content())

    assert (found.light, found.is_document) == (Light.RED, False)
    [finding] = report_of(found).findings
    assert (finding.rule_id, finding.severity) == (rule, "error")


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_pdf_is_opened_or_refused_and_raises_nothing(seed):
    """Bytes of a Factur-X replaced at many places."""
    content = bytearray(factur_x())
    for number in range(60):
        content[(seed * 7919 + number * 104_729) % len(content)] = (seed * 31 + number) % 256

    found = opened(bytes(content))

    assert found.problem is None or found.problem.startswith("pdf-")


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"%PDF-1.4", True), (b"\n\n%PDF-2.0", True), (b"<a>%PDF-</a>", False), (b"", False)],
)
def test_a_pdf_is_recognised_by_its_beginning(content, expected):
    assert is_pdf(content) is expected
