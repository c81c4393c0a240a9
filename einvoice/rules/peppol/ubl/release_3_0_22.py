"""BIS Billing 3.0.22 for UBL: what changes against 3.0.21.

Published on 2026-11-23, binding from 2027-02-24. Taken from the candidate of the self-billing file
of the same release; P0100, P0112 and the Slovak rules from the candidate of the file itself
(TEXT_READ). A public draft that numbers the Slovak rules otherwise is not the source.
"""

from __future__ import annotations

from dataclasses import replace

from einvoice.rules import check_digits
from einvoice.rules.book import Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.layers import Layer, Syntax
from einvoice.rules.national.germany import between_germans
from einvoice.rules.national.germany.ubl import CORRECTION
from einvoice.rules.national.registry import national_chapters
from einvoice.rules.national.slovakia import between_slovaks
from einvoice.rules.national.sweden.ubl import STANDARD_RATE, rate_is_swedish, swedish_buyer
from einvoice.rules.node import Node
from einvoice.rules.peppol.ubl import PEPPOL_UBL, contexts
from einvoice.rules.peppol.ubl.conditions import dutch_vat_number, scheme, vat_number_of
from einvoice.rules.peppol.ubl.document import allowed_type
from einvoice.rules.peppol.ubl.exactly_one import exactly_one
from einvoice.rules.peppol.ubl.identifiers import (
    BELGIAN,
    DUTCH_VAT,
    ESTABLISHMENT,
    GLN,
    ITALIAN_ADDRESS,
    KVK,
    OIN,
    UNCHANGED,
    IdentifierRule,
    add_identifiers,
    add_vat_number,
    belgian_vat_number_has_its_form,
    dutch_vat_number_has_its_form,
    luxembourg_vat_number_has_its_form,
    passes,
)
from einvoice.rules.values import normalized
from einvoice.rules.view import View

TEXT_READ = (
    "release candidate, OpenPEPPOL/peppol-bis-invoice-3: commit 0c82ea1e (P0100, P0112, SK-R-001), "
    "commit 802a1012 (SK-R-002 to SK-R-007)"
)
"""The text of the national rules of this release; the release itself was not compared yet."""

changes = Chapter(Layer.PEPPOL_UBL)

_pattern = Pattern()
IDENTIFIER = _pattern.switch(*contexts.IDENTIFIERS, key=scheme)
ENDPOINT = _pattern.switch("cbc:EndpointID", key=scheme)
DUTCH_VAT_NUMBER = _pattern.context("cac:PartyTaxScheme/cbc:CompanyID", when=dutch_vat_number)
LUXEMBOURG_VAT_NUMBER = _pattern.context(
    "cac:PartyTaxScheme/cbc:CompanyID", when=vat_number_of("LU", "lu", "Lu", "lU")
)
BELGIAN_VAT_NUMBER = _pattern.context("cac:PartyTaxScheme/cbc:CompanyID", when=vat_number_of("BE"))
BEHIND_VAT_NUMBERS = _pattern.switch(*contexts.IDENTIFIERS, key=scheme)

_IDENTIFIERS = (
    replace(
        GLN,
        check=passes(check_digits.gln_13),
        requires="A GLN is 13 digits with a correct check digit",
        parameters={"length": 13},
    ),
    replace(
        BELGIAN,
        check=passes(check_digits.belgian_enterprise),
        requires="A Belgian enterprise number is ten digits, the first 0 or 1, with correct check "
        "digits",
        parameters={"start": "0 or 1"},
    ),
    *UNCHANGED,
    *(replace(rule, flag=Flag.FATAL) for rule in (KVK, OIN, DUTCH_VAT)),
)
_BEHIND_VAT_NUMBERS = (
    replace(ESTABLISHMENT, flag=Flag.FATAL),
    IdentifierRule(
        "R059",
        "0240",
        passes(check_digits.luxembourg_matricule),
        "A Luxembourg matricule is eleven digits with a correct check digit",
        Flag.WARNING,
    ),
)

add_identifiers(changes, _IDENTIFIERS, IDENTIFIER.case)
add_identifiers(changes, [ITALIAN_ADDRESS], ENDPOINT.case)
add_identifiers(changes, _BEHIND_VAT_NUMBERS, BEHIND_VAT_NUMBERS.case)
add_vat_number(changes, DUTCH_VAT_NUMBER, dutch_vat_number_has_its_form, flag=Flag.FATAL)
add_vat_number(changes, LUXEMBOURG_VAT_NUMBER, luxembourg_vat_number_has_its_form, "R058")
add_vat_number(changes, BELGIAN_VAT_NUMBER, belgian_vat_number_has_its_form, "R062")

_SCHEMES = code_list("eas_peppol_3_0_22")
_INVOICE_TYPES = "uncl1001_invoice_peppol_3_0_22"
_GERMAN_TYPES = ("326", CORRECTION, "389")


@changes.rule("PEPPOL-EN16931-CL008", "BT-34-1 BT-49-1", at=contexts.ENDPOINT_SCHEME,
              kind=Kind.CODE_LIST, list="eas_peppol_3_0_22", path="@schemeID")  # fmt: skip
def endpoint_scheme_is_a_code(endpoint: Node, _: View) -> Values | None:
    """The scheme of an electronic address (BT-34-1, BT-49-1) is one of the Peppol list."""
    code = endpoint.attributes.get("schemeID")
    return None if code is None or code in _SCHEMES else {"code": code}


@changes.rule("SE-R-006", "BT-119 BT-152", at=STANDARD_RATE, kind=Kind.CATEGORY)
def domestic_rate_is_swedish(category: Node, view: View) -> Values | None:
    """Between Swedish parties the standard VAT rate (BT-119, BT-152) is 25, 12 or 6 percent."""
    return rate_is_swedish(category, view) if view.once(swedish_buyer) else None


@changes.rule("PEPPOL-EN16931-P0100", "BT-3", at=contexts.INVOICE_TYPE, kind=Kind.CODE_LIST,
              list=_INVOICE_TYPES)  # fmt: skip
def invoice_type_is_allowed(code: Node, view: View) -> Values | None:
    """The type of an invoice (BT-3) is one that Peppol allows, 389 included."""
    return allowed_type(code, view, _INVOICE_TYPES)


@changes.rule("PEPPOL-EN16931-P0112", "BT-3", at=contexts.INVOICE_TYPE, kind=Kind.CODE_LIST)
def types_are_between_parties_of_a_country(code: Node, view: View) -> Values | None:
    """The types 326, 384, 389 (BT-3) are used only between Germans, 384 also between Slovaks."""
    found = normalized(code.text)
    if found not in _GERMAN_TYPES or view.once(between_germans):
        return None
    if found != CORRECTION:
        return {"code": found, "types": "326, 384, 389"}
    return None if view.once(between_slovaks) else {"code": found, "also": "Slovakia"}


PEPPOL_UBL_3_0_22 = PEPPOL_UBL.revised(
    "3.0.22",
    without={"GR-R-001-5"},
    chapters=[exactly_one, changes, *national_chapters(Syntax.UBL, since="3.0.22")],
)
