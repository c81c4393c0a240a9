"""Every suggestion of a rule of XRechnung that names a value, applied, removes the finding."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from lxml import etree

from einvoice.rules import XRECHNUNG, Layer, Syntax
from einvoice.rules.xrechnung.scenarios import CIUS, CVD, EXTENSION
from einvoice.validation import judge, report_of
from tests.conformance.ours import DAY
from tests.oracle.sources import ROOT
from tests.tables import each_row

NAMESPACES = {
    **{prefix: name for name, prefix in (Syntax.UBL.prefixes | Syntax.CII.prefixes).items()},
}
XMLNS = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in NAMESPACES.items())

# What the samples lack: the XPath of the element before which it is put, and it.
UBL_MORE = [
    ("cac:AccountingSupplierParty",
     ("<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cac:Attachment><cac:ExternalReference>"
     "<cbc:URI>https://example.com/a</cbc:URI></cac:ExternalReference></cac:Attachment>"
     "</cac:AdditionalDocumentReference>")),
    ("cac:AccountingSupplierParty/cac:Party/cac:PostalAddress",
     ('<cac:PartyIdentification><cbc:ID schemeID="0088">9520000000004</cbc:ID>'
     "</cac:PartyIdentification>")),
    ("cac:AccountingSupplierParty//cac:Contact/preceding-sibling::cac:PartyLegalEntity/*[1]",
     '<cbc:CompanyID schemeID="0088">9520000000004</cbc:CompanyID>'),
    ("cac:Delivery/*[1]",
     '<cac:DeliveryLocation><cbc:ID schemeID="0088">9520000000004</cbc:ID></cac:DeliveryLocation>'),
    ("cac:TaxTotal",
     "<cac:PaymentTerms><cbc:Note>net</cbc:Note></cac:PaymentTerms>"),
    ("cac:TaxTotal",
     ('<cac:PrepaidPayment><cbc:ID>1</cbc:ID><cbc:PaidAmount currencyID="EUR">0.00</cbc:PaidAmount>'
     "<cbc:InstructionID>x</cbc:InstructionID></cac:PrepaidPayment>")),
    ("cac:TaxTotal",
     ("<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator>"
     "<cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric>"
     '<cbc:Amount currencyID="EUR">10.00</cbc:Amount>'
     '<cbc:BaseAmount currencyID="EUR">100.00</cbc:BaseAmount></cac:AllowanceCharge>')),
    ("cac:InvoiceLine/cac:Item/cac:ClassifiedTaxCategory",
     ('<cac:StandardItemIdentification><cbc:ID schemeID="0160">1</cbc:ID>'
     "</cac:StandardItemIdentification><cac:CommodityClassification>"
     '<cbc:ItemClassificationCode listID="CVD">M1</cbc:ItemClassificationCode>'
     "</cac:CommodityClassification>")),
    ("cac:InvoiceLine/cac:Item/cac:ClassifiedTaxCategory",
     ("<cac:AdditionalItemProperty><cbc:Name>cva</cbc:Name><cbc:Value>clean</cbc:Value>"
     "</cac:AdditionalItemProperty>")),
    ("cac:InvoiceLine/cac:Price/*[1]",
     ("<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator>"
     '<cbc:Amount currencyID="EUR">10.00</cbc:Amount>'
     '<cbc:BaseAmount currencyID="EUR">60.00</cbc:BaseAmount></cac:AllowanceCharge>')),
    ("cac:InvoiceLine/cac:Price",
     ('<cac:SubInvoiceLine><cbc:LineExtensionAmount currencyID="EUR">100.00'
     "</cbc:LineExtensionAmount></cac:SubInvoiceLine>")),
]  # fmt: skip
_TRADE = "rsm:SupplyChainTradeTransaction"
_PRODUCT = ".//ram:SpecifiedTradeProduct"
_SETTLEMENT = f"{_TRADE}/ram:ApplicableHeaderTradeSettlement"
CII_MORE = [
    (".//ram:SellerTradeParty/ram:Name",
     '<ram:GlobalID schemeID="0088">9520000000004</ram:GlobalID>'),
    (".//ram:SellerTradeParty/ram:DefinedTradeContact",
     ('<ram:SpecifiedLegalOrganization><ram:ID schemeID="0088">1</ram:ID>'
     "</ram:SpecifiedLegalOrganization>")),
    (".//ram:ApplicableHeaderTradeAgreement/ram:SellerTradeParty",
     ("<ram:AdditionalReferencedDocument><ram:URIID>https://example.com/a</ram:URIID>"
     "<ram:TypeCode>916</ram:TypeCode></ram:AdditionalReferencedDocument>")),
    (".//ram:ApplicableHeaderTradeDelivery/*[1]",
     '<ram:ShipToTradeParty><ram:GlobalID schemeID="0088">1</ram:GlobalID></ram:ShipToTradeParty>'),
    (f"{_SETTLEMENT}/ram:ApplicableTradeTax",
     ("<ram:SpecifiedTradePaymentTerms><ram:Description>net</ram:Description>"
     "</ram:SpecifiedTradePaymentTerms>")),
    (f"{_SETTLEMENT}/ram:ApplicableTradeTax",
     ("<ram:SpecifiedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>false</udt:Indicator>"
     "</ram:ChargeIndicator><ram:CalculationPercent>10</ram:CalculationPercent>"
     "<ram:BasisAmount>100.00</ram:BasisAmount><ram:ActualAmount>10.00</ram:ActualAmount>"
     "</ram:SpecifiedTradeAllowanceCharge>")),
    (f"{_PRODUCT}/ram:Name",
     '<ram:GlobalID schemeID="0160">1</ram:GlobalID>'),
    (f"{_PRODUCT}/ram:Name",
     ("<ram:ApplicableProductCharacteristic><ram:Description>cva</ram:Description>"
     "<ram:Value>clean</ram:Value></ram:ApplicableProductCharacteristic>"
     '<ram:DesignatedProductClassification><ram:ClassCode listID="CVD">M1</ram:ClassCode>'
     "</ram:DesignatedProductClassification>")),
    (".//ram:NetPriceProductTradePrice",
     ("<ram:GrossPriceProductTradePrice><ram:ChargeAmount>60.00</ram:ChargeAmount>"
     "<ram:AppliedTradeAllowanceCharge><ram:ChargeIndicator><udt:Indicator>false</udt:Indicator>"
     "</ram:ChargeIndicator><ram:ActualAmount>10.00</ram:ActualAmount>"
     "</ram:AppliedTradeAllowanceCharge></ram:GrossPriceProductTradePrice>")),
]  # fmt: skip

SEND, USE = r"Send (-?[\d.]+\d)", r"Use (\w+)"
Applied = Callable[[str, str], str]  # of the value in the suggestion and the wrong text


def as_named(value: str, _: str) -> str:
    return value


def with_line_break(value: str, _: str) -> str:
    return f"{value}\n"


def in_front(value: str, wrong: str) -> str:
    return value + wrong


# Rule, identifier (BT-24), XPath of what is wrong, the wrong text, the value in the suggestion.
UBL_RULES: list[tuple[str, str, str, str, str, Applied]] = [
    ("BR-DE-14", CIUS, ".//cac:TaxSubtotal//cbc:Percent", " ", r"; (\d)", as_named),
    ("BR-DE-17", CIUS, "cbc:InvoiceTypeCode", "393", USE, as_named),
    (
        "BR-DE-18",
        CIUS,
        "cac:PaymentTerms/cbc:Note",
        "#SKONTO#TAGE=9#",
        r"(#SK\S+#)",
        with_line_break,
    ),
    ("BR-DE-21", CIUS, "cbc:CustomizationID", "urn:other", r"Write (\S+),", as_named),
    ("BR-DE-27", CIUS, ".//cac:Contact/cbc:Telephone", "12", r"(\+[\d ]+\d)", as_named),
    ("BR-DE-28", CIUS, ".//cac:Contact/cbc:ElectronicMail", "e@x", r"(\S+@\w+\S+)", as_named),
    ("BR-TMP-2", CIUS, ".//cbc:URI", "example.com/a", r"(https://)", in_front),
    ("BR-TMP-6", CIUS, "cbc:IssueDate", "2026-11-21Z", r"(\d+-\d+-\d+)", as_named),
    ("PEPPOL-EN16931-R040", CIUS, "cac:AllowanceCharge/cbc:Amount", "11.00", SEND, as_named),
    (
        "PEPPOL-EN16931-R043",
        CIUS,
        "cac:AllowanceCharge/cbc:ChargeIndicator",
        "0",
        r"(false)",
        as_named,
    ),
    ("PEPPOL-EN16931-R046", CIUS, ".//cac:Price/cbc:PriceAmount", "51.00", SEND, as_named),
    (
        "PEPPOL-EN16931-R120",
        CIUS,
        "cac:InvoiceLine/cbc:LineExtensionAmount",
        "90.00",
        SEND,
        as_named,
    ),
    ("BR-DEX-02", EXTENSION, "cac:InvoiceLine/cbc:LineExtensionAmount", "90.00", SEND, as_named),
    ("BR-DEX-04", EXTENSION, ".//cac:PartyIdentification/cbc:ID/@schemeID", "088", USE, as_named),
    (
        "BR-DEX-05",
        EXTENSION,
        ".//cac:PartyLegalEntity/cbc:CompanyID/@schemeID",
        "088",
        USE,
        as_named,
    ),
    (
        "BR-DEX-06",
        EXTENSION,
        ".//cac:StandardItemIdentification/cbc:ID/@schemeID",
        "088",
        USE,
        as_named,
    ),
    ("BR-DEX-07", EXTENSION, ".//cbc:EndpointID/@schemeID", "088", USE, as_named),
    ("BR-DEX-08", EXTENSION, ".//cac:DeliveryLocation/cbc:ID/@schemeID", "088", USE, as_named),
    ("BR-DEX-09", EXTENSION, ".//cbc:PayableAmount", "1.00", SEND, as_named),
    (
        "BR-DEX-14",
        EXTENSION,
        ".//cac:PrepaidPayment/cbc:PaidAmount/@currencyID",
        "USD",
        r"in (\w{3})\.",
        as_named,
    ),
    ("BR-DE-CVD-04", CVD, ".//cbc:ItemClassificationCode", "X9", r"vans: (\w\d)", as_named),
    ("BR-DE-CVD-05", CVD, ".//cac:AdditionalItemProperty/cbc:Value", "?", r"Write (\w+)", as_named),
    ("BR-TMP-CVD-01", CVD, ".//cbc:ItemClassificationCode/@listID", "ZZZZ", USE, as_named),
]
CII_RULES: list[tuple[str, str, str, str, str, Applied]] = [
    (
        "BR-DE-14",
        CIUS,
        f"{_SETTLEMENT}/ram:ApplicableTradeTax/ram:RateApplicablePercent",
        " ",
        r"; (\d)",
        as_named,
    ),
    ("BR-DE-17", CIUS, "rsm:ExchangedDocument/ram:TypeCode", "393", USE, as_named),
    (
        "BR-DE-18",
        CIUS,
        ".//ram:SpecifiedTradePaymentTerms/ram:Description",
        "#SKONTO#TAGE=9#",
        r"(#SK\S+#)",
        with_line_break,
    ),
    (
        "BR-DE-21",
        CIUS,
        ".//ram:GuidelineSpecifiedDocumentContextParameter/ram:ID",
        "urn:other",
        r"Write (\S+),",
        as_named,
    ),
    (
        "BR-DE-27",
        CIUS,
        ".//ram:DefinedTradeContact//ram:CompleteNumber",
        "12",
        r"(\+[\d ]+\d)",
        as_named,
    ),
    ("BR-DE-28", CIUS, ".//ram:DefinedTradeContact//ram:URIID", "e@x", r"(\S+@\w+\S+)", as_named),
    (
        "BR-TMP-2",
        CIUS,
        ".//ram:AdditionalReferencedDocument/ram:URIID",
        "example.com/a",
        r"(https://)",
        in_front,
    ),
    ("BR-TMP-7", CIUS, ".//udt:DateTimeString", "2026-11-21", r"(\d{8})", as_named),
    ("BR-TMP-7", CIUS, ".//udt:DateTimeString/@format", "610", r'"(\d+)"', as_named),
    (
        "PEPPOL-EN16931-R040",
        CIUS,
        ".//ram:SpecifiedTradeAllowanceCharge/ram:ActualAmount",
        "11.00",
        SEND,
        as_named,
    ),
    (
        "PEPPOL-EN16931-R043-1",
        CIUS,
        ".//ram:SpecifiedTradeAllowanceCharge//udt:Indicator",
        "0",
        r"(false)",
        as_named,
    ),
    (
        "PEPPOL-EN16931-R043-2",
        CIUS,
        ".//ram:AppliedTradeAllowanceCharge//udt:Indicator",
        "0",
        r"(false)",
        as_named,
    ),
    (
        "PEPPOL-EN16931-R046",
        CIUS,
        ".//ram:NetPriceProductTradePrice/ram:ChargeAmount",
        "51.00",
        SEND,
        as_named,
    ),
    ("PEPPOL-EN16931-R120", CIUS, ".//ram:LineTotalAmount", "90.00", SEND, as_named),
    (
        "BR-DEX-04",
        EXTENSION,
        ".//ram:SellerTradeParty/ram:GlobalID/@schemeID",
        "088",
        USE,
        as_named,
    ),
    (
        "BR-DEX-05",
        EXTENSION,
        ".//ram:SpecifiedLegalOrganization/ram:ID/@schemeID",
        "088",
        USE,
        as_named,
    ),
    ("BR-DEX-06", EXTENSION, f"{_PRODUCT}/ram:GlobalID/@schemeID", "088", USE, as_named),
    (
        "BR-DEX-07",
        EXTENSION,
        ".//ram:URIUniversalCommunication/ram:URIID[@schemeID]/@schemeID",
        "088",
        USE,
        as_named,
    ),
    (
        "BR-DEX-08",
        EXTENSION,
        ".//ram:ShipToTradeParty/ram:GlobalID/@schemeID",
        "088",
        USE,
        as_named,
    ),
    ("BR-DE-CVD-04", CVD, ".//ram:ClassCode", "X9", r"vans: (\w\d)", as_named),
    (
        "BR-DE-CVD-05",
        CVD,
        ".//ram:ApplicableProductCharacteristic/ram:Value",
        "?",
        r"Write (\w+)",
        as_named,
    ),
    ("BR-TMP-CVD-01", CVD, ".//ram:ClassCode/@listID", "ZZZZ", USE, as_named),
]
CASES = [("ubl", *row) for row in UBL_RULES] + [("cii", *row) for row in CII_RULES]


@cache
def base(form: str) -> bytes:
    """The sample with more groups; not every rule is satisfied."""
    root = etree.parse(ROOT / f"tests/samples/xrechnung_{form}.xml").getroot()
    for path, xml in UBL_MORE if form == "ubl" else CII_MORE:
        before = root.xpath(path, namespaces=NAMESPACES)[0]
        for new in etree.fromstring(f"<x {XMLNS}>{xml}</x>"):
            before.addprevious(new)
    return etree.tostring(root)


def written(form: str, identifier: str, path: str, text: str) -> bytes:
    """The document with this text at the path."""
    root = etree.fromstring(base(form).replace(CIUS.encode(), identifier.encode()))
    steps, _, attribute = path.partition("/@")
    element = root.xpath(steps, namespaces=NAMESPACES)[0]
    if attribute:
        element.set(attribute, text)
    else:
        element.text = text
    return etree.tostring(root)


def suggestions(document: bytes, rule: str) -> list[str]:
    judgement = judge(document, on=DAY, schema=False, asked="xrechnung")
    found = report_of(judgement).findings
    return [finding.suggestion or "" for finding in found if finding.rule_id == rule]


@each_row(
    ("form", "rule", "identifier", "path", "wrong", "named", "applied"),
    CASES,
    ids=[f"{form}-{rule}" for form, rule, *_ in CASES],
)
def test_the_suggested_value_removes_the_finding(
    form, rule, identifier, path, wrong, named, applied
):
    """The value is read out of the sentence that people see."""
    found = suggestions(written(form, identifier, path, wrong), rule)
    assert found, "the wrong text breaks the rule"
    value = re.search(named, found[0])
    assert value, found[0]

    right = written(form, identifier, path, applied(value[1], wrong))
    assert suggestions(right, rule) == []


def test_at_least_thirty_rules_of_the_layers_are_tried():
    known = {
        (layer.syntax.lower(), rule.id)
        for layer in (Layer.XRECHNUNG_UBL, Layer.XRECHNUNG_CII)
        for rule in XRECHNUNG.on(DAY).book(layer).rules
    }
    tried = {(form, rule) for form, rule, *_ in CASES}

    assert tried <= known
    assert len(tried) >= 30
