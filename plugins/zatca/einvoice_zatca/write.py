"""Write an invoice as a document of Fatoora, with placeholders for what a unit adds.

It is the UBL of EN 16931 as an Invoice, also of a credit note, with other parties, a time, the
flags of its kind, the VAT of each line, the VAT in SAR beside the breakdown, and a line for each
prepayment that it deducts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from itertools import count
from typing import Final

from lxml import etree

from einvoice.documents.ubl.write import document_xml
from einvoice.domain.invoice import DocumentKind, Invoice, Line, Party, Prepayment, TaxSubtotal
from einvoice.domain.money import ZERO, cents
from einvoice.xml import parse
from einvoice_zatca import stamp
from einvoice_zatca.digests import FIRST_HASH
from einvoice_zatca.names import CAC, CBC, COUNTER, PREVIOUS, QR
from einvoice_zatca.parties import identified, is_consumer, national, vat_number
from einvoice_zatca.rules import PROCESS

CURRENCY: Final = "SAR"
EXCHANGE_RATE: Final = "exchangeRate"
_PIECE: Final = "PCE"
_NO_QUANTITY: Final = "0.00"  # "0" is no quantity to the rules (BR-22)
_NO_UUID: Final = "00000000-0000-0000-0000-000000000000"
_TYPES: Final = {"381": "381", "383": "383", "386": "386"}
CORRECTED: Final = "384"  # a corrected invoice, with new amounts
_SELF_BILLED: Final = "389"
_CORRECTIONS: Final = ("381", "383")
# Members of a send that say why an invoice is corrected, the one in words first.
REASONS: Final = ("correctionText", "correctionReason")
_EXPORT_CODE: Final = "VATEX-SA-32"
TRANSACTIONS: Final = ("thirdParty", "nominal", "export", "summary", "selfBilled")


def document(invoice: Invoice) -> bytes:
    """The document as UTF-8."""
    plain = replace(
        invoice,
        kind=DocumentKind.INVOICE,
        type_code=_type_code(invoice),
        profile=PROCESS,
        accounting_currency=CURRENCY,
        supporting=(),
    )
    root = parse(document_xml(plain))
    _head(root, invoice)
    _parties(root, invoice)
    _delivery(root, invoice)
    _payment(root, invoice)
    _taxes(root, invoice)
    _exchange(root, invoice)
    _prepayments(root, invoice)
    _unstamped(root)
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _type_code(invoice: Invoice) -> str:
    if invoice.kind.form is DocumentKind.CREDIT_NOTE:
        return "381"
    return _TYPES.get(invoice.type_code, "388")


def flags(invoice: Invoice) -> str:
    """The flags of a document: its kind, then those of TRANSACTIONS.

    A flag is set that the send names, or that follows from the invoice.
    An export is to a buyer abroad, with the code of exported goods as reason of the rate 0.
    """
    sent = transactions(invoice)
    simplified = is_consumer(invoice.buyer)
    abroad = invoice.buyer.address is not None and invoice.buyer.address.country != "SA"
    coded = any(each.exemption_code == _EXPORT_CODE for each in invoice.taxes)
    found = {
        "export": not simplified and abroad and coded,
        "summary": invoice.period is not None and invoice.period.end is not None,
        "selfBilled": invoice.type_code == _SELF_BILLED,
    }
    digits = (f"{found.get(name, False) or name in sent:d}" for name in TRANSACTIONS)
    return ("02" if simplified else "01") + "".join(digits)


def transactions(invoice: Invoice) -> list[str]:
    """The kinds of transaction that a send names."""
    return (invoice.further or {}).get("transactionTypes", "").split()


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
            contact = above.find(f"{CAC}Contact")
            for child in list(above):
                above.remove(child)
            _party(above, party)
            if contact is not None:
                above.append(contact)


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
    """The reason of a credit or debit note stands in the payment."""
    reason = _reason(invoice)
    if _type_code(invoice) not in _CORRECTIONS or not reason:
        return
    if root.find(f"{CAC}PaymentMeans") is None:
        means = etree.Element(f"{CAC}PaymentMeans")
        _add(means, f"{CBC}PaymentMeansCode", "1")  # not defined
        _before(root, _AFTER_PAYMENT, means)
    for means in root.findall(f"{CAC}PaymentMeans"):
        note = etree.Element(f"{CBC}InstructionNote")
        note.text = reason
        head = [each for each in means if each.tag in {f"{CBC}{name}" for name in _BEFORE_NOTE}]
        means.insert(len(head), note)


def _reason(invoice: Invoice) -> str:
    """Why an invoice is corrected: what the send says of it, else its first note."""
    given = (text for name in REASONS if (text := (invoice.further or {}).get(name)))
    return next(iter((*given, *[text for _, text in invoice.notes])), "")


# -- VAT -------------------------------------------------------------------------------------------


def _taxes(root: etree._Element, invoice: Invoice) -> None:
    for total in root.findall(f"{CAC}TaxTotal"):
        if total.find(f"{CAC}TaxSubtotal") is None:
            root.remove(total)
    for category in root.iterfind(f"{CAC}TaxTotal/{CAC}TaxSubtotal/{CAC}TaxCategory"):
        _rate_of_nothing(category)
    divided = root.find(f"{CAC}TaxTotal")
    totals = invoice.totals
    in_sar = totals.tax if invoice.currency == CURRENCY else totals.tax_in_accounting_currency
    if divided is not None and in_sar is not None:
        divided.addprevious(_total(in_sar, CURRENCY))
    for line, element in zip(invoice.lines, root.findall(f"{CAC}InvoiceLine"), strict=True):
        item = element.find(f"{CAC}Item")
        if item is not None:
            item.addprevious(_line_tax(line, invoice.currency))


def _exchange(root: etree._Element, invoice: Invoice) -> None:
    """The rate by which the VAT of an invoice in another currency is in SAR."""
    rate = (invoice.further or {}).get(EXCHANGE_RATE)
    if rate is None or invoice.currency == CURRENCY:
        return
    element = etree.Element(f"{CAC}TaxExchangeRate")
    _add(element, f"{CBC}SourceCurrencyCode", invoice.currency)
    _add(element, f"{CBC}TargetCurrencyCode", CURRENCY)
    _add(element, f"{CBC}CalculationRate", rate)
    _before(root, ("TaxTotal",), element)


def _rate_of_nothing(category: etree._Element) -> None:
    """The rate 0 of what is out of the scope of VAT: BR-CO-17 of ZATCA asks for one."""
    name = category.find(f"{CBC}ID")
    if name is not None and category.find(f"{CBC}Percent") is None:
        rate = etree.Element(f"{CBC}Percent")
        rate.text = "0.00"
        name.addnext(rate)


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


# -- prepayments -----------------------------------------------------------------------------------


def _prepayments(root: etree._Element, invoice: Invoice) -> None:
    """A line without an amount for each prepayment and rate, after those of the invoice."""
    taken = {line.id for line in invoice.lines}
    free = (str(number) for number in count(len(invoice.lines) + 1) if str(number) not in taken)
    unit = invoice.lines[0].unit if invoice.lines else _PIECE
    for entry, line_id in zip(invoice.prepayments, free, strict=False):
        root.append(_deduction(entry, line_id, unit, invoice.currency))


def _deduction(entry: Prepayment, line_id: str, unit: str, currency: str) -> etree._Element:
    line = etree.Element(f"{CAC}InvoiceLine")
    _add(line, f"{CBC}ID", line_id)
    _add(line, f"{CBC}InvoicedQuantity", _NO_QUANTITY).set("unitCode", unit)
    _amount(line, "LineExtensionAmount", ZERO, currency)
    reference = etree.SubElement(line, f"{CAC}DocumentReference")
    for name, text in (
        ("ID", entry.number),
        ("IssueDate", entry.issue_date.isoformat()),
        ("IssueTime", entry.issue_time),
        ("DocumentTypeCode", "386"),
    ):
        if text:
            _add(reference, f"{CBC}{name}", text)
    tax = etree.SubElement(line, f"{CAC}TaxTotal")
    _amount(tax, "TaxAmount", ZERO, currency)
    _amount(tax, "RoundingAmount", ZERO, currency)
    subtotal = etree.SubElement(tax, f"{CAC}TaxSubtotal")
    _amount(subtotal, "TaxableAmount", entry.tax.taxable, currency)
    _amount(subtotal, "TaxAmount", entry.tax.tax, currency)
    _category(subtotal, "TaxCategory", entry.tax, reason=True)
    item = etree.SubElement(line, f"{CAC}Item")
    _add(item, f"{CBC}Name", f"Prepayment {entry.number}")
    _category(item, "ClassifiedTaxCategory", entry.tax)
    _amount(etree.SubElement(line, f"{CAC}Price"), "PriceAmount", ZERO, currency)
    return line


def _amount(above: etree._Element, name: str, amount: Decimal, currency: str) -> None:
    _add(above, f"{CBC}{name}", f"{cents(amount):.2f}").set("currencyID", currency)


def _category(above: etree._Element, name: str, tax: TaxSubtotal, *, reason: bool = False) -> None:
    element = etree.SubElement(above, f"{CAC}{name}")
    _add(element, f"{CBC}ID", tax.category.code)
    _add(element, f"{CBC}Percent", f"{tax.category.rate or ZERO:.2f}")
    if reason and tax.exemption_code:
        _add(element, f"{CBC}TaxExemptionReasonCode", tax.exemption_code)
    if reason and tax.exemption_reason:
        _add(element, f"{CBC}TaxExemptionReason", tax.exemption_reason)
    _add(element, f"{CAC}TaxScheme/{CBC}ID", "VAT")


# -- placeholders ----------------------------------------------------------------------------------


def _unstamped(root: etree._Element) -> None:
    supplier = root.find(f"{CAC}AccountingSupplierParty")
    if supplier is None:
        return
    counter = etree.Element(f"{CAC}AdditionalDocumentReference")
    _add(counter, f"{CBC}ID", COUNTER)
    _add(counter, f"{CBC}UUID", "0")
    project = root.find(f"{CAC}ProjectReference")
    following = supplier if project is None else project
    for element in (
        counter,
        stamp.reference(PREVIOUS, FIRST_HASH),
        stamp.reference(QR, "AA=="),
    ):
        following.addprevious(element)
    supplier.addprevious(stamp.signature_note())
    root.insert(0, stamp.unsigned_frame())
    etree.cleanup_namespaces(root)
