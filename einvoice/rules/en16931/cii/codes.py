"""Values that must be codes of a list (BR-CL); some lists of CII differ from those of UBL."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import coded
from einvoice.rules.values import normalized
from einvoice.rules.view import View

codes = Chapter(Layer.CEN_CII)

coded(codes, contexts.INVOICE_TYPE, "BR-CL-01", "BT-3", "uncl1001_cii_cen")
coded(codes, contexts.TAX_TOTAL_CURRENCY, "BR-CL-03", "BT-110 BT-111", "iso4217_cen", "currencyID")
coded(codes, contexts.CURRENCY, "BR-CL-04", "BT-5", "iso4217_cen")
coded(codes, contexts.TAX_CURRENCY, "BR-CL-05", "BT-6", "iso4217_cen")
coded(codes, contexts.TAX_POINT_CODE, "BR-CL-06", "BT-8", "uncl2475_cii")
coded(codes, contexts.INVOICED_OBJECT, "BR-CL-07", "BT-18-1 BT-128-1", "uncl1153")
coded(codes, contexts.NOTE_SUBJECT, "BR-CL-08", "BT-21", "uncl4451_cii")
coded(
    codes, contexts.PARTY_ID, "BR-CL-10", "BT-29-1 BT-46-1 BT-60-1", "icd_iso6523_cen", "schemeID"
)
coded(
    codes, contexts.LEGAL_ID, "BR-CL-11", "BT-30-1 BT-47-1 BT-61-1", "icd_iso6523_cen", "schemeID"
)
coded(codes, contexts.CLASS_CODE, "BR-CL-13", "BT-158-1", "uncl7143", "listID")
coded(codes, contexts.COUNTRY, "BR-CL-14", "BT-40 BT-55 BT-69 BT-80", "iso3166_cii_cen")
coded(codes, contexts.ORIGIN_COUNTRY, "BR-CL-15", "BT-159", "iso3166_cii_cen")
coded(codes, contexts.MEANS_CODE, "BR-CL-16", "BT-81", "uncl4461")
coded(codes, contexts.ALLOWANCE_CATEGORY, "BR-CL-17", "BT-95 BT-102", "uncl5305")
coded(codes, contexts.TAX_CATEGORY, "BR-CL-18", "BT-118 BT-151", "uncl5305")
coded(codes, contexts.ALLOWANCE_REASON, "BR-CL-19", "BT-98 BT-140", "uncl5189")
coded(codes, contexts.CHARGE_REASON, "BR-CL-20", "BT-105 BT-145", "uncl7161")
coded(codes, contexts.STANDARD_ID, "BR-CL-21", "BT-157-1", "icd_iso6523_cen", "schemeID")
coded(codes, contexts.UNIT, "BR-CL-23", "BT-130 BT-150", "unece_rec20_21", "unitCode")
coded(codes, contexts.ENDPOINT, "BR-CL-25", "BT-34-1 BT-49-1", "eas_cen", "schemeID")
coded(codes, contexts.DELIVERY_LOCATION, "BR-CL-26", "BT-71-1", "icd_iso6523_cen", "schemeID")

_VATEX = code_list("vatex").codes
_MIME = code_list("mime").codes


@codes.rule("BR-CL-22", "BT-121", at=contexts.EXEMPTION_CODE, kind=Kind.CODE_LIST, list="vatex")
def exemption_code_is_listed(code: Node, _: View) -> Values | None:
    """A VAT exemption reason code (BT-121) is a code of the VATEX list, in any case."""
    return None if normalized(code.text.upper()) in _VATEX else {"code": code.text}


@codes.rule("BR-CL-24", "BT-125-1", at=contexts.ATTACHMENT, kind=Kind.CODE_LIST, list="mime")
def media_type_is_listed(attachment: Node, _: View) -> Values | None:
    """The media type of an attachment (BT-125-1) is one of the list, as written."""
    media_type = attachment.attributes["mimeCode"]
    return None if media_type in _MIME else {"code": media_type}
