"""BR-FR-CII: the rules of BR-FR 1.4.0.04 for invoices in CII, also those in Factur-X."""

from __future__ import annotations

from functools import partial

from einvoice.rules.book import BROKEN, Book, Chapter, Check, Context, Kind, Pattern, Values
from einvoice.rules.br_fr import codes, forms, joint_cii
from einvoice.rules.br_fr.checks import (
    has_form,
    has_form_at,
    has_scheme,
    is_none_of,
    is_one_of,
    of_scheme,
    schemes_are_given,
    schemes_differ,
    siret_is_of_siren,
    tabled,
    terms,
)
from einvoice.rules.cii_paths import (
    AGREEMENT,
    BUYER,
    DELIVERY,
    INVOICE,
    ITEM,
    LEGAL_ID,
    LINE,
    LINE_SETTLEMENT,
    LINE_STATUS,
    REPRESENTATIVE,
    SELLER,
    SETTLEMENT,
    single_text,
)
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import unfired
from einvoice.rules.values import normalized, parse_double
from einvoice.rules.view import View

br_fr_cii = Chapter(Layer.BR_FR_CII)

DOCUMENT: Context = Pattern().context(INVOICE)
_EXCHANGED = "rsm:ExchangedDocument"
_HEAD: Context = Pattern().context(f"{INVOICE}/{_EXCHANGED}")
_CONTEXT = "rsm:ExchangedDocumentContext"
_PROCESS_ID = "ram:BusinessProcessSpecifiedDocumentContextParameter/ram:ID"
_PROCESS = f"{_CONTEXT}/{_PROCESS_ID}"
_TYPE = f"{_EXCHANGED}/ram:TypeCode"
_NOTES = f"{_EXCHANGED}/ram:IncludedNote"
_ADDRESS = "ram:URIUniversalCommunication/ram:URIID"
_REFERRED = "ram:InvoiceReferencedDocument"
_NUMBER, _DATED = "ram:IssuerAssignedID", "ram:FormattedIssueDateTime/qdt:DateTimeString"
_LINE_DELIVERY = f"{LINE}/ram:SpecifiedLineTradeDelivery"
_LINE_SETTLEMENT = f"{LINE}/{LINE_SETTLEMENT}"
_PERIOD = "ram:BillingSpecifiedPeriod"
_STARTS, _ENDS = "ram:StartDateTime/udt:DateTimeString", "ram:EndDateTime/udt:DateTimeString"
_DELIVERED = "ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime/udt:DateTimeString"
_DUE = f"{SETTLEMENT}/ram:SpecifiedTradePaymentTerms/ram:DueDateDateTime/udt:DateTimeString"
_ISSUED = f"{_EXCHANGED}/ram:IssueDateTime/udt:DateTimeString"
_TOTALS = f"{SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation"
_ADJUSTMENT = "ram:SpecifiedTradeAllowanceCharge"

# The parties that have identifiers or an address, by the term of their identifiers and of their
# electronic address.
_PARTIES: tuple[tuple[str, str, str], ...] = (
    ("BT-29", "BT-34", SELLER),
    ("BT-46", "BT-49", BUYER),
    ("BT-60", "EXT-FR-FE-29", f"{SETTLEMENT}/ram:PayeeTradeParty"),
    ("EXT-FR-FE-06", "EXT-FR-FE-12", f"{AGREEMENT}/ram:BuyerAgentTradeParty"),
    ("EXT-FR-FE-46", "EXT-FR-FE-52", f"{SETTLEMENT}/ram:PayerTradeParty"),
    ("EXT-FR-FE-69", "EXT-FR-FE-75", f"{AGREEMENT}/ram:SalesAgentTradeParty"),
    ("EXT-FR-FE-92", "EXT-FR-FE-98", f"{SETTLEMENT}/ram:InvoiceeTradeParty"),
    ("EXT-FR-FE-115", "EXT-FR-FE-121", f"{SETTLEMENT}/ram:InvoicerTradeParty"),
)
_SHIP_TO = ("BT-71", f"{DELIVERY}/ram:ShipToTradeParty")
_LINE_SHIP_TO = ("EXT-FR-FE-146", f"{_LINE_DELIVERY}/ram:ShipToTradeParty")
_IDENTIFIED = (*((term, path) for term, _, path in _PARTIES), _SHIP_TO, _LINE_SHIP_TO)


def _at(path: str) -> tuple[str, ...]:
    return (f"{INVOICE}/{path}",)


# -- numbers of invoices, dates, types -------------------------------------------------------------

_IDS = (
    ("BT-1", _at(f"{_EXCHANGED}/ram:ID")),
    ("BT-25", _at(f"{SETTLEMENT}/{_REFERRED}/{_NUMBER}")),
    ("EXT-FR-FE-136", _at(f"{_LINE_SETTLEMENT}/{_REFERRED}/{_NUMBER}")),
)
tabled(
    br_fr_cii, [(f"BR-FR-01_{term}", terms(term), paths) for term, paths in _IDS],
    has_form(forms.at_most(35)), "The number of an invoice has at most 35 characters",
)  # fmt: skip
tabled(
    br_fr_cii, [(f"BR-FR-02_{term}", terms(term), paths) for term, paths in _IDS],
    has_form(forms.is_id), "The number of an invoice has letters, digits and + - _ / only",
)  # fmt: skip
tabled(
    br_fr_cii,
    [
        ("BR-FR-03_BT-2", "BT-2", _at(_ISSUED)),
        ("BR-FR-03_BT-7", "BT-7",
         _at(f"{SETTLEMENT}/ram:ApplicableTradeTax/ram:TaxPointDate/udt:DateString")),
        ("BR-FR-03_BT-9", "BT-9", _at(_DUE)),
        ("BR-FR-03_BT-26", "BT-26", _at(f"{SETTLEMENT}/{_REFERRED}/{_DATED}")),
        ("BR-FR-03_BT-72", "BT-72", _at(f"{DELIVERY}/{_DELIVERED}")),
        ("BR-FR-03_BT-73", "BT-73", _at(f"{SETTLEMENT}/{_PERIOD}/{_STARTS}")),
        ("BR-FR-03_BT-74", "BT-74", _at(f"{SETTLEMENT}/{_PERIOD}/{_ENDS}")),
        ("BR-FR-03_EXT-FR-FE-138", "", _at(f"{_LINE_SETTLEMENT}/{_REFERRED}/{_DATED}")),
        ("BR-FR-03_EXT-FR-FE-158", "", _at(f"{_LINE_DELIVERY}/{_DELIVERED}")),
        ("BR-FR-03_EXT-FR-FE-134", "BT-134", _at(f"{_LINE_SETTLEMENT}/{_PERIOD}/{_STARTS}")),
        ("BR-FR-03_EXT-FR-FE-135", "BT-135", _at(f"{_LINE_SETTLEMENT}/{_PERIOD}/{_ENDS}")),
    ],
    has_form(forms.is_packed_day), "A date is a day of the years 2000 to 2099, written YYYYMMDD",
)  # fmt: skip
tabled(
    br_fr_cii,
    [
        ("BR-FR-04_BT-3", "BT-3", _at(_TYPE)),
        ("BR-FR-04_EXT-FR-FE-02", "", _at(f"{SETTLEMENT}/{_REFERRED}/ram:TypeCode")),
        ("BR-FR-04_EXT-FR-FE-137", "", _at(f"{_LINE_SETTLEMENT}/{_REFERRED}/ram:TypeCode")),
    ],
    has_form(codes.TYPES.__contains__),
    f"The type of an invoice is one of {', '.join(sorted(codes.TYPES))}", Kind.CODE_LIST,
)  # fmt: skip


# -- notes -----------------------------------------------------------------------------------------


def _of_subject(notes: list[Node], subject: str) -> list[Node]:
    return [each for each in notes if subject in each.texts("ram:SubjectCode")]


def _has_note(subject: str) -> Check:
    def check(head: Node, _: View) -> Values | None:
        return None if _of_subject([*head.all("ram:IncludedNote")], subject) else {"code": subject}

    return check


def _has_note_once(subject: str) -> Check:
    def check(head: Node, _: View) -> Values | None:
        count = len(_of_subject([*head.all("ram:IncludedNote")], subject))
        return None if count <= 1 else {"count": count}

    return check


for _subject in (*codes.MANDATORY_NOTES, codes.TAXES):
    if _subject in codes.MANDATORY_NOTES:
        br_fr_cii.add(
            f"BR-FR-05_BT-22_{_subject}", "BT-22", _HEAD, _has_note(_subject),
            f"A note (BT-22) has the subject {_subject}", kind=Kind.PRESENCE,
        )  # fmt: skip
    br_fr_cii.add(
        f"BR-FR-06_BT-21_{_subject}", "BT-21", _HEAD, _has_note_once(_subject),
        f"At most one note has the subject {_subject} (BT-21)", kind=Kind.CARDINALITY,
    )  # fmt: skip


def _is_treatment(note: Node, _: View) -> bool:
    return codes.TREATMENT in note.texts("ram:SubjectCode")


br_fr_cii.add(
    "BR-FR-20_BT-21", "BT-21 BT-22",
    Pattern().context(f"{INVOICE}/{_NOTES}", when=_is_treatment),
    is_one_of("ram:Content", frozenset(codes.TREATMENTS), needed=True),
    f"A note of the subject BAR is one of {', '.join(codes.TREATMENTS)}",
    kind=Kind.CODE_LIST, parameters={"path": "ram:Content"},
)  # fmt: skip


@br_fr_cii.rule("BR-FR-31_BT-21", "BT-21 BT-22", at=_HEAD, kind=Kind.CARDINALITY,
                path="ram:IncludedNote")  # fmt: skip
def one_treatment(head: Node, _: View) -> Values | None:
    """The notes of the subject BAR name at most one treatment."""
    notes = _of_subject([*head.all("ram:IncludedNote")], codes.TREATMENT)
    named = [each for each in notes if normalized(each.text_of("ram:Content")) in codes.TREATMENTS]
    return None if len(named) <= 1 else {"count": len(named)}


def _is_treated_as_b2b(document: Node) -> bool:
    notes = _of_subject([*document.all(_NOTES)], codes.TREATMENT)
    return any(codes.B2B in each.texts("ram:Content") for each in notes)


# -- process, parties ------------------------------------------------------------------------------

br_fr_cii.add(
    "BR-FR-08_BT-23", "BT-23", Pattern().context(f"{INVOICE}/{_CONTEXT}"),
    is_one_of(_PROCESS_ID, codes.PROCESSES, needed=True),
    f"The business process (BT-23) is one of {', '.join(sorted(codes.PROCESSES))}",
    kind=Kind.CODE_LIST, parameters={"path": _PROCESS_ID},
)  # fmt: skip

_with_siret, _schemed = Pattern(), Pattern()
for _term, _path in _IDENTIFIED:
    br_fr_cii.add(
        f"BR-FR-09_{_term}", terms(_term), _with_siret.context(*_at(_path)),
        siret_is_of_siren("ram:GlobalID", LEGAL_ID, needed=_term in ("BT-29", "BT-46")),
        f"A SIRET ({_term}) has 14 digits and begins with the SIREN of the party",
        kind=Kind.FORMAT,
    )  # fmt: skip
    _context = _schemed.context(_path)
    br_fr_cii.add(
        f"BR-FR-CO-10_{_term}-1", terms(_term), _context, schemes_are_given("ram:GlobalID"),
        f"Every identifier ({_term}) names its scheme", kind=Kind.PRESENCE,
        parameters={"path": "ram:GlobalID/@schemeID"},
    )  # fmt: skip
    br_fr_cii.add(
        f"BR-FR-CO-10_{_term}-2", terms(_term), _context, schemes_differ("ram:GlobalID"),
        f"A party has one identifier ({_term}) of each scheme", kind=Kind.CARDINALITY,
        parameters={"path": "ram:GlobalID/@schemeID"},
    )  # fmt: skip


def _siren(document: Node, party: str) -> str:
    """The SIREN of a party, "" if there is none. Raises MoreThanOneItem."""
    return single_text(of_scheme(document, f"{party}/{LEGAL_ID}", codes.SIREN))


@br_fr_cii.rule("BR-FR-10_BT-30", "BT-30", at=DOCUMENT, kind=Kind.PRESENCE,
                path=f"{SELLER}/{LEGAL_ID}")  # fmt: skip
def seller_has_a_siren(document: Node, _: View) -> Values | None:
    """The seller has a SIREN of nine digits (BT-30, scheme 0002)."""
    return None if forms.is_siren(_siren(document, SELLER)) else BROKEN


@br_fr_cii.rule("BR-FR-11_BT-47", "BT-47", at=DOCUMENT, kind=Kind.PRESENCE,
                path=f"{BUYER}/{LEGAL_ID}")  # fmt: skip
def french_buyer_has_a_siren(document: Node, _: View) -> Values | None:
    """The buyer of an invoice between companies (note BAR: B2B) has a SIREN (BT-47)."""
    if not _is_treated_as_b2b(document):
        return None
    siren = _siren(document, BUYER)
    return None if siren == normalized(siren) and forms.is_siren(siren) else BROKEN


def _is_given(path: str) -> Check:
    """The check that the one element on the path is not empty."""

    def check(node: Node, _: View) -> Values | None:
        return None if node.text_of(path) else BROKEN

    return check


for _rule, _term, _party in (
    ("BR-FR-12_BT-49", "BT-49", BUYER),
    ("BR-FR-13_BT-34", "BT-34", SELLER),
):
    _path = f"{_party}/{_ADDRESS}"
    br_fr_cii.add(
        _rule, _term, DOCUMENT, _is_given(_path), f"{_term} is given",
        kind=Kind.PRESENCE, parameters={"path": _path},
    )  # fmt: skip


def _is_addressed_by_its_number(document: Node, party: str) -> bool:
    """Whether the address of a party is of the directory (0225) and begins with its number."""
    address = document.text_of(f"{party}/{_ADDRESS}")
    number = document.text_of(f"{party}/{LEGAL_ID}")
    schemes = document.attributes_at(f"{party}/{_ADDRESS}", "schemeID")
    return address.startswith(number) and codes.DIRECTORY in schemes


def _has_type(document: Node, types: frozenset[str]) -> bool:
    return any(each in types for each in document.texts(_TYPE))


def _address_is_of_the_siren(party: str, *, self_billed: bool) -> Check:
    def check(document: Node, _: View) -> Values | None:
        if not _is_treated_as_b2b(document):
            return None
        if _has_type(document, codes.SELF_BILLED) is not self_billed:
            return None
        return None if _is_addressed_by_its_number(document, party) else BROKEN

    return check


br_fr_cii.add(
    "BR-FR-21_BT-49", "BT-49", DOCUMENT, _address_is_of_the_siren(BUYER, self_billed=False),
    "The address of a French buyer (BT-49) is of the scheme 0225 and begins with its SIREN",
    parameters={"path": f"{BUYER}/{_ADDRESS}"},
)  # fmt: skip
br_fr_cii.add(
    "BR-FR-22_BT-34", "BT-34", DOCUMENT, _address_is_of_the_siren(SELLER, self_billed=True),
    "Of a self-billed invoice, the seller's address (BT-34) begins with its SIREN (0225)",
    parameters={"path": f"{SELLER}/{_ADDRESS}"},
)  # fmt: skip

_ADDRESSES = [(term, _at(f"{path}/{_ADDRESS}")) for _, term, path in _PARTIES]
_PRIVATE = [(term, _at(f"{path}/ram:GlobalID")) for term, _, path in _PARTIES[:2]]
tabled(
    br_fr_cii, [(f"BR-FR-23_{term}", terms(term), paths) for term, paths in _ADDRESSES],
    has_form(forms.is_address),
    "An address of the directory (0225) has letters, digits and + - _ . only",
    scheme=codes.DIRECTORY,
)  # fmt: skip
tabled(
    br_fr_cii, [(f"BR-FR-24_{term}", term, paths) for term, paths in _PRIVATE],
    has_form(forms.is_address), "A private identifier (0224) has letters, digits and + - _ . only",
    scheme=codes.PRIVATE,
)  # fmt: skip
tabled(
    br_fr_cii, [(f"BR-FR-25_{term}", terms(term), paths) for term, paths in _ADDRESSES],
    has_form(forms.at_most(125)), "An electronic address has at most 125 characters",
)  # fmt: skip
tabled(
    br_fr_cii, [(f"BR-FR-26_{term}", term, paths) for term, paths in _PRIVATE],
    has_form(forms.at_most(100)), "A private identifier (0224) has at most 100 characters",
    scheme=codes.PRIVATE,
)  # fmt: skip


def _is_of_company(number: Node, _: View) -> bool:
    return number.attributes.get("schemeID") in (codes.SIREN, codes.SINGLE_TAXPAYER)


_numbers = Pattern()
for _rule, _context in (
    ("BR-FR-32-LEGALID", _numbers.context(LEGAL_ID, when=partial(has_scheme, codes.SIREN))),
    ("BR-FR-32-GLOBALID", _numbers.context("ram:GlobalID", when=_is_of_company)),
):
    br_fr_cii.add(
        _rule, "BT-29 BT-30 BT-46 BT-47", _context, has_form(forms.is_siren),
        "A SIREN has nine digits", kind=Kind.FORMAT,
    )  # fmt: skip


def _is_of_single_taxpayer(document: Node) -> bool:
    return bool(of_scheme(document, f"{SELLER}/ram:GlobalID", codes.SINGLE_TAXPAYER))


@br_fr_cii.rule("BR-FR-CO-14_BT-29-1", "BT-29 BT-22", at=DOCUMENT, kind=Kind.PRESENCE, path=_NOTES)
def member_says_so(document: Node, _: View) -> Values | None:
    """A seller within a single taxpayer (0231) says so: note TXD, MEMBRE_ASSUJETTI_UNIQUE."""
    if not _is_of_single_taxpayer(document):
        return None
    notes = _of_subject([*document.all(_NOTES)], codes.TAXES)
    said = any(codes.MEMBER_OF_SINGLE_TAXPAYER in each.texts("ram:Content") for each in notes)
    return None if said else BROKEN


_FISCAL = f"{REPRESENTATIVE}/ram:SpecifiedTaxRegistration/ram:ID"


@br_fr_cii.rule("BR-FR-CO-15_BT-29-1", "BT-29 BT-63", at=DOCUMENT, kind=Kind.PRESENCE, path=_FISCAL)
def member_names_the_taxpayer(document: Node, _: View) -> Values | None:
    """A seller within a single taxpayer (0231) gives the VAT number of that one (BT-63)."""
    if not _is_of_single_taxpayer(document):
        return None
    return None if single_text(of_scheme(document, _FISCAL, "VA")) else BROKEN


# -- VAT -------------------------------------------------------------------------------------------

_CATEGORY, _RATE = "ram:CategoryCode", "ram:RateApplicablePercent"
_ADJUSTED = f"{SETTLEMENT}/{_ADJUSTMENT}/ram:CategoryTradeTax"
_SUBTOTAL = f"{SETTLEMENT}/ram:ApplicableTradeTax"
_ITEM_TAX = f"{_LINE_SETTLEMENT}/ram:ApplicableTradeTax"
_VAT = (
    ("BT-102", "BT-95 BT-102", _ADJUSTED),
    ("BT-118", "BT-118", _SUBTOTAL),
    ("BT-151", "BT-151", _ITEM_TAX),
)
_UNTAXED_LINES = frozenset([codes.GROUP, codes.INFORMATION])


def _has_category(tax: Node, view: View) -> Values | None:
    status = LINE_STATUS
    of_line = tax.within(ITEM) and not tax.has(_CATEGORY)
    if of_line and any(each in _UNTAXED_LINES for each in tax.up(2).texts(status)):
        return None
    return _is_french(tax, view)


_is_french = is_one_of(_CATEGORY, codes.CATEGORIES, needed=True)
_categories = Pattern()
for _id, _term, _path in _VAT:
    _context = _categories.context(*_at(_path))
    br_fr_cii.add(
        f"BR-FR-15_BT-95_{_id}", _term, _context, _has_category,
        f"A VAT category ({_term}) is S, E, AE, K, G, O or Z", kind=Kind.CODE_LIST,
        parameters={"path": _CATEGORY},
    )  # fmt: skip
    br_fr_cii.add(
        f"BR-FR-15_BT-95_{_id}_LM", _term, _context, is_none_of(_CATEGORY, codes.ELSEWHERE),
        f"A VAT category ({_term}) is not L or M, which are Spanish", kind=Kind.CODE_LIST,
        parameters={"path": _CATEGORY},
    )  # fmt: skip


def _is_rate(text: str) -> bool:
    return not text or text in forms.RATES


_RATED = (
    ("BT-96_BT-103", "BT-96 BT-103", _ADJUSTED),
    ("BT-119", "BT-119", _SUBTOTAL),
    ("BT-152", "BT-152", _ITEM_TAX),
)
_rates = Pattern()
for _id, _term, _path in _RATED:
    br_fr_cii.add(
        f"BR-FR-16_{_id}", _term, _rates.context(*_at(_path)), has_form_at(_RATE, _is_rate),
        f"A VAT rate ({_term}) is one that France has or had", kind=Kind.CODE_LIST,
        parameters={"path": _RATE},
    )  # fmt: skip


@br_fr_cii.rule("BR-FR-CO-12_BT-5", "BT-5 BT-6 BT-111", at=DOCUMENT,
                path=f"{SETTLEMENT}/ram:TaxCurrencyCode")  # fmt: skip
def vat_is_in_euro_too(document: Node, _: View) -> Values | None:
    """An invoice in another currency gives its VAT in euro too (BT-6, BT-111)."""
    currencies = document.texts(f"{SETTLEMENT}/ram:InvoiceCurrencyCode")
    if all(each == "EUR" for each in currencies):
        return None
    totals = [
        each for each in document.all(f"{_TOTALS}/ram:TaxTotalAmount")
        if each.attributes.get("currencyID") == "EUR"
    ]  # fmt: skip
    in_euro = "EUR" in document.texts(f"{SETTLEMENT}/ram:TaxCurrencyCode") and single_text(totals)
    return None if in_euro else {"currency": currencies[0]}


# -- attachments, items, objects -------------------------------------------------------------------

_REFERENCE = "ram:AdditionalReferencedDocument"


def _is_attachment(reference: Node, _: View) -> bool:
    return "916" in reference.texts("ram:TypeCode")


def _is_described(name: str) -> bool:
    return not normalized(name) or normalized(name) in codes.ATTACHMENTS


br_fr_cii.add(
    "BR-FR-17_BT-123", "BT-123",
    Pattern().context(*_at(f"{AGREEMENT}/{_REFERENCE}"), when=_is_attachment),
    has_form_at("ram:Name", _is_described),
    f"The description of an attachment (BT-123) is one of {', '.join(sorted(codes.ATTACHMENTS))}",
    kind=Kind.CODE_LIST, parameters={"path": "ram:Name"},
)  # fmt: skip


@br_fr_cii.rule("BR-FR-18_BT-123", "BT-123", at=DOCUMENT, kind=Kind.CARDINALITY,
                path=f"{AGREEMENT}/{_REFERENCE}/ram:Name")  # fmt: skip
def one_attachment_is_readable(document: Node, _: View) -> Values | None:
    """At most one attachment (BT-123) is the invoice as people read it (LISIBLE)."""
    references = document.all(f"{AGREEMENT}/{_REFERENCE}")
    count = sum(codes.READABLE in each.texts("ram:Name") for each in references)
    return None if count <= 1 else {"count": count}


_PROPERTY = f"{LINE}/ram:SpecifiedTradeProduct/ram:ApplicableProductCharacteristic"
_properties = Pattern()


@br_fr_cii.rule("BR-FR-27_BG-32", "BG-32", at=_properties.context(*_at(_PROPERTY)),
                kind=Kind.PRESENCE)  # fmt: skip
def attribute_is_named(attribute: Node, _: View) -> Values | None:
    """An item attribute (BG-32) has a name (BT-160) or a code."""
    return None if attribute.has("ram:Description") or attribute.has("ram:TypeCode") else BROKEN


for _rule, _term, _path in (
    ("BR-FR-27_BT-160", "BT-160", "ram:Description"),
    ("BR-FR-27_EXT-FR-FE-159", "", "ram:TypeCode"),
):
    br_fr_cii.add(
        _rule, _term, _properties.context(*_at(f"{_PROPERTY}/{_path}")), has_form(forms.is_filled),
        "The name or code of an item attribute is not empty", kind=Kind.PRESENCE,
    )  # fmt: skip


@br_fr_cii.rule("BR-FR-28-Value", "BT-161", at=Pattern().context(*_at(_PROPERTY)), path="ram:Value")
def attribute_has_one_value(attribute: Node, _: View) -> Values | None:
    """An item attribute has a value (BT-161), or a measure with its unit, and not both."""
    measures = attribute.all("ram:ValueMeasure")
    if attribute.has("ram:Value"):
        return BROKEN if measures else None
    return None if any(each.attributes.get("unitCode") for each in measures) else BROKEN


def _is_object(scheme: str, number: Node, _: View) -> bool:
    return scheme in number.up(1).texts("ram:ReferenceTypeCode")


def _one_of_each_scheme(node: Node, _: View) -> Values | None:
    for scheme in (codes.FINAL_INVOICE, codes.PROCESS_OF_LINE):
        count = sum(scheme in each.texts("ram:ReferenceTypeCode") for each in node.all(_REFERENCE))
        if count > 1:
            return {"count": count}
    return None


for _rule, _term, _path in (("BR-FR-29", "BT-18", AGREEMENT), ("BR-FR-30", "BT-128", LINE)):
    _objects = Pattern()
    br_fr_cii.add(
        f"{_rule}_{_term}", _term, _objects.context(*_at(_path)), _one_of_each_scheme,
        f"An invoiced object ({_term}) of the scheme AFL or AVV is given once",
        kind=Kind.CARDINALITY, parameters={"path": _REFERENCE},
    )  # fmt: skip
    for _kind in (codes.FINAL_INVOICE, codes.PROCESS_OF_LINE):
        br_fr_cii.add(
            f"{_rule}_{_kind}", _term,
            _objects.context(
                *_at(f"{_path}/{_REFERENCE}/{_NUMBER}"), when=partial(_is_object, _kind)
            ),
            has_form(forms.is_filled),
            f"An invoiced object ({_term}) of the scheme {_kind} is not empty",
            kind=Kind.PRESENCE,
        )  # fmt: skip


# -- one field and another -------------------------------------------------------------------------


@br_fr_cii.rule("BR-FR-CO-03_BT-3", "BT-3 BT-12 BT-73 BT-74", at=DOCUMENT, kind=Kind.PRESENCE)
def rebate_has_contract_and_period(document: Node, _: View) -> Values | None:
    """A global rebate (262) names the contract (BT-12) and its period (BT-73, BT-74)."""
    if not _has_type(document, frozenset([codes.GLOBAL_REBATE])):
        return None
    needed = (
        f"{AGREEMENT}/ram:ContractReferencedDocument/{_NUMBER}",
        f"{SETTLEMENT}/{_PERIOD}/{_STARTS}",
        f"{SETTLEMENT}/{_PERIOD}/{_ENDS}",
    )
    return None if all(document.text_of(path) for path in needed) else BROKEN


@br_fr_cii.rule("BR-FR-CO-04_BT-4", "BT-3 BG-3", at=DOCUMENT, kind=Kind.CARDINALITY,
                path=f"{SETTLEMENT}/{_REFERRED}")  # fmt: skip
def correction_names_one_invoice(document: Node, _: View) -> Values | None:
    """A corrective invoice (384, 471, 472, 473) refers to exactly one invoice (BG-3)."""
    count = len(document.all(f"{SETTLEMENT}/{_REFERRED}"))
    return None if count == 1 or not _has_type(document, codes.CORRECTIVE) else {"count": count}


@br_fr_cii.rule("BR-FR-CO-05_BT-3", "BT-3 BG-3", at=DOCUMENT, kind=Kind.PRESENCE,
                path=f"{SETTLEMENT}/{_REFERRED}")  # fmt: skip
def credit_names_invoices(document: Node, _: View) -> Values | None:
    """A credit note refers to an invoice with its date (BG-3), as a whole or with every line."""
    if not _has_type(document, codes.CREDIT_NOTES):
        return None
    if any(_is_dated(each) for each in document.all(f"{SETTLEMENT}/{_REFERRED}")):
        return None
    lines = [each for each in document.all(LINE) if _counts_as_detail(each)]
    return None if all(_names_an_invoice(each) for each in lines) else BROKEN


def _is_dated(reference: Node) -> bool:
    return reference.has(_NUMBER) and reference.has(_DATED)


def _counts_as_detail(line: Node) -> bool:
    statuses = line.texts(LINE_STATUS)
    return not statuses or codes.DETAIL in statuses


def _names_an_invoice(line: Node) -> bool:
    return any(_is_dated(each) for each in line.all(f"{LINE_SETTLEMENT}/{_REFERRED}"))


def _is_of(document: Node, processes: frozenset[str]) -> bool:
    return any(each in processes for each in document.texts(_PROCESS))


@br_fr_cii.rule("BR-FR-CO-07_BT-9", "BT-9 BT-2", at=DOCUMENT, path=_DUE)
def due_after_issue(document: Node, _: View) -> Values | None:
    """The due date (BT-9) is not before the issue date (BT-2), unless it is paid already."""
    due = document.text_of(_DUE)
    if not due or _has_type(document, codes.ADVANCE) or _is_of(document, codes.PAID):
        return None
    issued = document.only(_ISSUED)
    return None if issued is not None and due >= issued.text else {"text": due[:80]}


@br_fr_cii.rule("BR-FR-CO-08_BT-23", "BT-23 BT-3", at=DOCUMENT, path=_PROCESS)
def final_is_no_advance(document: Node, _: View) -> Values | None:
    """A final invoice after advances (B4, S4, M4) is not itself one of an advance (BT-3)."""
    final = _is_of(document, codes.FINAL)
    return BROKEN if final and _has_type(document, codes.ADVANCE) else None


def _number(document: Node, name: str) -> float | None:
    """number() of a total; None if there is none, or no number. Raises MoreThanOneItem."""
    return parse_double(document.text_of(f"{_TOTALS}/ram:{name}"))


@br_fr_cii.rule("BR-FR-CO-09_BT-23-1", "BT-113 BT-112 BT-23", at=DOCUMENT, kind=Kind.SUM,
                path=f"{_TOTALS}/ram:TotalPrepaidAmount")  # fmt: skip
def paid_in_full(document: Node, _: View) -> Values | None:
    """Of an invoice that is paid (B2, S2, M2), the paid amount (BT-113) is the total (BT-112)."""
    if not _is_of(document, codes.PAID):
        return None
    paid = _number(document, "TotalPrepaidAmount")
    return None if paid is not None and paid == _number(document, "GrandTotalAmount") else BROKEN


@br_fr_cii.rule("BR-FR-CO-09_BT-23-2", "BT-115 BT-23", at=DOCUMENT, kind=Kind.SUM,
                path=f"{_TOTALS}/ram:DuePayableAmount")  # fmt: skip
def nothing_is_due(document: Node, _: View) -> Values | None:
    """Of an invoice that is paid (B2, S2, M2), the amount due (BT-115) is 0."""
    if not _is_of(document, codes.PAID):
        return None
    return None if _number(document, "DuePayableAmount") == 0 else BROKEN


@br_fr_cii.rule("BR-FR-CO-09_BT-23-3", "BT-9 BT-23", at=DOCUMENT, kind=Kind.PRESENCE, path=_DUE)
def says_when_it_was_paid(document: Node, _: View) -> Values | None:
    """An invoice that is paid (B2, S2, M2) gives the day of payment as due date (BT-9)."""
    return BROKEN if _is_of(document, codes.PAID) and not document.text_of(_DUE) else None


# -- decimals --------------------------------------------------------------------------------------

_LINE_TOTAL = "ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount"
tabled(
    br_fr_cii,
    [
        (
            "BR-FR-DEC-01_BT-92_BT-99",
            "BT-92 BT-99",
            _at(f"{SETTLEMENT}/{_ADJUSTMENT}/ram:ActualAmount"),
        ),
        (
            "BR-FR-DEC-01_BT-93_BT-100",
            "BT-93 BT-100",
            _at(f"{SETTLEMENT}/{_ADJUSTMENT}/ram:BasisAmount"),
        ),
        *(
            (f"BR-FR-DEC-01_{term}", term, _at(f"{_TOTALS}/ram:{name}"))
            for term, name in (
                ("BT-106", "LineTotalAmount"),
                ("BT-107", "AllowanceTotalAmount"),
                ("BT-108", "ChargeTotalAmount"),
                ("BT-109", "TaxBasisTotalAmount"),
                ("BT-110", "TaxTotalAmount"),
                ("BT-112", "GrandTotalAmount"),
                ("BT-113", "TotalPrepaidAmount"),
                ("BT-114", "RoundingAmount"),
                ("BT-115", "DuePayableAmount"),
            )
        ),
        ("BR-FR-DEC-01_BT-116", "BT-116", _at(f"{_SUBTOTAL}/ram:BasisAmount")),
        ("BR-FR-DEC-01_BT-117", "BT-117", _at(f"{_SUBTOTAL}/ram:CalculatedAmount")),
        ("BR-FR-DEC-01_BT-131", "BT-131", _at(f"{_LINE_SETTLEMENT}/{_LINE_TOTAL}")),
        (
            "BR-FR-DEC-01_BT-136_BT-141",
            "BT-136 BT-141",
            _at(f"{_LINE_SETTLEMENT}/{_ADJUSTMENT}/ram:ActualAmount"),
        ),
        (
            "BR-FR-DEC-01_BT-137_BT-142",
            "BT-137 BT-142",
            _at(f"{_LINE_SETTLEMENT}/{_ADJUSTMENT}/ram:BasisAmount"),
        ),
    ],
    has_form(forms.is_amount),
    "{terms} is a number of at most 19 digits, two of them decimals",
)

_AGREED = f"{LINE}/ram:SpecifiedLineTradeAgreement"
_GROSS = f"{_AGREED}/ram:GrossPriceProductTradePrice"
tabled(
    br_fr_cii,
    [
        ("BR-FR-DEC-02_BT-129", "BT-129", _at(f"{_LINE_DELIVERY}/ram:BilledQuantity")),
        (
            "BR-FR-DEC-02_BT-149",
            "BT-149",
            _at(f"{_AGREED}/ram:NetPriceProductTradePrice/ram:BasisQuantity"),
        ),
    ],
    has_form(forms.is_quantity),
    "{terms} is a number of at most 19 digits, four of them decimals",
)


def _is_price(price: Node, view: View) -> Values | None:
    signed = joint_cii.is_of(view, codes.BOTH_SIDES)
    return None if forms.is_price(price.text, signed=signed) else {"text": price.text[:80]}


tabled(
    br_fr_cii,
    [
        (
            "BR-FR-DEC-03_BT-146",
            "BT-146",
            _at(f"{_AGREED}/ram:NetPriceProductTradePrice/ram:ChargeAmount"),
        ),
        (
            "BR-FR-DEC-03_BT-147",
            "BT-147",
            _at(f"{_GROSS}/ram:AppliedTradeAllowanceCharge/ram:ActualAmount"),
        ),
        ("BR-FR-DEC-03_BT-148", "BT-148", _at(f"{_GROSS}/ram:ChargeAmount")),
    ],
    _is_price,
    "{terms} is a number without sign of at most 19 digits, six of them decimals",
)
tabled(
    br_fr_cii,
    [(f"BR-FR-DEC-04_{name}", term, _at(f"{path}/{_RATE}")) for name, term, path in _RATED],
    has_form(forms.is_percent),
    "A VAT rate ({terms}) has at most four digits, two of them decimals",
)

unfired(br_fr_cii, DOCUMENT, [
    ("BR-FR-DEC-01_BT-111", "BT-111", "The VAT in accounting currency (BT-111) has two decimals"),
])  # fmt: skip

BR_FR_CII = Book.of(Layer.BR_FR_CII, "1.4.0.04", [br_fr_cii, joint_cii.joint])
