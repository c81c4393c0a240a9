"""Opening PDFs: what is attached, what they say of it, and files that are hostile or no PDF."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from io import BytesIO
from pathlib import Path

import pikepdf
import pytest

from einvoice.documents import pdf
from einvoice.documents.cii import write as cii
from einvoice.documents.hybrid import is_pdf
from einvoice.documents.hybrid.opening import opened
from einvoice.documents.ubl import write as ubl
from einvoice.validation import Judgement, Light, judge, report_of, texts
from tests.documents.pdf.samples import ACME, an_invoice

DAY = date(2026, 11, 22)
DOCS = Path(__file__).parents[2] / "docs" / "validation.md"
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


def retype(kind: str | None) -> Callable[[pikepdf.Pdf], None]:
    """Another MIME type of the embedded file, or none."""

    def change(document: pikepdf.Pdf) -> None:
        file = document.Root.AF[0].EF.F
        if kind is None:
            del file.Subtype
        else:
            file.Subtype = pikepdf.Name(kind)

    return change


def relate(kind: str) -> Callable[[pikepdf.Pdf], None]:
    def change(document: pikepdf.Pdf) -> None:
        document.Root.AF[0].AFRelationship = pikepdf.Name(kind)

    return change


DESCRIBED = b"<pdfaProperty:name>Version<"
# Each change of our Factur-X, and what is found besides that it is one.
MISFITS: list[tuple[Callable[[pikepdf.Pdf], None], str | None, str]] = [
    (metadata(b"<pdfaid:part>3<", b"<pdfaid:part>2<"), "PDF-PART", "error"),
    (metadata(b"conformance>A<", b"conformance>B<"), None, ""),
    (metadata(b"conformance>A<", b"conformance>u<"), "PDF-CONFORMANCE", "error"),
    (metadata(b">EN 16931<", b">BASIC<"), "PDF-LEVEL", "error"),
    (metadata(b"Name>factur-x.xml<", b"Name>other.xml<"), "PDF-METADATA-FILE", "error"),
    (metadata(b"urn:factur-x:pdfa", b"urn:other:pdfa"), "PDF-METADATA", "error"),
    (metadata(b">INVOICE<", b">ORDER<"), "PDF-DOCUMENT-TYPE", "error"),
    (metadata(b"Version>1.0<", b"Version><"), "PDF-VERSION", "error"),
    (metadata(b"Version>1.0<", b"Version>2p0<"), None, ""),
    (metadata(b"Version>1.0<", b"Version>7.0<"), "PDF-VERSION-OTHER", "warning"),
    (metadata(DESCRIBED, b"<pdfaProperty:name>Other<"), "PDF-SCHEMA", "error"),
    (metadata(b"URI>urn:factur-x", b"URI>urn:other"), "PDF-SCHEMA", "error"),
    (relate("/Source"), None, ""),
    (relate("/Unspecified"), "PDF-RELATIONSHIP", "error"),
    (retype("/application/xml"), None, ""),
    (retype("/application/octet-stream"), "PDF-TYPE-OTHER", "warning"),
    (retype(None), "PDF-TYPE", "error"),
    (delete_associated, "PDF-ASSOCIATED", "error"),
]
LIGHTS = {"error": Light.RED, "warning": Light.AMBER, "": Light.GREEN}


def test_a_pdf_that_does_not_fit_its_invoice_says_why():
    made = factur_x()
    for change, rule, severity in MISFITS:
        found = changed(made, change)
        expected = {"PDF-PROFILE": "information"} | ({rule: severity} if rule else {})

        assert (misfits(found), judged(found).light) == (expected, LIGHTS[severity]), rule


def test_a_misfit_says_what_to_write_with_the_values_of_the_pdf():
    found = factur_x(metadata(DESCRIBED, b"<pdfaProperty:name>Other<"))

    finding = report_of(judged(found)).findings[-1]
    assert "describes: Version." in finding.explanation
    assert "extension schema" in finding.suggestion


def attach(name: str, content: bytes = b"<a/>") -> Callable[[pikepdf.Pdf], None]:
    def change(document: pikepdf.Pdf) -> None:
        file = pikepdf.AttachedFileSpec(document, content, filename=name)
        document.attachments[f"z-{name}"] = file

    return change


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("notes.xml", None),
        ("factur-x.txt", None),
        ("xrechnung.xml", "PDF-RIVALS"),
        ("ZUGFeRD-invoice.xml", "PDF-RIVALS"),
        ("factur-x.xml", "PDF-SEVERAL-INVOICES"),
    ],
)
def test_another_attachment_with_the_name_of_an_invoice_is_told(name, rule):
    """Two of one name are refused: a receiver may take the other one."""
    found = misfits(factur_x(attach(name)))

    assert found.keys() - {"PDF-PROFILE"} == ({rule} if rule else set())


def test_an_invoice_that_is_attached_twice_is_one():
    made = factur_x()

    assert misfits(changed(made, attach("factur-x.xml", opened(made).xml))) == {
        "PDF-PROFILE": "information"
    }


def test_an_unknown_profile_is_no_level_of_the_metadata():
    xml = cii.document_xml(an_invoice(), EN16931).replace(
        f">{EN16931}<".encode(), f">{EN16931}#compliant#urn:of:nobody<".encode()
    )

    assert "PDF-LEVEL-UNKNOWN" not in misfits(factur_x(xml=xml))
    made = factur_x(metadata(b">EN 16931<", b">BEST<"), xml=xml)
    assert misfits(made)["PDF-LEVEL-UNKNOWN"] == "error"


def test_every_finding_on_pdfs_is_documented():
    """`PDF-A` stands for those of veraPDF, one for each clause."""
    documented = set(re.findall(r"`(PDF-[A-Z-]*[A-Z])", DOCS.read_text(encoding="utf-8")))

    assert documented == {f"PDF-{code.upper()}" for code in texts.language()["pdf"]}


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
