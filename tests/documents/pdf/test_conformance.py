"""PDF/A-3a, PDF/UA-1 and Factur-X: checked by veraPDF where Java is installed, and by structure."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import facturx
import pikepdf
import pytest
from lxml import etree

from einvoice.documents import pdf
from einvoice.documents.cii import write as cii
from einvoice.documents.ubl import write as ubl
from einvoice.domain.identifiers import XRECHNUNG_CUSTOMIZATION
from einvoice.domain.invoice import Invoice
from tests.documents.pdf.samples import ACME, GOLDEN, an_invoice

HERE = Path(__file__).parent / "verapdf"
TOOLS = all(shutil.which(tool) for tool in ("mvn", "java"))


def printed(invoice: Invoice) -> bytes:
    return pdf.render(invoice, ACME, ubl.document_xml(invoice))


def undelivered(invoice: Invoice) -> bytes:
    return pdf.render(invoice, ACME, ubl.document_xml(invoice), mark=pdf.Mark.UNDELIVERED)


def as_receipt(invoice: Invoice) -> bytes:
    return pdf.render(invoice, ACME, ubl.document_xml(invoice), layout=pdf.Layout.RECEIPT)


def as_factur_x(invoice: Invoice) -> bytes:
    return pdf.render_factur_x(invoice, ACME, cii.document_xml(invoice, cii.EN16931))


def as_xrechnung(invoice: Invoice) -> bytes:
    marked = replace(invoice, customization=XRECHNUNG_CUSTOMIZATION)
    return pdf.render_factur_x(marked, ACME, cii.document_xml(marked))


@pytest.fixture(scope="session")
def verapdf(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, list[Path]], set[str]]:
    """`verapdf(flavour, files)` returns the violations."""
    if not TOOLS:
        pytest.skip("veraPDF needs Java and Maven")
    classpath = tmp_path_factory.mktemp("verapdf") / "classpath"
    fetch = ["mvn", "-q", "-f", str(HERE / "pom.xml"), "dependency:build-classpath"]
    if subprocess.run([*fetch, f"-Dmdep.outputFile={classpath}"], timeout=300).returncode:
        pytest.skip("veraPDF cannot be fetched here")

    def check(flavour: str, files: list[Path]) -> set[str]:
        command = ["java", "-cp", classpath.read_text(), str(HERE / "Check.java"), flavour]
        done = subprocess.run(
            [*command, *map(str, files)], check=True, capture_output=True, text=True, timeout=300
        )
        return {line.partition("\t")[2] for line in done.stdout.splitlines()}

    return check


@pytest.mark.long
@pytest.mark.parametrize("flavour", ["3a", "ua1"])
def test_verapdf_finds_nothing(tmp_path, verapdf, flavour) -> None:
    """Every golden invoice is valid, as PDF and as Factur-X."""
    files = []
    for name, (invoice, branding, _) in GOLDEN.items():
        for kind, made in (
            ("pdf", pdf.render(invoice, branding, ubl.document_xml(invoice))),
            ("undelivered", undelivered(invoice)),
            ("receipt", as_receipt(invoice)),
            ("fx", pdf.render_factur_x(invoice, branding, cii.document_xml(invoice))),
        ):
            files.append(tmp_path / f"{name}-{kind}.pdf")
            files[-1].write_bytes(made)

    assert verapdf(flavour, files) == {"compliant"}


@pytest.mark.long
def test_verapdf_reports_an_invalid_file(tmp_path, verapdf) -> None:
    """Otherwise the test above would prove nothing."""
    path = tmp_path / "broken.pdf"
    with pikepdf.open(BytesIO(printed(an_invoice()))) as document:
        del document.Root.OutputIntents
        del document.Root.AF
        document.save(path)

    assert "not compliant" in verapdf("3a", [path])


@pytest.mark.parametrize(
    ("render", "name", "write"),
    [
        (printed, "invoice.xml", ubl.document_xml),
        (as_factur_x, "factur-x.xml", lambda it: cii.document_xml(it, cii.EN16931)),
        (as_xrechnung, "xrechnung.xml", lambda it: cii.document_xml(it, XRECHNUNG_CUSTOMIZATION)),
    ],
)
def test_the_e_invoice_is_attached_byte_for_byte(render, name, write) -> None:
    """Its relationship to the pages is Alternative."""
    with pikepdf.open(BytesIO(render(an_invoice()))) as document:
        (associated,) = list(document.Root.AF)

        assert document.attachments[name].get_file().read_bytes() == write(an_invoice())
        assert associated.AFRelationship == "/Alternative"
        assert str(associated.UF) == name
        assert str(associated.EF.F.Subtype) == "/text/xml"


def test_archives_and_screen_readers_find_their_metadata() -> None:
    with pikepdf.open(BytesIO(printed(an_invoice()))) as document:
        root = document.Root
        xmp = root.Metadata.read_bytes().decode()

        assert re.search(r"<pdfaid:part>3<.*<pdfaid:conformance>A<", xmp)
        assert "<pdfuaid:part>1<" in xmp
        assert root.MarkInfo.Marked
        assert "/StructTreeRoot" in root
        assert str(root.Lang) == "de-DE"
        assert root.ViewerPreferences.DisplayDocTitle
        assert "Rechnung 2026-0042" in xmp
        assert "/OutputIntents" in root


def test_factur_x_is_recognised_and_valid_by_its_schema() -> None:
    made = as_factur_x(an_invoice())

    name, xml = facturx.get_xml_from_pdf(made, check_xsd=True)

    assert name == "factur-x.xml"
    assert b"urn:cen.eu:en16931:2017" in xml
    with pikepdf.open(BytesIO(made)) as document:
        xmp = document.Root.Metadata.read_bytes().decode()
    assert "<fx:ConformanceLevel>EN 16931</fx:ConformanceLevel>" in xmp


def test_an_xrechnung_is_of_the_profile_of_that_name() -> None:
    """The metadata name its file, as ZUGFeRD publishes it."""
    with pikepdf.open(BytesIO(as_xrechnung(an_invoice()))) as document:
        xmp = document.Root.Metadata.read_bytes().decode()

    assert "<fx:ConformanceLevel>XRECHNUNG</fx:ConformanceLevel>" in xmp
    assert "<fx:DocumentFileName>xrechnung.xml</fx:DocumentFileName>" in xmp


@pytest.mark.parametrize("render", [printed, as_factur_x])
def test_the_same_invoice_gives_the_same_bytes(render) -> None:
    assert render(an_invoice()) == render(an_invoice())


def test_a_logo_that_cannot_be_decoded_is_left_out() -> None:
    """An upload checks type and size only."""
    false = replace(ACME, logo=b"\x89PNG\r\n\x1a\nand nothing", logo_type="image/png")
    invoice = an_invoice()

    assert pdf.render(invoice, false, b"<a/>") == pdf.render(invoice, ACME, b"<a/>")


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16"])
def test_a_document_in_any_encoding_is_attached(encoding) -> None:
    document = f'<?xml version="1.0" encoding="{encoding}"?><Name>Müller</Name>'.encode(encoding)

    with pikepdf.open(BytesIO(pdf.render(an_invoice(), ACME, document))) as made:
        attached = made.attachments["invoice.xml"].get_file().read_bytes()

    assert etree.fromstring(attached).text == "Müller"
    assert encoding != "utf-8" or attached == document


def test_no_text_is_interpreted_as_markup() -> None:
    """A name cannot read a file, run code or break the page."""
    evil = '#read("/etc/passwd") $x$ *b* _i_ `c` <label> @ref \\u{41} // ] } #panic("no")'
    invoice = an_invoice(number=evil, buyer=replace(an_invoice().buyer, name=evil))

    texts = pdf.content(invoice, ACME)

    assert printed(invoice).startswith(b"%PDF")
    assert texts["recipient"][0].replace("\u200b", "") == evil
