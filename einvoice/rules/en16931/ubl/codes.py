"""Values that must be codes of a list (BR-CL)."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Kind, Values
from einvoice.rules.codelists import CodeList, code_list
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import coded
from einvoice.rules.values import XML_SPACE
from einvoice.rules.view import View

codes = Chapter(Layer.CEN_UBL)

coded(codes, contexts.CODED_AMOUNT, "BR-CL-03", "BT-5", "iso4217_cen", "currencyID", required=True)
coded(codes, contexts.CURRENCY, "BR-CL-04", "BT-5", "iso4217_cen")
coded(codes, contexts.TAX_CURRENCY, "BR-CL-05", "BT-6", "iso4217_cen")
coded(codes, contexts.TAX_POINT_CODE, "BR-CL-06", "BT-8", "uncl2005_ubl")
coded(codes, contexts.INVOICED_OBJECT, "BR-CL-07", "BT-18 BT-128", "uncl1153", "schemeID")
coded(codes, contexts.LEGAL_ID, "BR-CL-11", "BT-30 BT-47 BT-61", "icd_iso6523_cen", "schemeID")
coded(codes, contexts.CLASSIFICATION, "BR-CL-13", "BT-158", "uncl7143", "listID")
coded(codes, contexts.COUNTRY, "BR-CL-14", "BT-40 BT-55 BT-69 BT-80", "iso3166_cen")
coded(codes, contexts.ORIGIN_COUNTRY, "BR-CL-15", "BT-159", "iso3166_cen")
coded(codes, contexts.MEANS_CODE, "BR-CL-16", "BT-81", "uncl4461")
coded(codes, contexts.TAX_CATEGORY_CODE, "BR-CL-17", "BT-95 BT-102 BT-118", "uncl5305")
coded(codes, contexts.LINE_TAX_CATEGORY_CODE, "BR-CL-18", "BT-151", "uncl5305")
coded(codes, contexts.ALLOWANCE_REASON, "BR-CL-19", "BT-98 BT-140", "uncl5189")
coded(codes, contexts.CHARGE_REASON, "BR-CL-20", "BT-105 BT-145", "uncl7161")
coded(codes, contexts.STANDARD_ID, "BR-CL-21", "BT-157", "icd_iso6523_cen", "schemeID")
coded(codes, contexts.QUANTITY, "BR-CL-23", "BT-130 BT-150", "unece_rec20_21", "unitCode")
coded(codes, contexts.ENDPOINT, "BR-CL-25", "BT-34 BT-49", "eas_cen", "schemeID")
coded(codes, contexts.DELIVERY_LOCATION, "BR-CL-26", "BT-71", "icd_iso6523_cen", "schemeID")

_INVOICE_TYPES = code_list("uncl1001_invoice_cen")
_CREDIT_NOTE_TYPES = code_list("uncl1001_creditnote_cen")
_ICD = code_list("icd_iso6523_cen")
_MIME = code_list("mime")
_EXEMPTIONS = code_list("vatex")


def type_code_in(code: Node, invoices: CodeList, credit_notes: CodeList) -> Values | None:
    """Whether a type code is of the list for its kind of document, spaces around it aside."""
    allowed = invoices if code.name == "cbc:InvoiceTypeCode" else credit_notes
    if code.text.strip(XML_SPACE) in allowed:
        return None
    return {"code": code.text, "list": allowed.name}


@codes.rule("BR-CL-01", "BT-3", at=contexts.TYPE_CODE, kind=Kind.CODE_LIST)
def type_code_is_a_code(code: Node, _: View) -> Values | None:
    """The type code (BT-3) is one of the list for invoices or for credit notes."""
    return type_code_in(code, _INVOICE_TYPES, _CREDIT_NOTE_TYPES)


def party_id_scheme_in(identifier: Node, schemes: CodeList) -> Values | None:
    """Whether the scheme of a party identifier, if any, is of the list, or SEPA where allowed."""
    written = identifier.attributes.get("schemeID")
    scheme = None if written is None else written.strip(XML_SPACE)
    if scheme is None or scheme in schemes:
        return None
    paid = identifier.within("cac:AccountingSupplierParty") or identifier.within("cac:PayeeParty")
    return None if scheme == "SEPA" and paid else {"code": written, "list": schemes.name}


@codes.rule("BR-CL-10", "BT-29 BT-46 BT-60", at=contexts.PARTY_ID, kind=Kind.CODE_LIST)
def party_id_scheme_is_a_code(identifier: Node, _: View) -> Values | None:
    """The scheme of a party identifier is an ISO 6523 code; of a seller or payee, also SEPA."""
    return party_id_scheme_in(identifier, _ICD)


def exemption_code_in(code: Node, exemptions: CodeList) -> Values | None:
    """Whether a VAT exemption reason code is of the list, in any case."""
    return None if code.text.upper().strip(XML_SPACE) in exemptions else {"code": code.text}


@codes.rule("BR-CL-22", "BT-121", at=contexts.EXEMPTION_CODE, kind=Kind.CODE_LIST, list="vatex")
def exemption_code_is_a_code(code: Node, _: View) -> Values | None:
    """A VAT exemption reason code (BT-121) is a code of the VATEX list, in any case."""
    return exemption_code_in(code, _EXEMPTIONS)


@codes.rule("BR-CL-24", "BT-125", at=contexts.ATTACHMENT, kind=Kind.CODE_LIST, list="mime")
def media_type_is_allowed(attachment: Node, _: View) -> Values | None:
    """The media type of an attachment (BT-125) is one of the list."""
    mime = attachment.attributes.get("mimeCode")
    return None if mime is None or mime in _MIME else {"code": mime}
