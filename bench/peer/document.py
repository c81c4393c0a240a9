"""The peer's UBL: written with lxml, element by element."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from lxml import etree

UBL = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
CBC = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
CAC = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
CUSTOMIZATION = (
    "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
)  # fmt: skip
PROFILE = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
CENT = Decimal("0.01")


def _basic(parent: etree._Element, name: str, text: object, **attributes: str) -> None:
    etree.SubElement(parent, f"{{{CBC}}}{name}", attributes).text = str(text)


def _aggregate(parent: etree._Element, *names: str) -> etree._Element:
    for name in names:
        parent = etree.SubElement(parent, f"{{{CAC}}}{name}")
    return parent


def invoice_xml(
    invoice: dict[str, Any], routing: dict[str, str], net: Decimal, tax: Decimal
) -> bytes:
    """The document of an invoice with one VAT rate."""
    currency = {"currencyID": invoice["currency"]}
    rate = invoice["lineItems"][0]["taxRate"]
    root = etree.Element(f"{{{UBL}}}Invoice", nsmap={None: UBL, "cbc": CBC, "cac": CAC})
    _basic(root, "CustomizationID", CUSTOMIZATION)
    _basic(root, "ProfileID", PROFILE)
    _basic(root, "ID", invoice["number"])
    _basic(root, "IssueDate", invoice["issueDate"])
    _basic(root, "InvoiceTypeCode", "380")
    _basic(root, "DocumentCurrencyCode", invoice["currency"])
    _basic(root, "BuyerReference", invoice.get("buyerReference") or invoice["number"])
    _party(root, "AccountingSupplierParty", invoice["supplier"], routing["senderParticipantId"])
    _party(root, "AccountingCustomerParty", invoice["buyer"], routing["receiverParticipantId"])
    total = _aggregate(root, "TaxTotal")
    _basic(total, "TaxAmount", tax, **currency)
    part = _aggregate(total, "TaxSubtotal")
    _basic(part, "TaxableAmount", net, **currency)
    _basic(part, "TaxAmount", tax, **currency)
    _category(_aggregate(part, "TaxCategory"), rate)
    sums = _aggregate(root, "LegalMonetaryTotal")
    _basic(sums, "LineExtensionAmount", net, **currency)
    _basic(sums, "TaxExclusiveAmount", net, **currency)
    _basic(sums, "TaxInclusiveAmount", net + tax, **currency)
    _basic(sums, "PayableAmount", net + tax, **currency)
    for number, line in enumerate(invoice["lineItems"], 1):
        _line(root, number, line, currency)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _party(root: etree._Element, role: str, party: dict[str, Any], participant: str) -> None:
    scheme, _, value = participant.partition(":")
    element = _aggregate(root, role, "Party")
    _basic(element, "EndpointID", value, schemeID=scheme)
    _basic(_aggregate(element, "PartyName"), "Name", party["name"])
    address = _aggregate(element, "PostalAddress")
    _basic(address, "StreetName", party["address"]["line1"])
    _basic(address, "CityName", party["address"]["city"])
    _basic(_aggregate(address, "Country"), "IdentificationCode", party["address"]["countryCode"])
    if party.get("taxId"):
        tax = _aggregate(element, "PartyTaxScheme")
        _basic(tax, "CompanyID", party["taxId"])
        _basic(_aggregate(tax, "TaxScheme"), "ID", "VAT")
    _basic(_aggregate(element, "PartyLegalEntity"), "RegistrationName", party["name"])


def _category(element: etree._Element, rate: Decimal) -> None:
    _basic(element, "ID", "S")
    _basic(element, "Percent", rate)
    _basic(_aggregate(element, "TaxScheme"), "ID", "VAT")


def _line(
    root: etree._Element, number: int, line: dict[str, Any], currency: dict[str, str]
) -> None:
    element = _aggregate(root, "InvoiceLine")
    _basic(element, "ID", number)
    _basic(element, "InvoicedQuantity", line["quantity"], unitCode="C62")
    net = (line["quantity"] * line["unitPrice"]).quantize(CENT)
    _basic(element, "LineExtensionAmount", net, **currency)
    item = _aggregate(element, "Item")
    _basic(item, "Name", line["description"])
    _category(_aggregate(item, "ClassifiedTaxCategory"), line["taxRate"])
    _basic(_aggregate(element, "Price"), "PriceAmount", line["unitPrice"], **currency)
