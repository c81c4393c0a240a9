"""The rules of EN 16931 and of Peppol as PINT EU holds them, releases 1.0.1 and 1.1.1, in UBL.

Compared rule by rule with the published text. 1.1.1 is CEN_UBL 1.3.16 and PEPPOL_UBL 3.0.21 but for
code lists, some rules of parties (PEPPOL-COMMON-R054 to R057), and what names the specification;
1.0.1 is of an older release of both. German documents compare some codes as numbers officially.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from einvoice.rules.book import BROKEN, Book, Chapter, Check, Context, Flag, Kind, Pattern, Values
from einvoice.rules.cius_ro.en16931 import seller_can_be_identified
from einvoice.rules.codelists import code_list
from einvoice.rules.en16931.ubl import CEN_UBL
from einvoice.rules.en16931.ubl import contexts as cen
from einvoice.rules.en16931.ubl.codes import exemption_code_in, party_id_scheme_in, type_code_in
from einvoice.rules.evaluation_errors import either
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import PEPPOL_UBL
from einvoice.rules.peppol.ubl import contexts as peppol
from einvoice.rules.pint import billing
from einvoice.rules.pint.base import pint_with_types
from einvoice.rules.pint.conditions import begins, payment_is_agreed, require, text_at
from einvoice.rules.pint.release_1_1_2 import CREDIT_NOTES, INVOICES, pint_1_1_2
from einvoice.rules.tables import absent, at_most_one, coded
from einvoice.rules.values import normalized
from einvoice.rules.view import View

RELEASE, FORMER = "1.1.1", "1.0.1"
_PARTIES = {
    "DE-R-T02",
    "DK-R-017",
    *(f"PEPPOL-COMMON-R{number}" for number in ("054", "055", "056-1", "056-2", "057")),
    *("PEPPOL-EN16931-R004", "PEPPOL-EN16931-R007"),
}
_LATER = {"UBL-SR-54", "UBL-SR-55", "UBL-SR-56"}
_FLAGS = {"DK-R-003": Flag.WARNING}
_S_OF = ("cac:AllowanceCharge/cac:TaxCategory/cbc:ID",)
_B_OF = (*_S_OF, "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory/cbc:ID")


class _Lists(NamedTuple):
    """The code lists that differ from those of EN 16931 and Peppol in a release."""

    amounts: str  # currencies of amounts, and of the document
    currencies: str
    of_peppol: str
    schemes: str


DUE: Context = Pattern().context("/ubl:Invoice/cac:LegalMonetaryTotal/cbc:PayableAmount")
DOCUMENT: Context = Pattern().context("/ubl:Invoice", "/cn:CreditNote")


def _of_cen(lists: _Lists) -> Chapter:
    """The rules that differ from EN 16931 in both releases."""
    own = Chapter(Layer.CEN_UBL)
    coded(own, cen.CODED_AMOUNT, "BR-CL-03", "BT-5", lists.amounts, "currencyID", required=True)
    coded(own, cen.CURRENCY, "BR-CL-04", "BT-5", lists.currencies)
    coded(own, cen.TAX_CURRENCY, "BR-CL-05", "BT-6", lists.currencies)
    return own


def _of_process_01(view: View) -> bool:
    """Whether the process names its number, as that of PINT never does, and it may be 01."""
    text = text_at(view.root, "cbc:ProfileID")
    _, found, rest = text.partition(f"{billing('eu').process}:")
    if not found or not rest[:2].isdecimal() or rest[2:6] != ":1.0":
        return False
    pieces = text.split(":")
    return len(pieces) < 7 or pieces[6] == "01"


def _of_peppol(lists: _Lists, *types: tuple[str, Context, str]) -> Chapter:
    """The rules that differ from Peppol's in a release; `types`: its rules on types."""
    own = Chapter(Layer.PEPPOL_UBL, gathers=("cbc:DueDate", "cac:PaymentTerms"))
    # Withdrawn from EN 16931, so they are rules of Peppol here.
    at_most_one(own, DOCUMENT, [
        ("BR-66", "BG-18", "cac:PaymentMeans/cac:CardAccount"),
        ("BR-67", "BG-19", "cac:PaymentMeans/cac:PaymentMandate"),
    ])  # fmt: skip
    require(own, DUE, [
        ("BR-CO-25", "BT-9 BT-20 BT-115", payment_is_agreed,
         "An amount that is due has a due date (BT-9) or payment terms (BT-20)"),
    ])  # fmt: skip
    own.add("PEPPOL-EN16931-CL007", "BT-5", peppol.CODED_AMOUNT,
            _attribute_in(lists.of_peppol, "currencyID", absent=""),
            "The currency of an amount is one of the Peppol list", kind=Kind.CODE_LIST,
            parameters={"list": lists.of_peppol, "path": "@currencyID"})  # fmt: skip
    own.add("PEPPOL-EN16931-CL008", "BT-34-1 BT-49-1", peppol.ENDPOINT_SCHEME,
            _attribute_in(lists.schemes, "schemeID", absent=None),
            "The scheme of an electronic address (BT-34-1, BT-49-1) is one of the Peppol list",
            kind=Kind.CODE_LIST,
            parameters={"list": lists.schemes, "path": "@schemeID"})  # fmt: skip
    require(own, DOCUMENT, [
        ("ALIGNED-IBRP-004-EU", "BT-24",
         begins("cbc:CustomizationID", billing("eu").customization),
         "The specification identifier (BT-24) is that of PINT EU"),
    ], kind=Kind.FORMAT)  # fmt: skip
    for rule, at, name in types:
        own.add(rule, "BT-3", at, _type_in(name), "The type (BT-3) is one that Peppol allows",
                kind=Kind.CODE_LIST, parameters={"list": name})  # fmt: skip
    return own


def _attribute_in(name: str, attribute: str, *, absent: str | None) -> Check:
    """The check that an attribute is a code of a list; `absent` is judged where there is none."""
    codes = code_list(name)

    def check(node: Node, _: View) -> Values | None:
        code = node.attributes.get(attribute, absent)
        return None if code is None or code in codes else {"code": code}

    return check


def _type_in(name: str) -> Check:
    def check(code: Node, view: View) -> Values | None:
        holds = either(
            lambda: not view.once(_of_process_01),
            lambda: normalized(view.text_node(code)) in code_list(name),
        )
        return None if holds else {"code": code.text, "list": name}

    return check


# -- 1.0.1 -----------------------------------------------------------------------------------------

_ICD, _EXEMPTIONS = "icd_pint_1_1", code_list("vatex_pint_eu_1_0")
_TYPES = (code_list("uncl1001_invoice_pint_eu_1_0"), code_list("uncl1001_creditnote_cius_ro"))
older = Chapter(Layer.CEN_UBL, gathers=("cac:ClassifiedTaxCategory",))
coded(older, cen.LEGAL_ID, "BR-CL-11", "BT-30 BT-47 BT-61", _ICD, "schemeID")
coded(older, cen.STANDARD_ID, "BR-CL-21", "BT-157", _ICD, "schemeID")
coded(older, cen.ENDPOINT, "BR-CL-25", "BT-34 BT-49", "eas_pint_eu_1_0_cen", "schemeID")
coded(older, cen.DELIVERY_LOCATION, "BR-CL-26", "BT-71", _ICD, "schemeID")


@older.rule("BR-CL-01", "BT-3", at=cen.TYPE_CODE, kind=Kind.CODE_LIST)
def type_code_is_a_code(code: Node, _: View) -> Values | None:
    """The type code (BT-3) is one of the list for invoices or for credit notes."""
    return type_code_in(code, *_TYPES)


@older.rule("BR-CL-10", "BT-29 BT-46 BT-60", at=cen.PARTY_ID, kind=Kind.CODE_LIST)
def party_id_scheme_is_a_code(identifier: Node, _: View) -> Values | None:
    """The scheme of a party identifier is an ISO 6523 code; of a seller or payee, also SEPA."""
    return party_id_scheme_in(identifier, code_list(_ICD))


@older.rule("BR-CL-22", "BT-121", at=cen.EXEMPTION_CODE, kind=Kind.CODE_LIST,
            list=_EXEMPTIONS.name)  # fmt: skip
def exemption_code_is_a_code(code: Node, _: View) -> Values | None:
    """A VAT exemption reason code (BT-121) is a code of the VATEX list, in any case."""
    return exemption_code_in(code, _EXEMPTIONS)


def _coded_as(invoice: Node, view: View, code: str, paths: Iterable[str]) -> bool:
    lines = view.everywhere("cac:ClassifiedTaxCategory")
    return any(code in invoice.texts(path) for path in paths) or any(
        code in each.texts("cbc:ID") for each in lines
    )


@older.rule("BR-B-02", "BT-118 BT-151", at=DOCUMENT, kind=Kind.CATEGORY, category="B")
def split_payment_excludes_standard_rate(invoice: Node, view: View) -> Values | None:
    """Split payment (B) and the standard rate (S) are not used in one invoice (BT-118, BT-151).

    S is not looked for in the breakdown, as published.
    """
    both = _coded_as(invoice, view, "B", _B_OF) and _coded_as(invoice, view, "S", _S_OF)
    return BROKEN if both else None


older.add("BR-CO-26", "BT-29 BT-30 BT-31", cen.SELLER, seller_can_be_identified, None,
          kind=Kind.PRESENCE)  # fmt: skip
at_most_one(older, cen.REPRESENTATIVE_USE, [
    ("UBL-SR-23", "BT-63", "cac:Party/cac:PartyTaxScheme/cbc:CompanyID"),
])  # fmt: skip
_UNIT_FACTOR = "cac:Price/cbc:OrderableUnitFactorRate"
absent(older, cen.DOCUMENT_USE, [
    ("UBL-CR-631", "", f"cac:InvoiceLine/{_UNIT_FACTOR} | cac:CreditNoteLine/{_UNIT_FACTOR}"),
    ("UBL-CR-674", "", "//cbc:PrimaryAccountNumber/@schemeID"),
])  # fmt: skip

_TYPE = ("PEPPOL-EN16931-P0100", peppol.INVOICE_TYPE, "uncl1001_invoice_peppol")
_CREDIT_NOTE_TYPE = (
    "PEPPOL-EN16931-P0101", peppol.CREDIT_NOTE_TYPE, "uncl1001_creditnote_peppol",
)  # fmt: skip
_LISTS = _Lists("iso4217_pint_eu", "iso4217_pint_eu_document", "iso4217_cen", "eas_pint_eu")
_FORMER = _Lists(*("iso4217_pint_eu_1_0",) * 2, "iso4217_pint_1_1", "eas_pint_eu_1_0")
CEN_OF_EU = CEN_UBL.revised(RELEASE, chapters=[_of_cen(_LISTS)])
CEN_OF_EU_1_0_1 = CEN_UBL.revised(FORMER, without=_LATER, chapters=[_of_cen(_FORMER), older])
PEPPOL_OF_EU = PEPPOL_UBL.revised(
    RELEASE, without={*_PARTIES, "PEPPOL-EN16931-P0100"}, flags=_FLAGS,
    chapters=[_of_peppol(_LISTS, _CREDIT_NOTE_TYPE)],
)  # fmt: skip
PEPPOL_OF_EU_1_0_1 = PEPPOL_UBL.revised(
    FORMER, without={*_PARTIES, "PEPPOL-COMMON-R052", "PEPPOL-COMMON-R053"}, flags=_FLAGS,
    chapters=[_of_peppol(_FORMER, _TYPE, _CREDIT_NOTE_TYPE)],
)  # fmt: skip
PINT_UBL_1_1_2: Book = pint_1_1_2()
PINT_UBL_OF_EU = pint_with_types(INVOICES, CREDIT_NOTES, RELEASE)
