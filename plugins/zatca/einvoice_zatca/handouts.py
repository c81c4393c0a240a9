"""Additions to the PDF and the buyer's page: the QR code and the XML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

from lxml import etree

from einvoice.domain.additions import Additions, AttachedXml, Handout, QrCode
from einvoice.domain.artefacts import AUTHORITY_DOCUMENT
from einvoice.xml import parse
from einvoice_zatca.names import QR, TAGS

_CODE: Final = (
    f"cac:AdditionalDocumentReference[cbc:ID='{QR}']/cac:Attachment"
    "/cbc:EmbeddedDocumentBinaryObject/text()"
)
# Labels in Arabic with the paths of their values, beside those in the language of the page.
_LABELS: Final = (
    ("رقم الفاتورة", "cbc:ID"),
    ("تاريخ الإصدار", "cbc:IssueDate"),
    ("وقت الإصدار", "cbc:IssueTime"),
    ("البائع", "cac:AccountingSupplierParty//cbc:RegistrationName"),
    ("الرقم الضريبي للبائع", "cac:AccountingSupplierParty//cac:PartyTaxScheme/cbc:CompanyID"),
    ("المشتري", "cac:AccountingCustomerParty//cbc:RegistrationName"),
    ("الرقم الضريبي للمشتري", "cac:AccountingCustomerParty//cac:PartyTaxScheme/cbc:CompanyID"),
    ("الإجمالي غير شامل ضريبة القيمة المضافة", "cac:LegalMonetaryTotal/cbc:TaxExclusiveAmount"),
    ("ضريبة القيمة المضافة", "cac:TaxTotal[cac:TaxSubtotal]/cbc:TaxAmount"),
    ("الإجمالي شامل ضريبة القيمة المضافة", "cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount"),
    ("المدفوع مقدمًا", "cac:LegalMonetaryTotal/cbc:PrepaidAmount"),
    ("المبلغ المستحق", "cac:LegalMonetaryTotal/cbc:PayableAmount"),
    ("سبب الإشعار", "cac:PaymentMeans/cbc:InstructionNote"),
)
_KINDS: Final = {"381": "إشعار دائن", "383": "إشعار مدين", "386": "فاتورة دفعة مقدمة"}
_MAX_LINE: Final = 280  # characters
_SIMPLIFIED: Final = "فاتورة ضريبية مبسطة"  # simplified tax invoice
_STANDARD: Final = "فاتورة ضريبية"  # tax invoice


def additions(handout: Handout) -> Additions:
    """The QR code and the stamped XML, as soon as there is one.

    A simplified document may be handed out before it is reported.
    """
    # A validation of one file prints nothing, and needs no cryptography.
    from einvoice_zatca.stamp import is_simplified

    content = handout.evidence.get(AUTHORITY_DOCUMENT.code)
    if content is None:
        return Additions()
    root = parse(content)
    simplified = is_simplified(root)
    found = cast("list[str]", root.xpath(_CODE, namespaces=TAGS))
    caption = _SIMPLIFIED if simplified else _STANDARD
    codes = tuple(QrCode(str(text), caption) for text in found[:1])
    attached = AttachedXml("zatca-invoice.xml", content)
    lines = (caption, *_labelled(root))
    return Additions(codes=codes, lines=lines, attached=attached, issued=simplified)


def _labelled(root: etree._Element) -> Iterator[str]:
    """Kind, parties and amounts of a document with labels in Arabic."""
    kind = _KINDS.get(root.findtext("cbc:InvoiceTypeCode", "", TAGS))
    if kind is not None:
        yield kind
    for label, path in _LABELS:
        found = cast("list[Any]", root.xpath(path, namespaces=TAGS))
        text = " ".join((found[0].text or "").split()) if found else ""
        if text:
            currency = found[0].get("currencyID", "")
            yield f"{label}: {text} {currency}".strip()[:_MAX_LINE]
