"""Correct invoices of PINT of several countries, to which tests apply changes."""

from __future__ import annotations

from lxml import etree

from tests.rules.samples import NAMESPACES, apply

_XMLNS = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in NAMESPACES.items())
_VAT = "<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>"
_S = f"<cbc:ID>S</cbc:ID><cbc:Percent>5</cbc:Percent>{_VAT}"


def _amount(name: str, value: str, currency: str) -> str:
    return f'<cbc:{name} currencyID="{currency}">{value}</cbc:{name}>'


def _party(endpoint: str, region: str, country: str, vat: str, name: str, number: str) -> str:
    return (
        f"<cac:Party>{endpoint}<cac:PostalAddress><cbc:StreetName>Street 1</cbc:StreetName>"
        "<cbc:AdditionalStreetName>Building 2</cbc:AdditionalStreetName>"
        f"<cbc:CityName>City</cbc:CityName><cbc:PostalZone>112</cbc:PostalZone>{region}"
        "<cac:AddressLine><cbc:Line>Way 3</cbc:Line></cac:AddressLine><cac:Country>"
        f"<cbc:IdentificationCode>{country}</cbc:IdentificationCode></cac:Country>"
        f"</cac:PostalAddress><cac:PartyTaxScheme><cbc:CompanyID>{vat}</cbc:CompanyID>{_VAT}"
        f"</cac:PartyTaxScheme><cac:PartyLegalEntity><cbc:RegistrationName>{name}"
        f"</cbc:RegistrationName>{number}</cac:PartyLegalEntity>"
        "<cac:Contact><cbc:Telephone>123</cbc:Telephone></cac:Contact></cac:Party>"
    )


def _invoice(country: str, currency: str, head: str, kind: str, parties: tuple[str, str],
             item: str) -> str:  # fmt: skip
    net, tax, gross = "200.00", "10.00", "210.00"

    def amount(name: str, value: str) -> str:
        return _amount(name, value, currency)

    return "".join((
        f'<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" {_XMLNS}>',
        f"<cbc:CustomizationID>urn:peppol:pint:billing-1@{country}-1</cbc:CustomizationID>",
        f"<cbc:ProfileID>urn:peppol:bis:billing</cbc:ProfileID>{head}<cbc:ID>INV-1</cbc:ID>",
        "<cbc:UUID>b7f2c9d4-0a1b-5c3d-8e4f-1a2b3c4d5e6f</cbc:UUID>",
        "<cbc:IssueDate>2026-11-01</cbc:IssueDate><cbc:IssueTime>12:00:00</cbc:IssueTime>",
        f"<cbc:DueDate>2026-12-01</cbc:DueDate>{kind}<cbc:Note>Thank you</cbc:Note>",
        f"<cbc:DocumentCurrencyCode>{currency}</cbc:DocumentCurrencyCode>",
        f"<cac:AccountingSupplierParty>{parties[0]}</cac:AccountingSupplierParty>",
        f"<cac:AccountingCustomerParty>{parties[1]}</cac:AccountingCustomerParty>",
        "<cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>",
        "<cac:PayeeFinancialAccount><cbc:ID>12345</cbc:ID></cac:PayeeFinancialAccount>",
        f"</cac:PaymentMeans><cac:TaxTotal>{amount('TaxAmount', tax)}<cac:TaxSubtotal>",
        f"{amount('TaxableAmount', net)}{amount('TaxAmount', tax)}",
        f"<cac:TaxCategory>{_S}</cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>",
        f"<cac:LegalMonetaryTotal>{amount('LineExtensionAmount', net)}",
        f"{amount('TaxExclusiveAmount', net)}{amount('TaxInclusiveAmount', gross)}",
        f"{amount('PayableAmount', gross)}</cac:LegalMonetaryTotal>",
        '<cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:InvoicedQuantity unitCode="C62">10',
        f"</cbc:InvoicedQuantity>{amount('LineExtensionAmount', net)}",
        "<cac:Item><cbc:Description>Oak</cbc:Description><cbc:Name>Chair</cbc:Name>",
        f"{item}<cac:ClassifiedTaxCategory>{_S}</cac:ClassifiedTaxCategory></cac:Item>",
        f"<cac:Price>{amount('PriceAmount', '20.00')}",
        '<cbc:BaseQuantity unitCode="C62">1</cbc:BaseQuantity><cac:AllowanceCharge>',
        f"<cbc:ChargeIndicator>false</cbc:ChargeIndicator>{amount('Amount', '0.00')}",
        f"{amount('BaseAmount', '20.00')}</cac:AllowanceCharge></cac:Price>",
        f"<cac:ItemPriceExtension>{amount('Amount', gross)}<cac:TaxTotal>",
        f"{amount('TaxAmount', tax)}</cac:TaxTotal></cac:ItemPriceExtension>",
        "</cac:InvoiceLine></Invoice>",
    ))  # fmt: skip


def _emirati(tin: str, name: str) -> str:
    return _party(
        f'<cbc:EndpointID schemeID="0235">{tin}</cbc:EndpointID>',
        "<cbc:CountrySubentity>DXB</cbc:CountrySubentity>", "AE", f"{tin}12303", name,
        f'<cbc:CompanyID schemeAgencyID="TL" schemeAgencyName="DED">{tin[:5]}</cbc:CompanyID>',
    )  # fmt: skip


def _omani(number: str, name: str) -> str:
    return _party(
        f'<cbc:EndpointID schemeID="0248">{number}</cbc:EndpointID><cac:PartyIdentification>'
        f'<cbc:ID schemeName="CR">{number}</cbc:ID></cac:PartyIdentification>',
        "", "OM", f"OM{number}", name, "",
    )  # fmt: skip


PINT_AE = _invoice(
    "ae", "AED", "<cbc:ProfileExecutionID>00000000</cbc:ProfileExecutionID>",
    "<cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>",
    (_emirati("1987654321", "Seller"), _emirati("1345678901", "Buyer")),
    '<cac:CommodityClassification><cbc:CommodityCode>G</cbc:CommodityCode>'
    '<cbc:ItemClassificationCode listID="HS">940161</cbc:ItemClassificationCode>'
    "</cac:CommodityClassification>",
)  # fmt: skip
PINT_OM = _invoice(
    "om", "OMR", "", '<cbc:InvoiceTypeCode name="10000000000000000000">380</cbc:InvoiceTypeCode>',
    (_omani("1100000123", "Seller"), _omani("1100000456", "Buyer")),
    '<cac:AdditionalItemIdentification><cbc:ID schemeName="CC">011101</cbc:ID>'
    "</cac:AdditionalItemIdentification><cac:ItemSpecificationDocumentReference>"
    '<cbc:ID schemeName="MP">64000000</cbc:ID><cbc:DocumentTypeCode>S</cbc:DocumentTypeCode>'
    "</cac:ItemSpecificationDocumentReference>",
)  # fmt: skip

_PLAIN_ID = "<cac:PartyIdentification><cbc:ID>C123</cbc:ID></cac:PartyIdentification>"
PINT_MY = (
    PINT_AE.replace("@ae-1", "@my-1")
    .replace("AED", "MYR")
    .replace("<cbc:ID>S</cbc:ID>", "<cbc:ID>SA</cbc:ID>")
    .replace("<cac:PostalAddress>", f"{_PLAIN_ID}<cac:PostalAddress>")
    .replace(_amount("Amount", "210.00", "MYR"), "")
    .replace(f"<cac:ItemPriceExtension><cac:TaxTotal>{_amount('TaxAmount', '10.00', 'MYR')}"
             "</cac:TaxTotal></cac:ItemPriceExtension>", "")
)  # fmt: skip

_ABN = '<cbc:CompanyID schemeID="0151">47555222000</cbc:CompanyID>'
_LICENSE = '<cbc:CompanyID schemeAgencyID="TL" schemeAgencyName="DED">{}</cbc:CompanyID>'
PINT_AUNZ = (
    PINT_AE.replace("@ae-1", "@aunz-1")
    .replace("AED", "AUD")
    .replace("VAT", "GST")
    .replace("<cbc:IdentificationCode>AE", "<cbc:IdentificationCode>AU")
    .replace(_LICENSE.format("19876"), _ABN)
    .replace(_LICENSE.format("13456"), _ABN)
    .replace("<cac:AccountingSupplierParty>",
             "<cbc:BuyerReference>PO</cbc:BuyerReference><cac:AccountingSupplierParty>", 1)
)  # fmt: skip

PINT_JP = (
    PINT_AE.replace("@ae-1", "@jp-1")
    .replace("AED", "JPY")
    .replace(">10.00<", ">10<")
    .replace("198765432112303", "T1234567890123")
    .replace("<cbc:DocumentCurrencyCode>",
             "<cac:InvoicePeriod><cbc:StartDate>2026-11-01</cbc:StartDate></cac:InvoicePeriod>"
             "<cbc:DocumentCurrencyCode>")
)  # fmt: skip

_REGISTERED = "<cbc:CompanyID>{}</cbc:CompanyID>"
PINT_SG = (
    PINT_AE.replace("@ae-1", "@sg-1")
    .replace("AED", "SGD")
    .replace("VAT", "GST")
    .replace("<cbc:ID>S</cbc:ID>", "<cbc:ID>SR</cbc:ID>")
    .replace(f"<cac:ItemPriceExtension>{_amount('Amount', '210.00', 'SGD')}<cac:TaxTotal>"
             f"{_amount('TaxAmount', '10.00', 'SGD')}</cac:TaxTotal></cac:ItemPriceExtension>", "")
    .replace(_LICENSE.format("19876"), _REGISTERED.format("200212345Z"))
    .replace("<cac:AccountingSupplierParty>",
             "<cbc:BuyerReference>PO</cbc:BuyerReference><cac:AccountingSupplierParty>", 1)
)  # fmt: skip
_EUROPEAN = {
    "@ae-1": "@eu-1",
    "AED": "EUR",
    "<cbc:IdentificationCode>AE": "<cbc:IdentificationCode>AT",
    "<cbc:CountrySubentity>DXB</cbc:CountrySubentity>": "",
    "<cbc:ProfileExecutionID>00000000</cbc:ProfileExecutionID>": "",
    "<cbc:UUID>b7f2c9d4-0a1b-5c3d-8e4f-1a2b3c4d5e6f</cbc:UUID>": "",
    "<cbc:IssueTime>12:00:00</cbc:IssueTime>": "",
    "198765432112303": "ATU12345675",
    "134567890112303": "ATU12345675",
    _LICENSE.format("19876"): _REGISTERED.format("123"),
    _LICENSE.format("13456"): _REGISTERED.format("456"),
    '<cac:CommodityClassification><cbc:CommodityCode>G</cbc:CommodityCode>'
    '<cbc:ItemClassificationCode listID="HS">940161</cbc:ItemClassificationCode>'
    "</cac:CommodityClassification>": "",
    f"<cac:ItemPriceExtension>{_amount('Amount', '210.00', 'AED')}<cac:TaxTotal>"
    f"{_amount('TaxAmount', '10.00', 'AED')}</cac:TaxTotal></cac:ItemPriceExtension>": "",
    "<cac:AccountingSupplierParty>":
        "<cbc:BuyerReference>PO</cbc:BuyerReference><cac:AccountingSupplierParty>",
}  # fmt: skip


def _european() -> str:
    found = PINT_AE
    for old, new in sorted(_EUROPEAN.items(), key=lambda pair: -len(pair[0])):
        found = found.replace(old, new)
    return found


PINT_EU = _european()


def changed(document: str, changes: str) -> etree._Element:
    """The document with all changes applied, in the notation of `samples`."""
    return apply(etree.fromstring(document), changes)
