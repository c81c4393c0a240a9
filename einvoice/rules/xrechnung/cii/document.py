"""BR-DE and BR-TMP on the document: references, types, attachments, dates and prices."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Values
from einvoice.rules.cii_paths import AGREEMENT, LINE, SELLER, SETTLEMENT
from einvoice.rules.evaluation_errors import either
from einvoice.rules.layers import Layer
from einvoice.rules.national.germany.forms import add_url_rule
from einvoice.rules.national.germany.ubl import (
    CORRECTION,
    DOCUMENT_TYPES,
    TAXED_CATEGORIES,
    discount_fault,
)
from einvoice.rules.node import Node
from einvoice.rules.tables import not_blank, present
from einvoice.rules.values import XML_SPACE, normalized
from einvoice.rules.view import View
from einvoice.rules.xrechnung.cii import contexts
from einvoice.rules.xrechnung.scenarios import CIUS, CVD, EXTENSION

_DOCUMENTS = "ram:AdditionalReferencedDocument"
_TYPE = "rsm:ExchangedDocument/ram:TypeCode"
_PRECEDING = f"{SETTLEMENT}/ram:InvoiceReferencedDocument"
_GUIDELINE = "ram:GuidelineSpecifiedDocumentContextParameter/ram:ID"
_TERMS = f"{SETTLEMENT}/ram:SpecifiedTradePaymentTerms"
_LINE_TAX = f"{LINE}/ram:SpecifiedLineTradeSettlement/ram:ApplicableTradeTax"
_PERIOD = "ram:BillingSpecifiedPeriod"
_NET = "ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:BasisQuantity"
_GROSS = "ram:SpecifiedLineTradeAgreement/ram:GrossPriceProductTradePrice/ram:BasisQuantity"

document = Chapter(Layer.XRECHNUNG_CII, gathers=(_DOCUMENTS,))

not_blank(document, contexts.DOCUMENT, [("BR-DE-15", "BT-10", f"{AGREEMENT}/ram:BuyerReference")])
present(document, contexts.DOCUMENT, [
    ("BR-DE-1", "BG-16", f"{SETTLEMENT}/ram:SpecifiedTradeSettlementPaymentMeans"),
])  # fmt: skip
not_blank(document, contexts.BREAKDOWN, [("BR-DE-14", "BT-119", "ram:RateApplicablePercent")])


@document.rule("BR-DE-16", "BT-31 BT-32 BG-11", at=contexts.DOCUMENT, kind=Kind.PRESENCE)
def seller_is_registered_for_tax(invoice: Node, _: View) -> Values | None:
    """With a taxed VAT category, the seller has a tax number (BT-31, BT-32) or a representative.

    Only the categories of lines count: the official test of allowances is never met.
    """
    if invoice.has(f"{AGREEMENT}/ram:SellerTaxRepresentativeTradeParty"):
        return None
    for number in invoice.all(f"{SELLER}/ram:SpecifiedTaxRegistration/ram:ID"):
        scheme = normalized(number.attributes.get("schemeID", ""))
        if scheme in ("VA", "FC") and number.text.strip(XML_SPACE):
            return None
    if "VAT" not in invoice.texts(f"{_LINE_TAX}/ram:TypeCode"):
        return None
    taxed = TAXED_CATEGORIES.intersection(invoice.texts(f"{_LINE_TAX}/ram:CategoryCode"))
    return BROKEN if taxed else None


@document.rule("BR-DE-17", "BT-3", at=contexts.DOCUMENT, flag=Flag.WARNING, kind=Kind.CODE_LIST,
               path=_TYPE)  # fmt: skip
def type_is_german(invoice: Node, _: View) -> Values | None:
    """The type (BT-3) is one of those used in Germany."""
    found = normalized(invoice.text_of(_TYPE))
    return None if found in DOCUMENT_TYPES else {"code": found}


@document.rule("BR-DE-26", "BG-3", at=contexts.DOCUMENT, flag=Flag.WARNING, kind=Kind.PRESENCE,
               path=_PRECEDING)  # fmt: skip
def correction_names_the_invoice(invoice: Node, _: View) -> Values | None:
    """A corrected invoice, type 384, names the preceding invoice (BG-3)."""
    holds = either(
        lambda: normalized(invoice.text_of(_TYPE)) != CORRECTION, lambda: invoice.has(_PRECEDING)
    )
    return None if holds else BROKEN


@document.rule("BR-DE-18", "BT-20", at=contexts.DOCUMENT, kind=Kind.FORMAT,
               present=(f"{_TERMS}/ram:Description",))  # fmt: skip
def discount_has_its_form(invoice: Node, _: View) -> Values | None:
    """A cash discount in the payment terms (BT-20) is a line #SKONTO#TAGE=…#PROZENT=…#."""
    return discount_fault(
        [text for terms in invoice.all(_TERMS) for text in terms.all("ram:Description")[:1]]
    )


@document.rule("BR-DE-21", "BT-24", at=contexts.PROCESS, flag=Flag.WARNING, kind=Kind.FORMAT,
               path=_GUIDELINE)  # fmt: skip
def specification_is_xrechnung(process: Node, _: View) -> Values | None:
    """The specification identifier (BT-24) is that of XRechnung, its Extension or CVD."""
    found = process.texts(_GUIDELINE)
    known = any(text in (CIUS, EXTENSION, CVD) for text in found)
    return None if known else {"text": " ".join(found), "expected": CIUS}


@document.rule("BR-DE-22", "BT-125", at=contexts.DOCUMENT, kind=Kind.CARDINALITY)
def file_names_are_unique(_: Node, view: View) -> Values | None:
    """Attached documents (BT-125) of a group have different file names."""
    references = view.everywhere(_DOCUMENTS)
    seen: dict[int, set[str]] = {}
    for reference in references:
        earlier = seen.setdefault(id(reference.parent), set())
        names = reference.attributes_at("ram:AttachmentBinaryObject", "filename")
        for name in names:
            if name in earlier:
                return {"name": name}
        earlier.update(names)
    return None


add_url_rule(document, "BR-TMP-2", contexts.ATTACHED, "ram:URIID", present=("ram:URIID",))


@document.rule("BR-DE-TMP-32", "BT-72 BG-14 BG-26", at=contexts.TRANSACTION,
               flag=Flag.INFORMATION, kind=Kind.PRESENCE)  # fmt: skip
def supply_has_a_date(trade: Node, _: View) -> Values | None:
    """A delivery date (BT-72), invoicing period (BG-14) or one in every line (BG-26) is given."""
    delivered = "ram:ApplicableHeaderTradeDelivery/ram:ActualDeliverySupplyChainEvent"
    if trade.has(f"{delivered}/ram:OccurrenceDateTime"):
        return None
    if trade.has(f"ram:ApplicableHeaderTradeSettlement/{_PERIOD}"):
        return None
    lines = trade.all("ram:IncludedSupplyChainTradeLineItem")
    dated = all(line.has(f"ram:SpecifiedLineTradeSettlement/{_PERIOD}") for line in lines)
    return None if dated else BROKEN


@document.rule("BR-TMP-3", "BT-149 BT-150", at=contexts.INVOICE_LINE, present=(_GROSS,))
def prices_are_for_the_same_quantity(line: Node, _: View) -> Values | None:
    """Gross and net price are for the same base quantity (BT-149) and unit (BT-150)."""
    net, gross = line.texts(_NET), line.texts(_GROSS)
    if not net:
        return None
    net_units, gross_units = (line.attributes_at(path, "unitCode") for path in (_NET, _GROSS))
    if not set(net) & set(gross):
        return {"expected": net[0], "declared": gross[0]}
    if net_units and gross_units and not set(net_units) & set(gross_units):
        return {"expected_unit": net_units[0], "unit": gross_units[0]}
    return None
