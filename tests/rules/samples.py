"""A correct UBL invoice, and changes to it written as text.

    changed("cbc:ID := ; - cac:Delivery ; cac:Price + <cbc:BaseQuantity>1</cbc:BaseQuantity>")

`path := text` sets the text of the first element on the path, `path@name := text` an attribute,
`- path` removes all elements (or the attribute) on it, `path + xml` appends to the first, `path ++`
duplicates the first. Paths are XPath, relative to the document element.
"""

from __future__ import annotations

from copy import deepcopy

from lxml import etree

from einvoice.domain.identifiers import BIS_BILLING_CUSTOMIZATION

NAMESPACES = {
    "cac": "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2",
    "cbc": "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2",
}
_XMLNS = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in NAMESPACES.items())

_VAT = "<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>"
CATEGORY = (
    f"<cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>25</cbc:Percent>{_VAT}</cac:TaxCategory>"
)


def _amount(name: str, value: str) -> str:
    return f'<cbc:{name} currencyID="EUR">{value}</cbc:{name}>'


def _adjustment(charge: str, reason: str, amount: str) -> str:
    return (
        f"<cac:AllowanceCharge><cbc:ChargeIndicator>{charge}</cbc:ChargeIndicator>"
        f"<cbc:AllowanceChargeReasonCode>{reason}</cbc:AllowanceChargeReasonCode>"
        f"<cbc:AllowanceChargeReason>agreed</cbc:AllowanceChargeReason>"
        f"<cbc:MultiplierFactorNumeric>{amount}</cbc:MultiplierFactorNumeric>"
        f"{_amount('Amount', amount)}{_amount('BaseAmount', '100.00')}"
    )


def _address(country: str) -> str:
    return (
        "<cac:PostalAddress><cbc:StreetName>Street 1</cbc:StreetName><cac:Country>"
        f"<cbc:IdentificationCode>{country}</cbc:IdentificationCode></cac:Country></cac:PostalAddress>"
    )


def _party(endpoint: str, name: str, vat: str) -> str:
    return (
        f'<cac:Party><cbc:EndpointID schemeID="0088">{endpoint}</cbc:EndpointID>'
        f'<cac:PartyIdentification><cbc:ID schemeID="0088">{endpoint}</cbc:ID>'
        "</cac:PartyIdentification>"
        f"<cac:PartyName><cbc:Name>{name} brand</cbc:Name></cac:PartyName>"
        f"{_address('BE')}<cac:PartyTaxScheme><cbc:CompanyID>{vat}</cbc:CompanyID>{_VAT}"
        f"</cac:PartyTaxScheme><cac:PartyLegalEntity><cbc:RegistrationName>{name}"
        f'</cbc:RegistrationName><cbc:CompanyID schemeID="0208">0403019261</cbc:CompanyID>'
        "</cac:PartyLegalEntity></cac:Party>"
    )


def _line(number: int, net: str) -> str:
    return (
        f'<cac:InvoiceLine><cbc:ID>{number}</cbc:ID><cbc:InvoicedQuantity unitCode="C62">1'
        f"</cbc:InvoicedQuantity>{_amount('LineExtensionAmount', net)}"
        "<cac:InvoicePeriod><cbc:StartDate>2026-10-01</cbc:StartDate><cbc:EndDate>2026-10-31"
        "</cbc:EndDate></cac:InvoicePeriod>"
        f"{_adjustment('false', '95', '1.00')}</cac:AllowanceCharge>"
        f"{_adjustment('true', 'FC', '1.00')}</cac:AllowanceCharge>"
        "<cac:Item><cbc:Description>Oak</cbc:Description><cbc:Name>Chair</cbc:Name>"
        '<cac:StandardItemIdentification><cbc:ID schemeID="0160">04012345123456</cbc:ID>'
        "</cac:StandardItemIdentification><cac:OriginCountry><cbc:IdentificationCode>SE"
        "</cbc:IdentificationCode></cac:OriginCountry><cac:CommodityClassification>"
        '<cbc:ItemClassificationCode listID="STI">9873242</cbc:ItemClassificationCode>'
        "</cac:CommodityClassification>"
        f"{CATEGORY.replace('TaxCategory', 'ClassifiedTaxCategory')}"
        "<cac:AdditionalItemProperty><cbc:Name>Colour</cbc:Name><cbc:Value>Black</cbc:Value>"
        f"</cac:AdditionalItemProperty></cac:Item><cac:Price>{_amount('PriceAmount', net)}"
        "<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator>"
        f"{_amount('Amount', '0.00')}{_amount('BaseAmount', net)}</cac:AllowanceCharge></cac:Price>"
        "</cac:InvoiceLine>"
    )


GOOD = "".join(
    (
        f'<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" {_XMLNS}>',
        f"<cbc:CustomizationID>{BIS_BILLING_CUSTOMIZATION}</cbc:CustomizationID>",
        "<cbc:ProfileID>urn:fdc:peppol.eu:2017:poacc:billing:01:1.0</cbc:ProfileID>",
        "<cbc:ID>INV-1</cbc:ID><cbc:IssueDate>2026-11-01</cbc:IssueDate>",
        "<cbc:DueDate>2026-12-01</cbc:DueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>",
        "<cbc:Note>#AAI#Thank you</cbc:Note>",
        "<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>",
        "<cbc:BuyerReference>PO 7</cbc:BuyerReference>",
        "<cac:InvoicePeriod><cbc:StartDate>2026-10-01</cbc:StartDate>",
        "<cbc:EndDate>2026-10-31</cbc:EndDate></cac:InvoicePeriod>",
        "<cac:BillingReference><cac:InvoiceDocumentReference><cbc:ID>INV-0</cbc:ID>",
        "</cac:InvoiceDocumentReference></cac:BillingReference>",
        "<cac:AdditionalDocumentReference><cbc:ID>DOC-1</cbc:ID><cac:Attachment>",
        '<cbc:EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="a.csv">YQ==',
        "</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>",
        f"<cac:AccountingSupplierParty>{_party('5790000436057', 'Seller', 'BE0403019261')}",
        "</cac:AccountingSupplierParty>",
        f"<cac:AccountingCustomerParty>{_party('7300010000001', 'Buyer', 'BE0206731645')}",
        "</cac:AccountingCustomerParty>",
        "<cac:PayeeParty><cac:PartyIdentification><cbc:ID>PAYEE-1</cbc:ID></cac:PartyIdentification>",
        "<cac:PartyName><cbc:Name>Bank</cbc:Name></cac:PartyName></cac:PayeeParty>",
        "<cac:TaxRepresentativeParty><cac:PartyName><cbc:Name>Agent</cbc:Name></cac:PartyName>",
        f"{_address('BE')}<cac:PartyTaxScheme><cbc:CompanyID>BE0202239951</cbc:CompanyID>{_VAT}",
        "</cac:PartyTaxScheme></cac:TaxRepresentativeParty>",
        "<cac:Delivery><cbc:ActualDeliveryDate>2026-10-30</cbc:ActualDeliveryDate>",
        '<cac:DeliveryLocation><cbc:ID schemeID="0088">7300010000001</cbc:ID><cac:Address>',
        "<cac:Country><cbc:IdentificationCode>BE</cbc:IdentificationCode></cac:Country>",
        "</cac:Address></cac:DeliveryLocation></cac:Delivery>",
        "<cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>",
        "<cbc:PaymentID>INV-1</cbc:PaymentID><cac:PayeeFinancialAccount>",
        "<cbc:ID>BE68539007547034</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>",
        f"{_adjustment('false', '95', '10.00')}{CATEGORY}</cac:AllowanceCharge>",
        f"{_adjustment('true', 'FC', '20.00')}{CATEGORY}</cac:AllowanceCharge>",
        f"<cac:TaxTotal>{_amount('TaxAmount', '52.50')}<cac:TaxSubtotal>",
        f"{_amount('TaxableAmount', '210.00')}{_amount('TaxAmount', '52.50')}{CATEGORY}",
        "</cac:TaxSubtotal></cac:TaxTotal>",
        f"<cac:LegalMonetaryTotal>{_amount('LineExtensionAmount', '200.00')}",
        f"{_amount('TaxExclusiveAmount', '210.00')}{_amount('TaxInclusiveAmount', '262.50')}",
        f"{_amount('AllowanceTotalAmount', '10.00')}{_amount('ChargeTotalAmount', '20.00')}",
        f"{_amount('PrepaidAmount', '2.50')}{_amount('PayableRoundingAmount', '0.00')}",
        f"{_amount('PayableAmount', '260.00')}</cac:LegalMonetaryTotal>",
        f"{_line(1, '120.00')}{_line(2, '80.00')}",
        "</Invoice>",
    )
)


def in_category(code: str) -> str:
    """The change that puts all of the invoice into another VAT category, correctly."""
    taxed = {"L": "7", "M": "4", "S": "25"}
    rate = taxed.get(code, "0")
    tax = f"{210 * int(rate) / 100:.2f}"
    gross = f"{210 + float(tax):.2f}"
    due = f"{210 + float(tax) - 2.5:.2f}"
    changes = [
        f"//cac:TaxCategory/cbc:ID|//cac:ClassifiedTaxCategory/cbc:ID ::= {code}",
        f"//cbc:Percent ::= {rate}",
        f"cac:TaxTotal//cbc:TaxAmount ::= {tax}",
        f"cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount := {gross}",
        f"cac:LegalMonetaryTotal/cbc:PayableAmount := {due}",
    ]
    if code in ["AE", "G", "K", "O", "E"]:
        reason = "<cbc:TaxExemptionReason>because</cbc:TaxExemptionReason>"
        changes.append(f"cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory + {reason}")
    if code == "O":
        changes += ["- //cbc:Percent", "- cac:TaxRepresentativeParty", "- //cac:PartyTaxScheme"]
    return " ; ".join(changes)


def changed(changes: str) -> etree._Element:
    """The invoice with all changes applied; "" is no change."""
    return apply(etree.fromstring(GOOD), changes)


def apply(root: etree._Element, changes: str) -> etree._Element:
    """A document with all changes applied to it."""
    for change in filter(None, (part.strip() for part in changes.split(" ; "))):
        _change(root, change)
    return root


def _change(root: etree._Element, change: str) -> None:
    if change.startswith("- "):
        _remove(root, change[2:])
    elif " ::= " in f"{change} ":
        path, _, text = f"{change} ".partition(" ::= ")
        for element in _found(root, path):
            element.text = text.strip(" ").strip("'")
    elif " := " in f"{change} ":
        path, _, text = f"{change} ".partition(" := ")
        _set(root, path, text.strip(" ").strip("'"))
    elif change.endswith(" ++"):
        element = _found(root, change[:-3])[0]
        element.addnext(deepcopy(element))
    else:
        path, _, fragment = change.partition(" + ")
        holder = _found(root, path)[0] if path != "." else root
        holder.extend(etree.fromstring(f"<x {_XMLNS}>{fragment}</x>"))


def _set(root: etree._Element, path: str, text: str) -> None:
    path, _, attribute = path.partition("@")
    element = _found(root, path)[0]
    if attribute:
        element.set(attribute, text)
    else:
        element.text = text


def _remove(root: etree._Element, path: str) -> None:
    path, _, attribute = path.partition("@")
    for element in _found(root, path):
        if attribute:
            del element.attrib[attribute]
        else:
            element.getparent().remove(element)


def _found(root: etree._Element, path: str) -> list[etree._Element]:
    below = "|".join(f".{one}" if one.startswith("//") else one for one in path.split("|"))
    found = root.xpath(below, namespaces=NAMESPACES)
    assert found, f"the good invoice has no {path}"
    return found
