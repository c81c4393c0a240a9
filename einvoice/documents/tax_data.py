"""Tax data documents: written from the document that is reported, and read.

    report = TaxDataReport("AE", ReportType.SUBMIT, ReporterRole.SENDER, Scope.DOMESTIC, …)
    content = write_tax_data(report, document)      # the bytes of the UBL that was sent or received
    read_tax_data(content).report == report

One writer for all countries: what differs is in the rows of `domain/tax_data`. The Emirates and
Oman report main terms and the whole source document, Slovakia a selection of its elements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TypeVar
from uuid import NAMESPACE_OID, uuid5

from lxml import etree

from einvoice.documents.ubl.names import CAC, CBC, CREDIT_NOTE, INVOICE
from einvoice.domain.errors import UnreadableDocument
from einvoice.domain.tax_data import (
    PROFILE,
    SEAT_SCHEME,
    SLOVAK_CONTENT,
    SPECIFICATIONS,
    ReporterRole,
    ReportType,
    Scope,
    TaxDataSpecification,
)
from einvoice.xml import line_of, parse, path_of

K = TypeVar("K")
_EXT = "urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2"
_NAMESPACES = {"cac": CAC, "cbc": CBC, "ext": _EXT}
_DOCUMENTS = (f"{{{INVOICE}}}Invoice", f"{{{CREDIT_NOTE}}}CreditNote")
_TYPE_CODES = ("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode")
_SELLER, _BUYER = (f"cac:Accounting{who}Party/cac:Party" for who in ("Supplier", "Customer"))
_HEAD = ("CustomizationID", "ProfileID", "ID", "UUID", "IssueDate", "IssueTime")
# Of the Emirates and of Oman: a supporting document with this type has the amount of a field that
# is reported beside the main terms.
_CUSTOM = {"AE": ("aedtotal-incl-vat", "BTAE-20"), "OM": ("PM_TOTAL", "btom-020")}
_ATTACHED = "cbc:EmbeddedDocumentBinaryObject"
# What UBL calls the elements of a Slovak report.
_SOURCES: Mapping[str, tuple[str, ...]] = {
    "pxs:DocumentTypeCode": _TYPE_CODES,
    "pxs:MonetaryTotal": ("cac:LegalMonetaryTotal",),
    "pxs:DocumentLine": ("cac:InvoiceLine", "cac:CreditNoteLine"),
    "cbc:InvoicedQuantity": ("cbc:InvoicedQuantity", "cbc:CreditedQuantity"),
}
_ATTRIBUTES = frozenset({"currencyID", "unitCode", "listID", "schemeID"})


@dataclass(frozen=True, slots=True)
class TaxAuthority:
    """The tax authority that a Slovak report names."""

    id: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class TaxDataReport:
    """The content of a tax data document beside the document that it reports.

    country         whose specification it follows
    reporter        the participant id of the party for which it is sent: (scheme, value)
    authority_seat  the seat of the authority's access point, the receiver of the report
    provider_seat   the seat of the service provider that reports
    issued          when it is written, with a time zone
    uuid            of the report, of countries whose reports have one; the same for a repetition
    transport_id    of the envelope (SBDH) in which the document was sent or received
    transported     when the document was sent or received, of Oman; None: as `issued`
    authority       of Slovakia
    """

    country: str
    type: ReportType
    role: ReporterRole
    scope: Scope
    reporter: tuple[str, str]
    authority_seat: str
    provider_seat: str
    issued: datetime
    uuid: str = ""
    transport_id: str = ""
    transported: datetime | None = None
    authority: TaxAuthority | None = None


@dataclass(frozen=True, slots=True)
class ReadTaxData:
    """A tax data document that was read: the report, and the document as far as it has it.

    document  the source document, or the selection of its elements
    """

    report: TaxDataReport
    document: etree._Element | None

    def text(self, path: str) -> str:
        """The first text on a path below the document ("cbc:ID"); "" without one."""
        if self.document is None:
            return ""
        return self.document.findtext(_tag(path), "").strip()


def write_tax_data(report: TaxDataReport, document: bytes) -> bytes:
    """The tax data document on a UBL invoice or credit note.

    Raises NotXml or UnreadableDocument for a document that is no UBL, ValueError for a type that
    the country does not have.
    """
    specification = SPECIFICATIONS[report.country]
    if report.type not in specification.types:
        raise ValueError(f"{specification.country} has no reports of the type {report.type}")
    source = parse(document)
    if source.tag not in _DOCUMENTS:
        raise _unreadable(source, f"{etree.QName(source).localname} is no UBL invoice")
    root = etree.Element(specification.root, nsmap={"pxs": specification.namespace, **_NAMESPACES})
    _write_head(root, report, specification)
    transaction = _group(root, specification, "ReportedTransaction")
    _WRITERS[report.country](transaction, report, source, document)
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def _write_head(
    root: etree._Element, report: TaxDataReport, specification: TaxDataSpecification
) -> None:
    _text(root, "cbc:CustomizationID", specification.specification)
    _text(root, "cbc:ProfileID", PROFILE)
    if specification.has_uuid:
        _text(root, "cbc:UUID", report.uuid)
    _write_time(root, report.issued)
    for name, code in (
        (specification.type_element, specification.types[report.type]),
        ("DocumentScope", specification.scopes[report.scope]),
        ("ReporterRole", specification.roles[report.role]),
    ):
        _group(root, specification, name).text = code
    if specification.names_authority:
        authority = _group(root, specification, "TaxAuthority")
        _text(authority, "cbc:ID", report.authority.id if report.authority else "")
        if report.authority and report.authority.name:
            _text(authority, "cbc:Name", report.authority.name)
    scheme, value = report.reporter
    _text(_group(root, specification, "ReportingParty"), "cbc:EndpointID", value, schemeID=scheme)
    receiver = _group(root, specification, "ReceivingParty")
    _text(receiver, "cbc:EndpointID", report.authority_seat, schemeID=SEAT_SCHEME)
    named = _element(
        _group(root, specification, "ReportersRepresentative"), "cac:PartyIdentification"
    )
    _text(named, "cbc:ID", report.provider_seat, schemeID=SEAT_SCHEME)


def _write_time(parent: etree._Element, moment: datetime) -> None:
    text = moment.astimezone(tz=moment.tzinfo).isoformat(timespec="seconds")
    day, _, time = text.partition("T")
    _text(parent, "cbc:IssueDate", day)
    _text(parent, "cbc:IssueTime", time.replace("+00:00", "Z"))


# -- the Emirates and Oman -------------------------------------------------------------------------


def _write_main_terms(
    transaction: etree._Element, report: TaxDataReport, source: etree._Element, _: bytes
) -> None:
    specification = SPECIFICATIONS[report.country]
    if report.transport_id:
        _group(transaction, specification, "TransportHeaderID").text = report.transport_id
    if specification.has_uuid:
        _write_time(transaction, report.transported or report.issued)
    document = _group(transaction, specification, "ReportedDocument")
    for name in _HEAD:
        _copy_text(document, source, f"cbc:{name}")
    _group(document, specification, "DocumentTypeCode").text = _first(source, *_TYPE_CODES)
    currencies = []
    for name in ("cbc:DocumentCurrencyCode", "cbc:TaxCurrencyCode"):
        currencies += [_first(source, name)] if _first(source, name) else []
        _copy_text(document, source, name)
    named = specification.has_uuid
    _write_seller(document, source, named=named)
    _write_buyer(document, source, named=named)
    for currency in dict.fromkeys(currencies):
        _write_tax(document, source, currency)
    total = _group(document, specification, "MonetaryTotal")
    for net in _found(source, "cac:LegalMonetaryTotal/cbc:TaxExclusiveAmount")[:1]:
        total.append(_plain(net))
    _write_custom_content(transaction, report, source)
    content = _element(_group(transaction, specification, "SourceDocument"), "ext:ExtensionContent")
    content.append(_without_attachments(source))


def _write_seller(document: etree._Element, source: etree._Element, *, named: bool) -> None:
    """The seller with one tax registration, the VAT id if there are several."""
    party = _element(_element(document, "cac:AccountingSupplierParty"), "cac:Party")
    found = _found(source, f"{_SELLER}/cac:PartyTaxScheme")
    vat = [each for each in found if _first(each, "cac:TaxScheme/cbc:ID") == "VAT"]
    for registration in (vat or found)[:1]:
        _write_registration(party, registration)
    if named:
        _write_name(party, source, _SELLER)


def _write_buyer(document: etree._Element, source: etree._Element, *, named: bool) -> None:
    party = _element(_element(document, "cac:AccountingCustomerParty"), "cac:Party")
    for identifier in _found(source, f"{_BUYER}/cac:PartyIdentification/cbc:ID")[:1]:
        _element(party, "cac:PartyIdentification").append(_plain(identifier))
    for registration in _found(source, f"{_BUYER}/cac:PartyTaxScheme")[:1]:
        _write_registration(party, registration)
    if named:
        _write_name(party, source, _BUYER)


def _write_registration(party: etree._Element, registration: etree._Element) -> None:
    written = _element(party, "cac:PartyTaxScheme")
    _copy_text(written, registration, "cbc:CompanyID")
    scheme = _element(written, "cac:TaxScheme")
    _text(scheme, "cbc:ID", _first(registration, "cac:TaxScheme/cbc:ID"))


def _write_name(party: etree._Element, source: etree._Element, path: str) -> None:
    name = _first(source, f"{path}/cac:PartyLegalEntity/cbc:RegistrationName")
    _text(_element(party, "cac:PartyLegalEntity"), "cbc:RegistrationName", name)


def _write_tax(document: etree._Element, source: etree._Element, currency: str) -> None:
    taxes = _found(source, "cac:TaxTotal/cbc:TaxAmount")
    for tax in [each for each in taxes if each.get("currencyID") == currency][:1]:
        _element(document, "cac:TaxTotal").append(_plain(tax))


def _write_custom_content(
    transaction: etree._Element, report: TaxDataReport, source: etree._Element
) -> None:
    code, field = _CUSTOM[report.country]
    for reference in _found(source, "cac:AdditionalDocumentReference"):
        value = _first(reference, "cbc:DocumentDescription")
        if _first(reference, "cbc:DocumentTypeCode") == code and value:
            content = _group(transaction, SPECIFICATIONS[report.country], "CustomContent")
            _text(content, "cbc:ID", field)
            _text(content, "cbc:Value", value)
            return


def _without_attachments(source: etree._Element) -> etree._Element:
    """A copy of the document without the files in it."""
    copy = deepcopy(source)
    copy.tail = None
    for attached in list(copy.iter(_tag(_ATTACHED))):
        holder = attached.getparent()
        if holder is None:
            continue
        holder.remove(attached)
        above = holder.getparent()
        if len(holder) == 0 and above is not None:
            above.remove(holder)
    return copy


# -- Slovakia --------------------------------------------------------------------------------------


def _write_selection(
    transaction: etree._Element, report: TaxDataReport, source: etree._Element, content: bytes
) -> None:
    specification = SPECIFICATIONS[report.country]
    document = _group(transaction, specification, "ReportedDocument")
    _select(document, source, "", specification)
    if document.find(_tag("cbc:UUID")) is None:
        number = document.find(_tag("cbc:ID"))
        uuid = etree.Element(_tag("cbc:UUID"))
        uuid.text = document_uuid(content)
        document.insert(0 if number is None else document.index(number) + 1, uuid)


def document_uuid(content: bytes) -> str:
    """The UUID of a document that has none: the same for the same XML, which an envelope on its way
    may write in other bytes. Raises NotXml."""
    written = etree.tostring(parse(content), method="c14n", exclusive=True, with_comments=False)
    return str(uuid5(NAMESPACE_OID, sha256(written).hexdigest()))


def _select(
    target: etree._Element, source: etree._Element, path: str, specification: TaxDataSpecification
) -> None:
    """Copy the children that a report has, in its order."""
    for name in SLOVAK_CONTENT[path]:
        below = f"{path}/{name}".lstrip("/")
        for found in (each for own in _SOURCES.get(name, (name,)) for each in _found(source, own)):
            written = etree.SubElement(target, _own_tag(name, specification))
            if below in SLOVAK_CONTENT:
                _select(written, found, below, specification)
            else:
                written.text = (found.text or "").strip()
                _copy_attributes(written, found, name)


def _copy_attributes(written: etree._Element, found: etree._Element, name: str) -> None:
    allowed = _ATTRIBUTES | ({"name"} if name == "cbc:PaymentMeansCode" else set())
    if name.startswith("pxs:"):
        return
    for attribute, value in found.attrib.items():
        if attribute in allowed:
            written.set(attribute, value)


_WRITERS = {
    "AE": _write_main_terms,
    "OM": _write_main_terms,
    "SK": _write_selection,
}


# -- reading ---------------------------------------------------------------------------------------


def read_tax_data(content: bytes) -> ReadTaxData:
    """The report and its document. Raises NotXml; UnreadableDocument for another document."""
    root = parse(content)
    specification = next((each for each in SPECIFICATIONS.values() if each.root == root.tag), None)
    if specification is None:
        raise _unreadable(root, "this is no tax data document of a known country")
    pxs = f"{{{specification.namespace}}}"
    transaction = root.find(f"{pxs}ReportedTransaction")
    reporter = root.find(f"{pxs}ReportingParty/{_tag('cbc:EndpointID')}")
    report = TaxDataReport(
        country=specification.country,
        type=_key(specification.types, root, f"{pxs}{specification.type_element}"),
        role=_key(specification.roles, root, f"{pxs}ReporterRole"),
        scope=_key(specification.scopes, root, f"{pxs}DocumentScope"),
        reporter=("", "") if reporter is None else _identifier(reporter),
        authority_seat=_stripped(root, f"{pxs}ReceivingParty/{_tag('cbc:EndpointID')}"),
        provider_seat=_stripped(
            root,
            f"{pxs}ReportersRepresentative/{_tag('cac:PartyIdentification')}/{_tag('cbc:ID')}",
        ),
        issued=_moment(root),
        uuid=_stripped(root, _tag("cbc:UUID")),
        transport_id=_stripped(root, f"{pxs}ReportedTransaction/{pxs}TransportHeaderID"),
        transported=_moment_of_transport(transaction),
        authority=_authority(root.find(f"{pxs}TaxAuthority")),
    )
    return ReadTaxData(report, _document_of(transaction, pxs))


def _document_of(transaction: etree._Element | None, pxs: str) -> etree._Element | None:
    if transaction is None:
        return None
    content = transaction.find(f"{pxs}SourceDocument/{_tag('ext:ExtensionContent')}")
    embedded = [] if content is None else [each for each in content if each.tag in _DOCUMENTS]
    return embedded[0] if embedded else transaction.find(f"{pxs}ReportedDocument")


def _authority(element: etree._Element | None) -> TaxAuthority | None:
    if element is None:
        return None
    return TaxAuthority(_stripped(element, _tag("cbc:ID")), _stripped(element, _tag("cbc:Name")))


def _moment(parent: etree._Element) -> datetime:
    """The date and time of issue. Raises UnreadableDocument."""
    text = f"{_stripped(parent, _tag('cbc:IssueDate'))}T{_stripped(parent, _tag('cbc:IssueTime'))}"
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise _unreadable(parent, f"{text[:60]!r} is no date and time of issue") from None


def _moment_of_transport(transaction: etree._Element | None) -> datetime | None:
    if transaction is None or transaction.find(_tag("cbc:IssueTime")) is None:
        return None
    return _moment(transaction)


def _key(codes: Mapping[K, str], root: etree._Element, path: str) -> K:
    """The key of a code. Raises UnreadableDocument."""
    code = _stripped(root, path)
    for key, value in codes.items():
        if value == code:
            return key
    raise _unreadable(root, f"{code[:20]!r} at {etree.QName(path).localname} is no known code")


def _unreadable(root: etree._Element, message: str) -> UnreadableDocument:
    return UnreadableDocument(message, path=path_of(root), line=line_of(root))


def _identifier(element: etree._Element) -> tuple[str, str]:
    return element.get("schemeID", ""), (element.text or "").strip()


def _stripped(parent: etree._Element, path: str) -> str:
    return parent.findtext(path, "").strip()


# -- what a Slovak report repeats, as an invoice ---------------------------------------------------

_IN_UBL = {
    "ReportedDocument": f"{{{INVOICE}}}Invoice",
    "DocumentLine": f"{{{CAC}}}InvoiceLine",
    "MonetaryTotal": f"{{{CAC}}}LegalMonetaryTotal",
    "DocumentTypeCode": f"{{{CBC}}}InvoiceTypeCode",
}
_IN_REPORT = {
    etree.QName(tag).localname: name for name, tag in _IN_UBL.items() if name != "ReportedDocument"
}
_STEP = re.compile(r"/([A-Za-z]+)(?=\[)")
_FIRST = "/TaxData[1]/ReportedTransaction[1]/ReportedDocument[1]"


def repeated_invoices(root: etree._Element) -> list[etree._Element]:
    """The invoices that a report repeats, as UBL; the head of the report is inside of the first.

    The rules of the invoice that hold anywhere hold in the head, too. A report without an invoice
    is a copy under its own name.
    """
    specification = SPECIFICATIONS["SK"]
    pxs = f"{{{specification.namespace}}}"
    found = [
        _renamed(each, pxs)
        for each in root.findall(f"{pxs}ReportedTransaction/{pxs}ReportedDocument")
    ]
    head = etree.Element(root.tag)
    head.extend(deepcopy(x) for x in root if x.tag != f"{pxs}ReportedTransaction")
    if not found:
        return [head]
    for other in found[1:]:
        head.extend(deepcopy(line) for line in other.findall(f"{{{CAC}}}InvoiceLine"))
    found[0].append(head)
    return found


def _renamed(element: etree._Element, pxs: str) -> etree._Element:
    """A copy of the element and what is below it, with the names of UBL."""
    copy = deepcopy(element)
    copy.tail = None
    for each in copy.iter(*(f"{pxs}{name}" for name in _IN_UBL)):
        each.tag = _IN_UBL[etree.QName(each).localname]
    return copy


def place_in_report(place: str) -> str:
    """The place in the report of a place in the first invoice that it repeats."""
    if place.startswith("/TaxData[1]"):
        return place
    if place.startswith("/Invoice[1]/TaxData[1]"):
        return place.removeprefix("/Invoice[1]")
    below = place.removeprefix("/Invoice[1]")
    return _FIRST + _STEP.sub(lambda step: f"/{_IN_REPORT.get(step[1], step[1])}", below)


# -- elements --------------------------------------------------------------------------------------


def _tag(path: str) -> str:
    """A path of prefixed names as lxml takes it."""
    steps = (step.partition(":") for step in path.split("/"))
    return "/".join(f"{{{_NAMESPACES[prefix]}}}{name}" for prefix, _, name in steps)


def _own_tag(name: str, specification: TaxDataSpecification) -> str:
    prefix, _, local = name.partition(":")
    return f"{{{specification.namespace}}}{local}" if prefix == "pxs" else _tag(name)


def _found(parent: etree._Element, path: str) -> list[etree._Element]:
    return parent.findall(_tag(path))


def _first(parent: etree._Element, *paths: str) -> str:
    """The first text on one of the paths; "" without one."""
    texts: Iterator[str] = ((each.text or "").strip() for p in paths for each in _found(parent, p))
    return next((text for text in texts if text), "")


def _group(
    parent: etree._Element, specification: TaxDataSpecification, name: str
) -> etree._Element:
    return etree.SubElement(parent, f"{{{specification.namespace}}}{name}")


def _element(parent: etree._Element, name: str) -> etree._Element:
    return etree.SubElement(parent, _tag(name))


def _text(parent: etree._Element, name: str, text: str, **attributes: str) -> None:
    element = _element(parent, name)
    element.text = text
    for attribute, value in attributes.items():
        element.set(attribute, value)


def _copy_text(target: etree._Element, source: etree._Element, name: str) -> None:
    text = _first(source, name)
    if text:
        _text(target, name, text)


def _plain(element: etree._Element) -> etree._Element:
    """A copy of a leaf, without what surrounds it."""
    copy = etree.Element(element.tag)
    copy.text = (element.text or "").strip()
    for attribute, value in element.attrib.items():
        copy.set(attribute, value)
    return copy
