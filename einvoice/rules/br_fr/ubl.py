"""BR-FR-UBL: the rules of BR-FR 1.4.0.04 for invoices and credit notes in UBL.

Officially each rule is a pattern of its own. Rows of one table are contexts of one pattern here as
there: where two match one element, the earlier one alone is run.
"""

from __future__ import annotations

from functools import partial

from einvoice.rules.book import BROKEN, Book, Chapter, Check, Context, Kind, Pattern, Values
from einvoice.rules.br_fr import codes, forms, joint_ubl
from einvoice.rules.br_fr.checks import (
    has_form,
    has_form_at,
    has_scheme,
    if_filled,
    is_filled_at,
    is_none_of,
    is_one_of,
    of_scheme,
    schemes_are_given,
    schemes_differ,
    siret_is_of_siren,
    tabled,
    terms,
)
from einvoice.rules.cii_paths import single_text
from einvoice.rules.layers import Layer
from einvoice.rules.national.parties_ubl import BUYER_PARTY, SELLER_PARTY
from einvoice.rules.node import Node
from einvoice.rules.tables import unfired
from einvoice.rules.values import normalized, parse_double
from einvoice.rules.view import View

br_fr_ubl = Chapter(Layer.BR_FR_UBL)

DOCUMENTS = ("/ubl:Invoice", "/cn:CreditNote")
DOCUMENT: Context = Pattern().context(*DOCUMENTS)
CREDIT_NOTE: Context = Pattern().context("/cn:CreditNote")

_NUMBER = "cac:PartyIdentification/cbc:ID"
_LEGAL = "cac:PartyLegalEntity/cbc:CompanyID"
_PRECEDING = "cac:BillingReference/cac:InvoiceDocumentReference"
_TYPES = ("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode")
_PROCESS = "cbc:ProfileID"

# The parties of a document that have identifiers or an address, by the term of their identifiers
# and of their electronic address.
_PARTIES: tuple[tuple[str, str, str], ...] = (
    ("BT-29", "BT-34", SELLER_PARTY),
    ("BT-46", "BT-49", BUYER_PARTY),
    ("BT-60", "EXT-FR-FE-29", "cac:PayeeParty"),
    ("EXT-FR-FE-06", "EXT-FR-FE-12", f"{BUYER_PARTY}/cac:AgentParty"),
    ("EXT-FR-FE-46", "EXT-FR-FE-52", "cac:PaymentMeans/cac:PaymentMandate/cac:PayerParty"),
    ("EXT-FR-FE-69", "EXT-FR-FE-75", f"{SELLER_PARTY}/cac:AgentParty"),
    ("EXT-FR-FE-92", "EXT-FR-FE-98", f"{BUYER_PARTY}/cac:ServiceProviderParty/cac:Party"),
    ("EXT-FR-FE-115", "EXT-FR-FE-121", f"{SELLER_PARTY}/cac:ServiceProviderParty/cac:Party"),
)


def _below(path: str) -> tuple[str, ...]:
    """The path below both document elements."""
    return tuple(f"{document}/{path}" for document in DOCUMENTS)


def _in_lines(path: str) -> tuple[str, ...]:
    return f"/ubl:Invoice/cac:InvoiceLine/{path}", f"/cn:CreditNote/cac:CreditNoteLine/{path}"


# -- numbers of invoices, dates, types -------------------------------------------------------------

_IDS = (("BT-1", _below("cbc:ID")), ("BT-25", _below(f"{_PRECEDING}/cbc:ID")))
tabled(
    br_fr_ubl,
    [
        *((f"BR-FR-01_{term}-1", term, paths) for term, paths in _IDS),
        (
            "BR-FR-01_EXT-FR-FE-136-1",
            "",
            _in_lines("cac:BillingReference/cac:DocumentReference/cbc:ID"),
        ),
    ],
    has_form(forms.at_most(35)),
    "The number of an invoice has at most 35 characters",
)
tabled(
    br_fr_ubl,
    [
        *((f"BR-FR-01_{term}-2", term, paths) for term, paths in _IDS),
        (
            "BR-FR-01_EXT-FR-FE-136-2",
            "",
            _in_lines("cac:BillingReference/cac:DocumentReference/cbc:ID"),
        ),
    ],
    has_form(forms.is_id),
    "The number of an invoice has letters, digits and + - _ / only",
)
tabled(
    br_fr_ubl,
    [
        *((f"BR-FR-02_{term}", term, paths) for term, paths in _IDS),
        ("BR-FR-02_EXT-FR-FE-136", "", _in_lines("cac:DocumentReference/cbc:ID")),
    ],
    has_form(forms.is_id), "The number of an invoice has letters, digits and + - _ / only",
)  # fmt: skip
tabled(
    br_fr_ubl,
    [
        ("BR-FR-03_BT-2", "BT-2", _below("cbc:IssueDate")),
        ("BR-FR-03_BT-7", "BT-7", _below("cbc:TaxPointDate")),
        ("BR-FR-03_BT-9", "BT-9", _below("cbc:DueDate")),
        ("BR-FR-03_BT-26", "BT-26", _below(f"{_PRECEDING}/cbc:IssueDate")),
        ("BR-FR-03_BT-72", "BT-72", _below("cac:Delivery/cbc:ActualDeliveryDate")),
        ("BR-FR-03_BT-73", "BT-73", _below("cac:InvoicePeriod/cbc:StartDate")),
        ("BR-FR-03_BT-74", "BT-74", _below("cac:InvoicePeriod/cbc:EndDate")),
        ("BR-FR-03_EXT-FR-FE-138", "", _in_lines("cac:DocumentReference/cbc:IssueDate")),
        ("BR-FR-03_EXT-FR-FE-158", "", _in_lines("cac:Delivery/cbc:ActualDeliveryDate")),
        ("BR-FR-03_BT-134", "BT-134", _in_lines("cac:InvoicePeriod/cbc:StartDate")),
        ("BR-FR-03_BT-135", "BT-135", _in_lines("cac:InvoicePeriod/cbc:EndDate")),
    ],
    has_form(forms.is_day), "A date is a day of the years 2000 to 2099, written YYYY-MM-DD",
)  # fmt: skip
tabled(
    br_fr_ubl,
    [
        (
            "BR-FR-04_BT-3",
            "BT-3",
            ("/ubl:Invoice/cbc:InvoiceTypeCode", "/cn:CreditNote/cbc:CreditNoteTypeCode"),
        ),
        ("BR-FR-04_EXT-FR-FE-02", "", _below(f"{_PRECEDING}/cbc:DocumentTypeCode")),
        ("BR-FR-04_EXT-FR-FE-137", "", _in_lines(f"{_PRECEDING}/cbc:DocumentTypeCode")),
    ],
    has_form(codes.TYPES.__contains__),
    f"The type of an invoice is one of {', '.join(sorted(codes.TYPES))}",
    Kind.CODE_LIST,
)


# -- notes -----------------------------------------------------------------------------------------


def _notes(document: Node) -> str:
    """All notes (BT-22) as one text; the subject (BT-21) stands in it between #marks#."""
    return "".join(document.texts("cbc:Note"))


def _has_note(subject: str) -> Check:
    def check(document: Node, _: View) -> Values | None:
        return None if f"#{subject}#" in _notes(document) else {"code": subject}

    return check


def _has_note_once(subject: str) -> Check:
    def check(document: Node, _: View) -> Values | None:
        count = _notes(document).count(f"#{subject}#")
        return None if count <= 1 else {"count": count}

    return check


for _number, _subject in enumerate((*codes.MANDATORY_NOTES, codes.TAXES), 1):
    if _subject in codes.MANDATORY_NOTES:
        br_fr_ubl.add(
            f"BR-FR-05_BT-22-{_number}", "BT-22", DOCUMENT, _has_note(_subject),
            f"A note (BT-22) has the subject {_subject}", kind=Kind.PRESENCE,
        )  # fmt: skip
    br_fr_ubl.add(
        f"BR-FR-06_BT-21-{_number}", "BT-21", DOCUMENT, _has_note_once(_subject),
        f"At most one note has the subject {_subject} (BT-21)", kind=Kind.CARDINALITY,
    )  # fmt: skip


def _treatment(document: Node) -> str:
    """How the invoice is treated, as a note of the subject BAR says; "" if none does."""
    return forms.treatment_in(_notes(document), codes.TREATMENT)


# Officially this rule does not know B2CINT, which that of CII does.
_KNOWN = frozenset(codes.TREATMENTS) - {"B2CINT"}


@br_fr_ubl.rule("BR-FR-20_BT-21", "BT-21 BT-22", at=DOCUMENT, kind=Kind.CODE_LIST, path="cbc:Note")
def treatment_is_known(document: Node, _: View) -> Values | None:
    """A note of the subject BAR is B2B, B2BINT, B2C, OUTOFSCOPE or ARCHIVEONLY."""
    found = _treatment(document)
    return None if not found or found in _KNOWN else {"code": found[:80]}


@br_fr_ubl.rule("BR-FR-30_BT-21", "BT-21 BT-22", at=DOCUMENT, kind=Kind.CARDINALITY,
                path="cbc:Note")  # fmt: skip
def one_treatment(document: Node, _: View) -> Values | None:
    """The notes of the subject BAR name at most one treatment."""
    marked = (text for text in document.texts("cbc:Note") if f"#{codes.TREATMENT}#" in text)
    notes = "".join(marked) + "#"
    count = sum(notes.count(f"{codes.TREATMENT}#{each}#") for each in codes.TREATMENTS)
    return None if count <= 1 else {"count": count}


# -- process, parties ------------------------------------------------------------------------------

br_fr_ubl.add(
    "BR-FR-08_BT-23", "BT-23", DOCUMENT, is_one_of(_PROCESS, codes.PROCESSES, needed=True),
    f"The business process (BT-23) is one of {', '.join(sorted(codes.PROCESSES))}",
    kind=Kind.CODE_LIST, parameters={"path": _PROCESS},
)  # fmt: skip


_WORDS = "A SIRET ({terms}) has 14 digits and begins with the SIREN of the party"
_identified = Pattern()
for _term, _, _path in _PARTIES:
    br_fr_ubl.add(
        f"BR-FR-09_{_term}", terms(_term), _identified.context(*_below(_path)),
        siret_is_of_siren(_NUMBER, _LEGAL, needed=_term in ("BT-29", "BT-46")),
        _WORDS.format(terms=_term), kind=Kind.FORMAT,
    )  # fmt: skip
br_fr_ubl.add(
    "BR-FR-09_BT-71", "BT-71", _identified.context(*_below("cac:Delivery")),
    siret_is_of_siren(
        "cac:DeliveryLocation/cbc:ID", f"cac:DeliveryParty/{_LEGAL}", needed=False
    ),
    _WORDS.format(terms="BT-71"), kind=Kind.FORMAT,
)  # fmt: skip


def _has_siren(party: Node) -> bool:
    """Whether a legal registration is a SIREN. Raises MoreThanOneItem."""
    return forms.is_siren(single_text(of_scheme(party, "cbc:CompanyID", codes.SIREN)))


@br_fr_ubl.rule("BR-FR-10_BT-30", "BT-30", kind=Kind.PRESENCE, path="cbc:CompanyID",
                at=Pattern().context(f"{SELLER_PARTY}/cac:PartyLegalEntity"))  # fmt: skip
def seller_has_a_siren(entity: Node, _: View) -> Values | None:
    """The seller has a SIREN of nine digits (BT-30, scheme 0002)."""
    return None if _has_siren(entity) else BROKEN


@br_fr_ubl.rule("BR-FR-11_BT-47", "BT-47", at=DOCUMENT, kind=Kind.PRESENCE,
                path=f"{BUYER_PARTY}/{_LEGAL}")  # fmt: skip
def french_buyer_has_a_siren(document: Node, _: View) -> Values | None:
    """The buyer of an invoice between companies (note BAR: B2B) has a SIREN (BT-47)."""
    if _treatment(document) != codes.B2B:
        return None
    siren = single_text(of_scheme(document, f"{BUYER_PARTY}/{_LEGAL}", codes.SIREN))
    return None if forms.is_siren(siren) else BROKEN


for _rule, _term, _party in (
    ("BR-FR-12_BT-49", "BT-49", BUYER_PARTY), ("BR-FR-13_BT-34", "BT-34", SELLER_PARTY),
):  # fmt: skip
    _path = f"{_party}/cbc:EndpointID"
    br_fr_ubl.add(
        _rule, _term, DOCUMENT, is_filled_at(_path), f"{_term} is given",
        kind=Kind.PRESENCE, parameters={"path": _path},
    )  # fmt: skip


def _is_addressed_by_siren(document: Node, party: str) -> bool:
    """Whether the address of a party is of the directory (0225) and begins with its SIREN."""
    address = document.text_of(f"{party}/cbc:EndpointID")
    siren = single_text(of_scheme(document, f"{party}/{_LEGAL}", codes.SIREN))
    schemes = document.attributes_at(f"{party}/cbc:EndpointID", "schemeID")
    return address.startswith(siren) and codes.DIRECTORY in schemes


def _types(document: Node) -> list[str]:
    return [text for path in _TYPES for text in document.texts(path)]


def _is_self_billed(document: Node) -> bool:
    return any(each in codes.SELF_BILLED for each in _types(document))


@br_fr_ubl.rule("BR-FR-21_BT-49", "BT-49", at=DOCUMENT, path=f"{BUYER_PARTY}/cbc:EndpointID")
def buyer_is_addressed_by_its_siren(document: Node, _: View) -> Values | None:
    """The address of a French buyer (BT-49) is of the scheme 0225 and begins with its SIREN."""
    if _treatment(document) != codes.B2B or _is_self_billed(document):
        return None
    return None if _is_addressed_by_siren(document, BUYER_PARTY) else BROKEN


@br_fr_ubl.rule("BR-FR-22_BT-34", "BT-34", at=DOCUMENT, path=f"{SELLER_PARTY}/cbc:EndpointID")
def seller_is_addressed_by_its_siren(document: Node, _: View) -> Values | None:
    """Of a self-billed invoice, the seller's address (BT-34) begins with its SIREN (0225)."""
    if not _treatment(document) or not _is_self_billed(document):
        return None
    return None if _is_addressed_by_siren(document, SELLER_PARTY) else BROKEN


_ADDRESSES = [(term, _below(f"{path}/cbc:EndpointID")) for _, term, path in _PARTIES]
_PRIVATE = [
    ("BT-29", _below(f"{SELLER_PARTY}/{_NUMBER}")),
    ("BT-46", _below(f"{BUYER_PARTY}/{_NUMBER}")),
]
tabled(
    br_fr_ubl,
    [(f"BR-FR-23_{term}", terms(term), paths) for term, paths in _ADDRESSES],
    has_form(forms.is_address),
    "An address of the directory (0225) has letters, digits and + - _ . only",
    scheme=codes.DIRECTORY,
)
tabled(
    br_fr_ubl,
    [(f"BR-FR-24_{term}", term, paths) for term, paths in _PRIVATE],
    has_form(forms.is_address), "A private identifier (0224) has letters, digits and + - _ . only",
    scheme=codes.PRIVATE,
)  # fmt: skip
tabled(
    br_fr_ubl,
    [(f"BR-FR-25_{term}", terms(term), paths) for term, paths in _ADDRESSES],
    has_form(forms.at_most(125)), "An electronic address has at most 125 characters",
)  # fmt: skip
tabled(
    br_fr_ubl,
    [(f"BR-FR-26_{term}", term, paths) for term, paths in _PRIVATE],
    has_form(forms.at_most(100)), "A private identifier (0224) has at most 100 characters",
    scheme=codes.PRIVATE,
)  # fmt: skip

_numbers = Pattern()
_LEGAL_NUMBER = _numbers.context(_LEGAL, when=partial(has_scheme, codes.SIREN))


def _is_of_company(number: Node, _: View) -> bool:
    return number.attributes.get("schemeID") in (codes.SIREN, codes.SINGLE_TAXPAYER)


for _rule, _at in (
    ("BR-FR-32-LEGALID", _LEGAL_NUMBER),
    ("BR-FR-32-ID", _numbers.context(_NUMBER, when=_is_of_company)),
):
    br_fr_ubl.add(
        _rule, "BT-29 BT-30 BT-46 BT-47", _at, has_form(forms.is_siren), "A SIREN has nine digits",
        kind=Kind.FORMAT,
    )  # fmt: skip


_schemed = Pattern()
for _term, _at, _path in (
    *((term, _schemed.context(path), _NUMBER) for term, _, path in _PARTIES),
    ("BT-71", _schemed.context(*_below("cac:Delivery/cac:DeliveryLocation")), "cbc:ID"),
    ("EXT-FR-FE-146", _schemed.context(*_in_lines("cac:Delivery/cac:DeliveryLocation")), "cbc:ID"),
):
    br_fr_ubl.add(
        f"BR-FR-CO-10_{_term}-1", terms(_term), _at, schemes_are_given(_path),
        f"Every identifier ({_term}) names its scheme", kind=Kind.PRESENCE,
        parameters={"path": f"{_path}/@schemeID"},
    )  # fmt: skip
    br_fr_ubl.add(
        f"BR-FR-CO-10_{_term}-2", terms(_term), _at, schemes_differ(_path),
        f"A party has one identifier ({_term}) of each scheme", kind=Kind.CARDINALITY,
        parameters={"path": f"{_path}/@schemeID"},
    )  # fmt: skip


def _is_of_single_taxpayer(document: Node) -> bool:
    return bool(of_scheme(document, f"{SELLER_PARTY}/{_NUMBER}", codes.SINGLE_TAXPAYER))


@br_fr_ubl.rule("BR-FR-CO-14_BT-29-1", "BT-29 BT-22", at=DOCUMENT, kind=Kind.PRESENCE,
                path="cbc:Note")  # fmt: skip
def member_says_so(document: Node, _: View) -> Values | None:
    """A seller within a single taxpayer (0231) says so: note TXD, MEMBRE_ASSUJETTI_UNIQUE."""
    if not _is_of_single_taxpayer(document):
        return None
    found = forms.treatment_in(_notes(document), codes.TAXES)
    return None if found == codes.MEMBER_OF_SINGLE_TAXPAYER else {"text": found[:80]}


_FISCAL = "cac:TaxRepresentativeParty/cac:PartyTaxScheme/cbc:CompanyID"


@br_fr_ubl.rule("BR-FR-CO-15_BT-29-1", "BT-29 BT-63", at=DOCUMENT, kind=Kind.PRESENCE, path=_FISCAL)
def member_names_the_taxpayer(document: Node, _: View) -> Values | None:
    """A seller within a single taxpayer (0231) gives the VAT number of that one (BT-63)."""
    given = not _is_of_single_taxpayer(document) or document.text_of(_FISCAL)
    return None if given else BROKEN


# -- VAT -------------------------------------------------------------------------------------------

_ADJUSTED, _SUBTOTAL = (
    "cac:AllowanceCharge/cac:TaxCategory",
    "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory",
)
_ITEM = "cac:Item/cac:ClassifiedTaxCategory"
_categories, _rates = Pattern(), Pattern()
for _rule, _foreign, _term, _path in (
    ("BR-FR-15_BT-95_BT-102-1", "BR-FR-15_BT-95_BT-102-2", "BT-95 BT-102", _ADJUSTED),
    ("BR-FR-15_BT-118-1", "BR-FR-15_BT-118-2", "BT-118", _SUBTOTAL),
    ("BR-FR-15_BT-151-1", "BR-FR-08_BT-151-2", "BT-151", _ITEM),
):
    _at = _categories.context(_path)
    br_fr_ubl.add(
        _rule, _term, _at, is_one_of("cbc:ID", codes.CATEGORIES),
        f"A VAT category ({_term}) is S, E, AE, K, G, O or Z", kind=Kind.CODE_LIST,
        parameters={"path": "cbc:ID"},
    )  # fmt: skip
    br_fr_ubl.add(
        _foreign, _term, _at, is_none_of("cbc:ID", codes.ELSEWHERE),
        f"A VAT category ({_term}) is not L or M, which are Spanish", kind=Kind.CODE_LIST,
        parameters={"path": "cbc:ID"},
    )  # fmt: skip
for _rule, _term, _path in (
    ("BR-FR-16_BT-96", "BT-96 BT-103", _ADJUSTED),
    ("BR-FR-16_BT-119", "BT-119", _SUBTOTAL),
    ("BR-FR-16_BT-152", "BT-152", f"cac:InvoiceLine/{_ITEM}"),
):
    br_fr_ubl.add(
        _rule, _term, _rates.context(_path), has_form_at("cbc:Percent", forms.RATES.__contains__),
        f"A VAT rate ({_term}) is one that France has or had", kind=Kind.CODE_LIST,
        parameters={"path": "cbc:Percent"},
    )  # fmt: skip


@br_fr_ubl.rule("BR-FR-CO-12_BT-5", "BT-5 BT-6 BT-111", at=DOCUMENT, path="cbc:TaxCurrencyCode")
def vat_is_in_euro_too(document: Node, _: View) -> Values | None:
    """An invoice in another currency gives its VAT in euro too (BT-6, BT-111)."""
    currencies = document.texts("cbc:DocumentCurrencyCode")
    if all(each == "EUR" for each in currencies):
        return None
    totals = [
        each for each in document.all("cac:TaxTotal/cbc:TaxAmount")
        if each.attributes.get("currencyID") == "EUR"
    ]  # fmt: skip
    in_euro = "EUR" in document.texts("cbc:TaxCurrencyCode") and single_text(totals)
    return None if in_euro else {"currency": currencies[0]}


# -- attachments, items, objects -------------------------------------------------------------------

_DOCUMENT_REFERENCE = "cac:AdditionalDocumentReference"
br_fr_ubl.add(
    "BR-FR-17_BT-123", "BT-123", Pattern().context(_DOCUMENT_REFERENCE),
    is_one_of("cbc:DocumentDescription", codes.ATTACHMENTS),
    f"The description of an attachment (BT-123) is one of {', '.join(sorted(codes.ATTACHMENTS))}",
    kind=Kind.CODE_LIST, parameters={"path": "cbc:DocumentDescription"},
)  # fmt: skip


@br_fr_ubl.rule("BR-FR-18_BT-123", "BT-123", at=DOCUMENT, kind=Kind.CARDINALITY,
                path=f"{_DOCUMENT_REFERENCE}/cbc:DocumentDescription")  # fmt: skip
def one_attachment_is_readable(document: Node, _: View) -> Values | None:
    """At most one attachment (BT-123) is the invoice as people read it (LISIBLE)."""
    references = document.all(_DOCUMENT_REFERENCE)
    count = sum(codes.READABLE in each.texts("cbc:DocumentDescription") for each in references)
    return None if count <= 1 else {"count": count}


_PROPERTY = "cac:Item/cac:AdditionalItemProperty"
_properties = Pattern()


@br_fr_ubl.rule("BR-FR-27_BG-32", "BG-32", at=_properties.context(*_below(_PROPERTY)),
                kind=Kind.PRESENCE)  # fmt: skip
def attribute_is_named(attribute: Node, _: View) -> Values | None:
    """An item attribute (BG-32) has a name (BT-160) or a code."""
    return None if attribute.has("cbc:Name") or attribute.has("cbc:NameCode") else BROKEN


for _rule, _term, _path in (
    ("BR-FR-27_BT-160", "BT-160", "cbc:Name"), ("BR-FR-27_EXT-FR-FE-159", "", "cbc:NameCode"),
):  # fmt: skip
    br_fr_ubl.add(
        _rule, _term, _properties.context(*_below(f"{_PROPERTY}/{_path}")),
        has_form(forms.is_filled), "The name or code of an item attribute is not empty",
        kind=Kind.PRESENCE,
    )  # fmt: skip


@br_fr_ubl.rule("BR-FR-28-Value", "BT-161", at=Pattern().context(*_in_lines(_PROPERTY)),
                path="cbc:Value")  # fmt: skip
def attribute_has_one_value(attribute: Node, _: View) -> Values | None:
    """An item attribute has a value (BT-161), or a quantity with its unit, and not both."""
    quantities = attribute.all("cbc:ValueQuantity")
    if attribute.has("cbc:Value"):
        return BROKEN if quantities else None
    return None if any(each.attributes.get("unitCode") for each in quantities) else BROKEN


def _one_of_each_scheme(reference: Node, _: View) -> Values | None:
    for scheme in (codes.FINAL_INVOICE, codes.PROCESS_OF_LINE):
        count = len(of_scheme(reference, "cbc:ID", scheme))
        if count > 1:
            return {"count": count}
    return None


for _rule, _term, _paths, _each in (
    ("BR-FR-29", "BT-18", _below(_DOCUMENT_REFERENCE), _below(f"{_DOCUMENT_REFERENCE}/cbc:ID")),
    (
        "BR-FR-30",
        "BT-128",
        _in_lines("cac:DocumentReference"),
        _in_lines("cac:DocumentReference/cbc:ID"),
    ),
):
    _objects = Pattern()
    br_fr_ubl.add(
        f"{_rule}_{_term}", _term, _objects.context(*_paths), _one_of_each_scheme,
        f"An invoiced object ({_term}) of the scheme AFL or AVV is given once",
        kind=Kind.CARDINALITY, parameters={"path": "cbc:ID"},
    )  # fmt: skip
    for _kind in (codes.FINAL_INVOICE, codes.PROCESS_OF_LINE):
        br_fr_ubl.add(
            f"{_rule}_{_kind}",
            _term,
            _objects.context(*_each, when=partial(has_scheme, _kind)),
            has_form(forms.is_filled),
            f"An invoiced object ({_term}) of the scheme {_kind} is not empty",
            kind=Kind.PRESENCE,
        )


# -- one field and another -------------------------------------------------------------------------


@br_fr_ubl.rule("BR-FR-CO-03_BT-3", "BT-3 BT-12 BT-73 BT-74", at=CREDIT_NOTE, kind=Kind.PRESENCE)
def rebate_has_contract_and_period(document: Node, _: View) -> Values | None:
    """A global rebate (262) names the contract (BT-12) and its period (BT-73, BT-74)."""
    if codes.GLOBAL_REBATE not in document.texts("cbc:CreditNoteTypeCode"):
        return None
    needed = (
        "cac:ContractDocumentReference/cbc:ID",
        "cac:InvoicePeriod/cbc:StartDate",
        "cac:InvoicePeriod/cbc:EndDate",
    )
    return None if all(document.text_of(path) for path in needed) else BROKEN


@br_fr_ubl.rule("BR-FR-CO-04_BT-3", "BT-3 BG-3", at=DOCUMENT, kind=Kind.CARDINALITY,
                path="cac:BillingReference")  # fmt: skip
def correction_names_one_invoice(document: Node, _: View) -> Values | None:
    """A corrective invoice (384, 471, 472, 473) refers to exactly one invoice (BG-3)."""
    if not any(each in codes.CORRECTIVE for each in document.texts("cbc:InvoiceTypeCode")):
        return None
    count = len(document.all("cac:BillingReference"))
    return None if count == 1 else {"count": count}


@br_fr_ubl.rule(
    "BR-FR-CO-05_BT-3", "BT-3 BG-3", at=CREDIT_NOTE, kind=Kind.PRESENCE, path=_PRECEDING
)
def credit_names_invoices(document: Node, _: View) -> Values | None:
    """A credit note refers to an invoice with its date (BG-3), as a whole or with every line."""
    if not any(each in codes.CREDIT_NOTES for each in document.texts("cbc:CreditNoteTypeCode")):
        return None
    if any(_is_dated(each) for each in document.all(_PRECEDING)):
        return None
    lines = [
        each for each in document.all("cac:CreditNoteLine")
        if joint_ubl.counts_as_detail(each, document)
    ]  # fmt: skip
    return None if all(_names_an_invoice(each, document) for each in lines) else BROKEN


def _is_dated(reference: Node) -> bool:
    return reference.has("cbc:ID") and reference.has("cbc:IssueDate")


def _names_an_invoice(line: Node, document: Node) -> bool:
    """Whether a line refers to another invoice, with its date."""
    own = document.texts("cbc:ID")
    return any(
        _is_dated(reference)
        for group in line.all("cac:BillingReference")
        if any(
            text != number
            for text in group.texts("cac:InvoiceDocumentReference/cbc:ID")
            for number in own
        )
        for reference in group.all("cac:InvoiceDocumentReference")
    )


def _is_of(document: Node, processes: frozenset[str]) -> bool:
    return any(each in processes for each in document.texts(_PROCESS))


def _due_dates(document: Node) -> list[Node]:
    return [*document.all("cbc:DueDate"), *document.all("cac:PaymentMeans/cbc:PaymentDueDate")]


@br_fr_ubl.rule("BR-FR-CO-07_BT-9", "BT-9 BT-2", at=DOCUMENT, path="cbc:DueDate")
def due_after_issue(document: Node, _: View) -> Values | None:
    """The due date (BT-9) is not before the issue date (BT-2), unless it is paid already."""
    if any(each in codes.ADVANCE for each in _types(document)) or _is_of(document, codes.PAID):
        return None
    issued = document.texts("cbc:IssueDate")
    early = [due.text for due in _due_dates(document) if any(due.text < day for day in issued)]
    return {"text": early[0][:80]} if early else None


@br_fr_ubl.rule("BR-FR-CO-08_BT-23", "BT-23 BT-3", at=DOCUMENT, path=_PROCESS)
def final_is_no_advance(document: Node, _: View) -> Values | None:
    """A final invoice after advances (B4, S4, M4) is not itself one of an advance (BT-3)."""
    advance = any(each in codes.ADVANCE for each in _types(document))
    return BROKEN if _is_of(document, codes.FINAL) and advance else None


_TOTALS = "cac:LegalMonetaryTotal"


def _total(document: Node, path: str) -> float | None:
    """number() of the one element; None if there is none, or no number. Raises MoreThanOneItem."""
    return parse_double(document.text_of(path))


@br_fr_ubl.rule("BR-FR-CO-09_BT-23-1", "BT-113 BT-112 BT-23", at=DOCUMENT, kind=Kind.SUM,
                path=f"{_TOTALS}/cbc:PrepaidAmount")  # fmt: skip
def paid_in_full(document: Node, _: View) -> Values | None:
    """Of an invoice that is paid (B2, S2, M2), the paid amount (BT-113) is the total (BT-112)."""
    if not _is_of(document, codes.PAID):
        return None
    paid = _total(document, f"{_TOTALS}/cbc:PrepaidAmount")
    total = _total(document, f"{_TOTALS}/cbc:TaxInclusiveAmount")
    return None if paid is not None and paid == total else BROKEN


@br_fr_ubl.rule("BR-FR-CO-09_BT-23-2", "BT-115 BT-23", at=DOCUMENT, kind=Kind.SUM,
                path=f"{_TOTALS}/cbc:PayableAmount")  # fmt: skip
def nothing_is_due(document: Node, _: View) -> Values | None:
    """Of an invoice that is paid (B2, S2, M2), the amount due (BT-115) is 0."""
    if not _is_of(document, codes.PAID):
        return None
    return None if _total(document, f"{_TOTALS}/cbc:PayableAmount") == 0 else BROKEN


@br_fr_ubl.rule("BR-FR-CO-09_BT-23-3", "BT-9 BT-23", at=DOCUMENT, kind=Kind.PRESENCE,
                path="cbc:DueDate")  # fmt: skip
def says_when_it_was_paid(document: Node, _: View) -> Values | None:
    """An invoice that is paid (B2, S2, M2) gives the day of payment as due date (BT-9)."""
    if not _is_of(document, codes.PAID):
        return None
    return None if single_text(_due_dates(document)) else BROKEN


# -- decimals --------------------------------------------------------------------------------------

_ADJUSTMENT = "cac:AllowanceCharge"
tabled(
    br_fr_ubl,
    [
        ("BR-FR-DEC-01_BT-93_BT-100", "BT-93 BT-100", _below(f"{_ADJUSTMENT}/cbc:BaseAmount")),
        ("BR-FR-DEC-01_BT-92_BT-99", "BT-92 BT-99", _below(f"{_ADJUSTMENT}/cbc:Amount")),
        ("BR-FR-DEC-01_BT-106", "BT-106", (f"{_TOTALS}/cbc:LineExtensionAmount",)),
        ("BR-FR-DEC-01_BT-107", "BT-107", (f"{_TOTALS}/cbc:AllowanceTotalAmount",)),
        ("BR-FR-DEC-01_BT-108", "BT-108", (f"{_TOTALS}/cbc:ChargeTotalAmount",)),
        ("BR-FR-DEC-01_BT-109", "BT-109", (f"{_TOTALS}/cbc:TaxExclusiveAmount",)),
        ("BR-FR-DEC-01_BT-110", "BT-110 BT-111", ("cac:TaxTotal/cbc:TaxAmount",)),
        ("BR-FR-DEC-01_BT-112", "BT-112", (f"{_TOTALS}/cbc:TaxInclusiveAmount",)),
        ("BR-FR-DEC-01_BT-113", "BT-113", (f"{_TOTALS}/cbc:PrepaidAmount",)),
        ("BR-FR-DEC-01_BT-114", "BT-114", (f"{_TOTALS}/cbc:PayableRoundingAmount",)),
        ("BR-FR-DEC-01_BT-115", "BT-115", (f"{_TOTALS}/cbc:PayableAmount",)),
        ("BR-FR-DEC-01_BT-116", "BT-116", ("cac:TaxTotal/cac:TaxSubtotal/cbc:TaxableAmount",)),
        ("BR-FR-DEC-01_BT-117", "BT-117", ("cac:TaxTotal/cac:TaxSubtotal/cbc:TaxAmount",)),
        ("BR-FR-DEC-01_BT-131", "BT-131", _in_lines("cbc:LineExtensionAmount")),
        ("BR-FR-DEC-01_BT-136_BT-141", "BT-136 BT-141", _in_lines(f"{_ADJUSTMENT}/cbc:Amount")),
        ("BR-FR-DEC-01_BT-137_BT-142", "BT-137 BT-142", _in_lines(f"{_ADJUSTMENT}/cbc:BaseAmount")),
    ],
    has_form(forms.is_amount), "{terms} is a number of at most 19 digits, two of them decimals",
)  # fmt: skip

_QUANTITIES = "{} is a number of at most 19 digits, four of them decimals"
br_fr_ubl.add(
    "BR-FR-DEC-02_BT-129", "BT-129",
    Pattern().context(
        "/ubl:Invoice/cac:InvoiceLine/cbc:InvoicedQuantity",
        "/cn:CreditNote/cac:CreditNoteLine/cbc:CreditedQuantity",
    ),
    has_form(forms.is_quantity), _QUANTITIES.format("BT-129"), kind=Kind.FORMAT,
)  # fmt: skip
LINE: Context = Pattern().context(
    "/ubl:Invoice/cac:InvoiceLine", "/cn:CreditNote/cac:CreditNoteLine"
)


br_fr_ubl.add(
    "BR-FR-DEC-02_BT-149",
    "BT-149",
    LINE,
    if_filled("cac:Price/cbc:BaseQuantity", forms.is_quantity),
    _QUANTITIES.format("BT-149"),
    kind=Kind.FORMAT,
    parameters={"path": "cac:Price/cbc:BaseQuantity"},
)


def _is_price(path: str) -> Check:
    """The check that a price has its form: below 0 only where both parties sell."""

    def check(node: Node, view: View) -> Values | None:
        text = normalized(node.text_of(path) if path else node.text)
        if path and not text:
            return None
        signed = joint_ubl.is_of(view, codes.BOTH_SIDES)
        return None if forms.is_price(text, signed=signed) else {"text": text[:80]}

    return check


_PRICE = "cac:Price/cac:AllowanceCharge"
for _rule, _term, _at, _path in (
    ("BR-FR-DEC-03_BT-146", "BT-146", LINE, "cac:Price/cbc:PriceAmount"),
    ("BR-FR-DEC-03_BT-147", "BT-147", Pattern().context(*_in_lines(_PRICE)), "cbc:Amount"),
    (
        "BR-FR-DEC-03_BT-148",
        "BT-148",
        Pattern().context(*_in_lines(f"{_PRICE}/cbc:BaseAmount")),
        "",
    ),
):
    br_fr_ubl.add(
        _rule, _term, _at, _is_price(_path),
        f"{_term} is a number without sign of at most 19 digits, six of them decimals",
        kind=Kind.FORMAT, parameters={"path": _path},
    )  # fmt: skip
tabled(
    br_fr_ubl,
    [
        ("BR-FR-DEC-04_BT-96_BT-103", "BT-96 BT-103", (f"{_ADJUSTED}/cbc:Percent",)),
        ("BR-FR-DEC-04_BT-119", "BT-119", (f"{_SUBTOTAL}/cbc:Percent",)),
        ("BR-FR-DEC-04_BT-152", "BT-152", (f"{_ITEM}/cbc:Percent",)),
    ],
    has_form(forms.is_percent),
    "A VAT rate ({terms}) has at most four digits, two of them decimals",
)

unfired(br_fr_ubl, DOCUMENT, [
    ("BR-FR-09_EXT-FR-FE-146", "", "A SIRET of the delivery of a line begins with its SIREN"),
    ("BR-FR-16_BT-103", "BT-103", "A VAT rate of a charge (BT-103) is one that France has or had"),
    ("BR-FR-DEC-01_BT-111", "BT-111", "The VAT in accounting currency (BT-111) has two decimals"),
])  # fmt: skip

BR_FR_UBL = Book.of(Layer.BR_FR_UBL, "1.4.0.04", [br_fr_ubl, joint_ubl.joint])
