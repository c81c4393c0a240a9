"""The computations of PDFs: from a stored document to the pages. Run by `services/computing`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date

from einvoice import validation
from einvoice.documents import pdf
from einvoice.documents.cii import write as cii
from einvoice.documents.pdf import Layout, Mark
from einvoice.documents.pdf.sample import sample_invoice
from einvoice.documents.pdf.words import locale_of
from einvoice.documents.reading import invoice_in
from einvoice.documents.ubl import write as ubl
from einvoice.domain.additions import NOTHING, Additions, Handout
from einvoice.domain.artefacts import PDF
from einvoice.domain.branding import Branding
from einvoice.domain.errors import NotAsFacturX, NotFound, UnreadableDocument
from einvoice.domain.identifiers import XRECHNUNG_CUSTOMIZATION
from einvoice.domain.invoice import Attachment, Invoice, SupportingDocument
from einvoice.rules.br_fr import codes
from einvoice.xml import NotXml

Profile = Mapping[str, object]


def printed(
    document: bytes,
    profile: Profile,
    max_lines: int,
    mark: Mark,
    additions: Additions,
    layout: Layout = Layout.PAGES,
) -> bytes:
    """The PDF with the document attached. Raises NotFound for what cannot be printed."""
    invoice = _printable(document, max_lines)
    if mark is not Mark.NONE or additions != NOTHING:
        invoice = _without_pdf(invoice)
    branding = branding_of(invoice, profile)
    return pdf.render(invoice, branding, document, mark=mark, additions=additions, layout=layout)


def _without_pdf(invoice: Invoice) -> Invoice:
    """The invoice without the PDF that `with_pdf` attached."""
    kept = [entry for entry in invoice.supporting if not _is_embedded(entry, invoice)]
    return replace(invoice, supporting=tuple(kept))


def _description_of(invoice: Invoice) -> str:
    """The description of the PDF: in France a code (BR-FR-17)."""
    return codes.READABLE if invoice.profile in codes.PROCESSES else pdf.DESCRIPTION


def _is_embedded(entry: SupportingDocument, invoice: Invoice) -> bool:
    """Whether it is the PDF that `with_pdf` attached: a tenant's own has another reference."""
    if entry.description == pdf.DESCRIPTION:
        return True
    return entry.description == _description_of(invoice) and entry.reference == invoice.number


def printed_as_factur_x(
    document: bytes,
    profile: Profile,
    max_lines: int,
    mark: Mark,
    additions: Additions,
    today: date,
) -> bytes:
    """The PDF with the invoice as CII attached. Raises NotFound and NotAsFacturX.

    Its guideline (BT-24) is EN 16931, or XRechnung if the invoice is one.
    """
    invoice = _without_pdf(_printable(document, max_lines))
    is_xrechnung = invoice.customization == XRECHNUNG_CUSTOMIZATION
    content = cii.document_xml(invoice, None if is_xrechnung else cii.EN16931)
    reasons = cii.inexpressible(invoice) or _broken_rules(content, today)
    if reasons:
        raise NotAsFacturX(f"As Factur-X this invoice would not be whole: {reasons[0]}.", reasons)
    branding = branding_of(invoice, profile)
    return pdf.render_factur_x(invoice, branding, content, mark=mark, additions=additions)


def _broken_rules(document: bytes, today: date) -> list[str]:
    """The violated rules of EN 16931, or of XRechnung."""
    return [each.as_violation() for each in validation.check(document, on=today).errors]


def additions_of(
    function: Callable[[Handout], Additions],
    document: bytes,
    network_document: bytes | None,
    delivered: bool,
    evidence: Mapping[str, bytes],
    reference: str | None,
    language: str | None,
    access_point: str,
) -> Additions:
    """The additions of a profile to an invoice; none to what cannot be read as one.

    language  of the words around them; None: the language of the PDF
    """
    try:
        invoice = invoice_in(document)
    except (NotXml, UnreadableDocument):
        return NOTHING
    handout = Handout(
        invoice,
        document if network_document is None else network_document,
        delivered,
        evidence,
        reference,
        language or locale_of(invoice.buyer.address).partition("_")[0],
        access_point,
    )
    made = function(handout)
    if not isinstance(made, Additions):
        raise TypeError(f"{function.__name__} returned {type(made).__name__}, not Additions")
    return made


def _printable(document: bytes, max_lines: int) -> Invoice:
    """The invoice in a document. Raises NotFound if there is none, or one with too many lines."""
    try:
        invoice = invoice_in(document)
    except (NotXml, UnreadableDocument) as fault:
        raise NotFound("There is no PDF of what cannot be read as an invoice.") from fault
    if len(invoice.lines) > max_lines:
        raise NotFound(f"There is no PDF of an invoice with more than {max_lines:,} lines.")
    return invoice


def with_pdf(document: bytes, profile: Profile, number: str, file_name: str) -> tuple[bytes, bytes]:
    """The document with its PDF attached, and the PDF."""
    invoice = invoice_in(document)
    made = pdf.render(invoice, branding_of(invoice, profile), document)
    entry = SupportingDocument(
        reference=number,
        description=_description_of(invoice),
        attachment=Attachment(made, PDF.content_type, file_name),
    )
    return ubl.document_xml(replace(invoice, supporting=(*invoice.supporting, entry))), made


def attached_pdf(document: bytes) -> bytes:
    """The PDF that `with_pdf` attached: the last one with our description."""
    invoice = invoice_in(document)
    *_, entry = (each for each in invoice.supporting if _is_embedded(each, invoice))
    assert entry.attachment is not None  # noqa: S101 - it was attached with its content
    return entry.attachment.content


def has_pdf(invoice: Invoice) -> bool:
    """Whether a PDF is attached."""
    attached = [entry.attachment for entry in invoice.supporting if entry.attachment]
    return any(item.mime_type == PDF.content_type for item in attached)


def previewed(branding: Branding, country: str, today: date) -> bytes:
    """The PDF of a sample invoice to a buyer in the country."""
    invoice = sample_invoice(branding, today, country)
    return pdf.render(invoice, branding, ubl.document_xml(invoice))


def branding_of(invoice: Invoice, profile: Profile) -> Branding:
    """The tenant's look; without a display name the logo is named after the seller."""
    return Branding.of(invoice.seller.trading_name or invoice.seller.name, profile)
