"""Write an invoice as a document of Fatoora, with placeholders for what a unit adds.

It is the UBL of EN 16931 as an Invoice, also of a credit note, with other parties, a time, the
flags of its kind, the VAT of each line, and the VAT in SAR beside the breakdown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Final

from lxml import etree

from einvoice.documents.ubl.write import document_xml
from einvoice.domain.invoice import DocumentKind, Invoice, Line, Party
from einvoice.domain.money import cents
from einvoice.xml import parse
from einvoice_zatca import stamp
from einvoice_zatca.digests import FIRST_HASH
from einvoice_zatca.names import CAC, CBC, COUNTER, PREVIOUS, QR
from einvoice_zatca.parties import identified, is_consumer, national, vat_number
from einvoice_zatca.rules import PROCESS

_CURRENCY: Final = "SAR"
_NO_UUID: Final = "00000000-0000-0000-0000-000000000000"
_TYPES: Final = {"381": "381", "383": "383", "386": "386"}
_SELF_BILLED: Final = "389"
_CORRECTIONS: Final = ("381", "383")
_EXPORT_CODE: Final = "VATEX-SA-32"


def document(invoice: Invoice) -> bytes:
    """The document as UTF-8."""
    plain = replace(
        invoice,
        kind=DocumentKind.INVOICE,
        type_code=_type_code(invoice),
        profile=PROCESS,
        accounting_currency=_CURRENCY,
        supporting=(),
    )
    root = parse(document_xml(plain))
    _head(root, invoice)
    _parties(root, invoice)
    _delivery(root, invoice)
    _payment(root, invoice)
    _taxes(root, invoice)
    _unstamped(root)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _type_code(invoice: Invoice) -> str:
    if invoice.kind.form is DocumentKind.CREDIT_NOTE:
        return "381"
    return _TYPES.get(invoice.type_code, "388")


def flags(invoice: Invoice) -> str:
    """The flags of a document: its kind, then third party, nominal, export, summary, self-billed.

    An export is to a buyer abroad, with the code of exported goods as reason of the rate 0.
    """
    simplified = is_consumer(invoice.buyer)
    abroad = invoice.buyer.address is not None and invoice.buyer.address.country != "SA"
    coded = any(each.exemption_code == _EXPORT_CODE for each in invoice.taxes)
    export = not simplified and abroad and coded
    summary = invoice.period is not None and invoice.period.end is not None
    self_billed = invoice.type_code == _SELF_BILLED
    return f"{'02' if simplified else '01'}00{export:d}{summary:d}{self_billed:d}"


def _head(root: etree._Element, invoice: Invoice) -> None:
    specification = root.find(f"{CBC}CustomizationID")
    if specification is not None:
        root.remove(specification)
    _after(root, "ID", "UUID", _NO_UUID)
    _after(root, "IssueDate", "IssueTime", "00:00:00")
    kind = root.find(f"{CBC}InvoiceTypeCode")
    if kind is not None:
        kind.set("name", flags(invoice))


def _after(root: etree._Element, before: str, name: str, text: str) -> None:
    found = root.find(f"{CBC}{before}")
    if found is not None:
        element = etree.Element(f"{CBC}{name}")
        element.text = text
        found.addnext(element)


# -- parties ---------------------------------------------------------------------------------------


def _parties(root: etree._Element, invoice: Invoice) -> None:
    for name, party in (("Supplier", invoice.seller), ("Customer", invoice.buyer)):
        above = root.find(f"{CAC}Accounting{name}Party/{CAC}Party")
        if above is not None:
            for child in list(above):
                above.remove(child)
            _party(above, party)


def _party(above: etree._Element, party: Party) -> None:
    number = identified(party)
    if number is not None:
        scheme, value = number
        _add(above, f"{CAC}PartyIdentification/{CBC}ID", value).set("schemeID", scheme)
    _address(above, party)
    vat = vat_number(party)
    if vat is not None:
        scheme_of_tax = etree.SubElement(above, f"{CAC}PartyTaxScheme")
        _add(scheme_of_tax, f"{CBC}CompanyID", vat)
        _add(scheme_of_tax, f"{CAC}TaxScheme/{CBC}ID", "VAT")
    _add(above, f"{CAC}PartyLegalEntity/{CBC}RegistrationName", party.name)
    if party.contact is not None and party.contact.phone:
        _add(above, f"{CAC}Contact/{CBC}Telephone", party.contact.phone)


def _address(above: etree._Element, party: Party) -> None:
    address = party.address
    if address is None:
        return
    parts = national(address)
    element = etree.SubElement(above, f"{CAC}PostalAddress")
    for name, text in (
        ("StreetName", parts.street),
        ("AdditionalStreetName", parts.short),
        ("BuildingNumber", parts.building),
        ("CitySubdivisionName", parts.district),
        ("CityName", address.city),
        ("PostalZone", address.postal_code),
        ("CountrySubentity", address.region),
    ):
        if text:
            _add(element, f"{CBC}{name}", text)
    if address.country:
        _add(element, f"{CAC}Country/{CBC}IdentificationCode", address.country)


def _add(above: etree._Element, path: str, text: str) -> etree._Element:
    """Add elements, each below the one before, and the text of the last."""
    namespaced = path.replace("/{", "\n{").split("\n")
    for name in namespaced:
        above = etree.SubElement(above, name)
    above.text = text
    return above


# -- supply and payment ----------------------------------------------------------------------------


def _delivery(root: etree._Element, invoice: Invoice) -> None:
    """The first and last day of the supply, in place of the delivery of EN 16931."""
    for name in ("Delivery", "InvoicePeriod"):
        for found in root.findall(f"{CAC}{name}"):
            root.remove(found)
    first = invoice.delivery.date if invoice.delivery is not None else None
    period = invoice.period
    if period is not None:
        first = period.start or first
    if first is None:
        return
    element = etree.Element(f"{CAC}Delivery")
    _add(element, f"{CBC}ActualDeliveryDate", first.isoformat())
    if period is not None and period.end is not None:
        _add(element, f"{CBC}LatestDeliveryDate", period.end.isoformat())
    _before(root, ("PaymentMeans", *_AFTER_PAYMENT), element)


_AFTER_PAYMENT: Final = ("PaymentTerms", "AllowanceCharge", "TaxExchangeRate", "TaxTotal")
_BEFORE_NOTE: Final = ("PaymentMeansCode", "PaymentDueDate")


def _before(root: etree._Element, names: Iterable[str], element: etree._Element) -> None:
    """Insert an element before the first that has one of these names."""
    wanted = {f"{CAC}{name}" for name in names}
    following = next(each for each in root if each.tag in wanted)
    following.addprevious(element)


def _payment(root: etree._Element, invoice: Invoice) -> None:
    """The reason of a credit or debit note, which is its first note, stands in the payment."""
    if _type_code(invoice) not in _CORRECTIONS or not invoice.notes:
        return
    if root.find(f"{CAC}PaymentMeans") is None:
        means = etree.Element(f"{CAC}PaymentMeans")
        _add(means, f"{CBC}PaymentMeansCode", "1")  # not defined
        _before(root, _AFTER_PAYMENT, means)
    for means in root.findall(f"{CAC}PaymentMeans"):
        note = etree.Element(f"{CBC}InstructionNote")
        note.text = invoice.notes[0][1]
        head = [each for each in means if each.tag in {f"{CBC}{name}" for name in _BEFORE_NOTE}]
        means.insert(len(head), note)


# -- VAT -------------------------------------------------------------------------------------------


def _taxes(root: etree._Element, invoice: Invoice) -> None:
    for total in root.findall(f"{CAC}TaxTotal"):
        if total.find(f"{CAC}TaxSubtotal") is None:
            root.remove(total)
    divided = root.find(f"{CAC}TaxTotal")
    totals = invoice.totals
    in_sar = totals.tax if invoice.currency == _CURRENCY else totals.tax_in_accounting_currency
    if divided is not None and in_sar is not None:
        divided.addprevious(_total(in_sar, _CURRENCY))
    for line, element in zip(invoice.lines, root.findall(f"{CAC}InvoiceLine"), strict=True):
        item = element.find(f"{CAC}Item")
        if item is not None:
            item.addprevious(_line_tax(line, invoice.currency))


def line_tax(line: Line) -> Decimal:
    """The VAT of a line."""
    return cents(line.extension * (line.item.category.rate or Decimal(0)) / 100)


def _line_tax(line: Line, currency: str) -> etree._Element:
    tax = line_tax(line)
    total = _total(tax, currency)
    with_tax = _add(total, f"{CBC}RoundingAmount", f"{line.extension + tax:.2f}")
    with_tax.set("currencyID", currency)
    return total


def _total(amount: Decimal, currency: str) -> etree._Element:
    total = etree.Element(f"{CAC}TaxTotal")
    _add(total, f"{CBC}TaxAmount", f"{amount:.2f}").set("currencyID", currency)
    return total


# -- placeholders ----------------------------------------------------------------------------------


def _unstamped(root: etree._Element) -> None:
    supplier = root.find(f"{CAC}AccountingSupplierParty")
    if supplier is None:
        return
    counter = etree.Element(f"{CAC}AdditionalDocumentReference")
    _add(counter, f"{CBC}ID", COUNTER)
    _add(counter, f"{CBC}UUID", "0")
    for element in (
        counter,
        stamp.reference(PREVIOUS, FIRST_HASH),
        stamp.reference(QR, "AA=="),
        stamp.signature_note(),
    ):
        supplier.addprevious(element)
    root.insert(0, stamp.unsigned_frame())
    etree.cleanup_namespaces(root)
