"""The rules of EN 16931 as CIUS-RO 1.0.9 holds them: those of an older release than CEN 1.3.16.

Compared rule by rule with the published text. What differs from CEN_UBL:

- the code lists, and that currencies and units of any element are tested (BR-CL-03, BR-CL-23), but
  that an amount has a currency is not
- an element that must not be empty may be white space (BR-01 and so on)
- the categories L and M are named IG and IP in ids (CEN: AF, AG)
- UBL-SR-51 to UBL-SR-56 are not there, BR-27 is a rule of CIUS-RO itself (ubl.py)
- the paths of some rules are misspelt, so these find nothing that the schema allows
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from einvoice.rules.book import BROKEN, Chapter, Check, Context, Flag, Kind, Pattern, Rule, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.en16931.ubl import CEN_UBL, contexts
from einvoice.rules.en16931.ubl.codes import exemption_code_in, party_id_scheme_in, type_code_in
from einvoice.rules.en16931.ubl.conditions import is_vat
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import Row, absent, at_most_one, coded
from einvoice.rules.view import View

RELEASE = "1.3.16 as CIUS-RO 1.0.9 has it"
_WITHOUT = {"BR-27", *(f"UBL-SR-{number}" for number in range(51, 57))}
_CATEGORIES = {"BR-AF-": "BR-IG-", "BR-AG-": "BR-IP-"}

older = Chapter(Layer.CEN_UBL, gathers=("cac:TaxCategory", "cac:ClassifiedTaxCategory"))


# -- code lists ------------------------------------------------------------------------------------

_ICD, _CURRENCIES = "icd_iso6523_cius_ro", "iso4217_cius_ro"
_REASONS = contexts.CHARGE_REASON
ANY_AMOUNT = Pattern().context("*Amount")
ANY_QUANTITY = Pattern().context("*Quantity", "*Measure")

coded(older, ANY_AMOUNT, "BR-CL-03", "BT-5", _CURRENCIES, "currencyID")
coded(older, contexts.CURRENCY, "BR-CL-04", "BT-5", _CURRENCIES)
coded(older, contexts.TAX_CURRENCY, "BR-CL-05", "BT-6", _CURRENCIES)
coded(
    older, contexts.INVOICED_OBJECT, "BR-CL-07", "BT-18 BT-128", "uncl1153_cius_ro", "schemeID"
)  # fmt: skip
coded(older, contexts.LEGAL_ID, "BR-CL-11", "BT-30 BT-47 BT-61", _ICD, "schemeID")
coded(older, contexts.CLASSIFICATION, "BR-CL-13", "BT-158", "uncl7143_cius_ro", "listID")
coded(older, contexts.MEANS_CODE, "BR-CL-16", "BT-81", "uncl4461_cius_ro")
coded(older, _REASONS, "BR-CL-20", "BT-105 BT-145", "uncl7161_cius_ro")
coded(older, contexts.STANDARD_ID, "BR-CL-21", "BT-157", _ICD, "schemeID")
coded(older, ANY_QUANTITY, "BR-CL-23", "BT-130 BT-150", "unece_rec20_21", "unitCode")
coded(older, contexts.ENDPOINT, "BR-CL-25", "BT-34 BT-49", "eas_cius_ro", "schemeID")
coded(older, contexts.DELIVERY_LOCATION, "BR-CL-26", "BT-71", _ICD, "schemeID")

_INVOICE_TYPES = code_list("uncl1001_invoice_cius_ro")
_CREDIT_NOTE_TYPES = code_list("uncl1001_creditnote_cius_ro")
_SCHEMES = code_list(_ICD)
_EXEMPTIONS = code_list("vatex_cius_ro")


@older.rule("BR-CL-01", "BT-3", at=contexts.TYPE_CODE, kind=Kind.CODE_LIST)
def type_code_is_a_code(code: Node, _: View) -> Values | None:
    """The type code (BT-3) is one of the list for invoices or for credit notes."""
    return type_code_in(code, _INVOICE_TYPES, _CREDIT_NOTE_TYPES)


@older.rule("BR-CL-10", "BT-29 BT-46 BT-60", at=contexts.PARTY_ID, kind=Kind.CODE_LIST)
def party_id_scheme_is_a_code(identifier: Node, _: View) -> Values | None:
    """The scheme of a party identifier is an ISO 6523 code; of a seller or payee, also SEPA."""
    return party_id_scheme_in(identifier, _SCHEMES)


@older.rule("BR-CL-22", "BT-121", at=contexts.EXEMPTION_CODE, kind=Kind.CODE_LIST,
            list=_EXEMPTIONS.name)  # fmt: skip
def exemption_code_is_a_code(code: Node, _: View) -> Values | None:
    """A VAT exemption reason code (BT-121) is a code of the VATEX list, in any case."""
    return exemption_code_in(code, _EXEMPTIONS)


# -- elements that must not be empty ---------------------------------------------------------------


def _not_empty(*paths: str) -> Check:
    """A check that an element on a path has a text, which may be white space; several may occur."""

    def check(node: Node, _: View) -> Values | None:
        return None if any(text for path in paths for text in node.texts(path)) else BROKEN

    return check


def _add_not_empty(at: Context, rows: Iterable[Row]) -> None:
    for rule, terms, path in rows:
        older.add(
            rule, terms, at, _not_empty(*path.split(" | ")), f"{path} is given and not empty",
            kind=Kind.PRESENCE, parameters={"path": path.partition(" | ")[0]},
        )  # fmt: skip


_NAME = "cac:Party/cac:PartyLegalEntity/cbc:RegistrationName"
_COUNTRY = "cac:Country/cbc:IdentificationCode"
_add_not_empty(contexts.DOCUMENT, [
    ("BR-01", "BT-24", "cbc:CustomizationID"),
    ("BR-02", "BT-1", "cbc:ID"),
    ("BR-03", "BT-2", "cbc:IssueDate"),
    ("BR-04", "BT-3", "cbc:InvoiceTypeCode | cbc:CreditNoteTypeCode"),
    ("BR-05", "BT-5", "cbc:DocumentCurrencyCode"),
    ("BR-06", "BT-27", f"cac:AccountingSupplierParty/{_NAME}"),
    ("BR-07", "BT-44", f"cac:AccountingCustomerParty/{_NAME}"),
])  # fmt: skip
_add_not_empty(contexts.SELLER_ADDRESS, [("BR-09", "BT-40", _COUNTRY)])
_add_not_empty(contexts.BUYER_ADDRESS, [("BR-11", "BT-55", _COUNTRY)])
_add_not_empty(contexts.REPRESENTATIVE, [("BR-18", "BT-62", "cac:PartyName/cbc:Name")])
_add_not_empty(contexts.REPRESENTATIVE_ADDRESS, [("BR-20", "BT-69", _COUNTRY)])
_add_not_empty(
    contexts.LINE,
    [("BR-21", "BG-25 BT-126", "cbc:ID"), ("BR-25", "BG-31 BT-153", "cac:Item/cbc:Name")],
)
_add_not_empty(contexts.TRANSFER_ACCOUNT, [("BR-50", "BG-17 BT-84", "cbc:ID")])
_add_not_empty(contexts.SUPPORTING_DOCUMENT, [("BR-52", "BG-24 BT-122", "cbc:ID")])


# -- single rules ----------------------------------------------------------------------------------

CARD = Pattern().context("cac:PaymentMeans/cac:CardAccount")


@older.rule("BR-51", "BT-87", at=CARD, flag=Flag.WARNING, kind=Kind.FORMAT,
            path="cbc:PrimaryAccountNumberID")  # fmt: skip
def card_number_is_shortened(card: Node, _: View) -> Values | None:
    """A card number (BT-87) has at most ten characters, white space included."""
    length = len(card.text_of("cbc:PrimaryAccountNumberID"))
    return None if length <= 10 else {"length": length}


@older.rule("BR-CO-26", "BT-29 BT-30 BT-31", at=contexts.SELLER, kind=Kind.PRESENCE)
def seller_can_be_identified(seller: Node, _: View) -> Values | None:
    """The seller has an identifier, a legal registration or a VAT number (BT-29, BT-30, BT-31)."""
    for registration in seller.all("cac:Party/cac:PartyTaxScheme"):
        if is_vat(registration) and registration.has("cbc:CompanyID"):
            return None
    paths = (
        "cac:Party/cac:PartyIdentification/cbc:ID",
        "cac:Party/cac:PartyLegalEntity/cbc:CompanyID",
    )
    return None if any(map(seller.has, paths)) else BROKEN


@older.rule("BR-B-02", "BT-118 BT-151", at=contexts.DOCUMENT, kind=Kind.CATEGORY, category="B")
def split_payment_excludes_standard_rate(_: Node, view: View) -> Values | None:
    """Split payment (B) and the standard rate (S) are not used in one invoice (BT-118, BT-151)."""
    codes = {
        text
        for name in ("cac:TaxCategory", "cac:ClassifiedTaxCategory")
        for category in view.everywhere(name)
        for text in category.texts("cbc:ID")
    }
    return BROKEN if {"B", "S"} <= codes else None


@older.rule("UBL-SR-43", "BT-18 BT-122", at=contexts.SUPPORTING_DOCUMENT_USE)
def type_code_is_of_the_invoiced_object(reference: Node, view: View) -> Values | None:
    """A document reference has type code 130 (BT-18) or none; in credit notes, 50 too.

    An attribute "scheme" without a type code is refused too; a schemeID is not.
    """
    codes = reference.texts("cbc:DocumentTypeCode")
    if "130" in codes or ("50" in codes and view.root.name == "cn:CreditNote"):
        return None
    schemed = any("scheme" in found.attributes for found in reference.all("cbc:ID"))
    return {"codes": codes} if schemed or codes else None


at_most_one(older, contexts.REPRESENTATIVE_USE, [
    ("UBL-SR-22", "BT-62", "cac:Party/cac:PartyName/cbc:Name"),
    ("UBL-SR-23", "BT-63", "cac:Party/cac:PartyTaxScheme/cbc:CompanyID"),
])  # fmt: skip


def _of_lines(path: str) -> str:
    return f"cac:InvoiceLine/cac:Item/{path} | cac:CreditNoteLine/cac:Item/{path}"


_SYMBOLOGY = "cbc:BarecodeSymbologyID"
absent(older, contexts.DOCUMENT_USE, [
    ("UBL-CR-487", "",
     "cac:AllowanceCharge/cac:TaxCategory/cac:TaxScheme/cac:JurisdiccionRegionAddress"),
    ("UBL-CR-572", "", _of_lines(f"cac:BuyersItemIdentification/{_SYMBOLOGY}")),
    ("UBL-CR-577", "", _of_lines(f"cac:SellersItemIdentification/{_SYMBOLOGY}")),
    ("UBL-CR-583", "", _of_lines(f"cac:StandardItemIdentification/{_SYMBOLOGY}")),
    ("UBL-CR-674", "", "//cbc:PrimaryAccountNumber/@schemeID"),
])  # fmt: skip


def _renamed(rule: Rule) -> Rule:
    """The rule of VAT category L or M under its id in CIUS-RO; any other rule as it is."""
    own = _CATEGORIES.get(rule.id[:6])
    return replace(rule, id=f"{own}{rule.id[6:]}") if own else rule


_revised = CEN_UBL.revised(RELEASE, without=_WITHOUT, chapters=[older])
CEN_OF_CIUS_RO = replace(_revised, rules=tuple(map(_renamed, _revised.rules)))
