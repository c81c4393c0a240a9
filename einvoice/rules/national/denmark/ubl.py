"""Danish rules for UBL."""

from __future__ import annotations

import re

from einvoice.rules.book import BROKEN, Chapter, Kind, Pattern, Values
from einvoice.rules.evaluation_errors import both, either
from einvoice.rules.layers import Layer
from einvoice.rules.national.denmark import (
    CVR,
    FIK_CARDS,
    FIK_CARDS_WITH_NUMBER,
    GIRO_CARDS,
    GIRO_CARDS_WITH_NUMBER,
    PAYMENT_MEANS_CODES,
    UNSPSC_VERSIONS,
)
from einvoice.rules.national.parties_ubl import (
    BUYER_PARTY,
    SELLER_PARTY,
    buyer_address_as_written,
    seller_address_as_written,
)
from einvoice.rules.node import Node
from einvoice.rules.values import normalized, parse_double
from einvoice.rules.view import View

denmark = Chapter(Layer.PEPPOL_UBL)

_GIRO_ACCOUNT = re.compile(r"[0-9]{7,8}")
_LEGAL_ID = "cac:PartyLegalEntity/cbc:CompanyID"
_ACCOUNT = "cac:PayeeFinancialAccount"
_ROOTS = ("ubl:Invoice", "cn:CreditNote")


def _danish_seller(view: View) -> bool:
    return view.once(seller_address_as_written) == "DK"


def _danish_buyer(_: Node, view: View) -> bool:
    return view.once(buyer_address_as_written) == "DK"


def _below_root(*paths: str) -> list[str]:
    return [f"{root}/{path}" for root in _ROOTS for path in paths]


_pattern = Pattern(_danish_seller)
DOCUMENT = _pattern.context(*_ROOTS)
PARTY_ID = _pattern.context(
    *_below_root(*(f"{party}/cac:PartyIdentification" for party in (SELLER_PARTY, BUYER_PARTY))),
    when=_danish_buyer,
)
PAYMENT_MEANS = _pattern.context("ubl:Invoice/cac:PaymentMeans", when=_danish_buyer)
BUYER = _pattern.context(*_below_root(BUYER_PARTY), when=_danish_buyer)
LINE = _pattern.context(
    "cn:CreditNote/cac:CreditNoteLine", "ubl:Invoice/cac:InvoiceLine", when=_danish_buyer
)
ALLOWANCE = _pattern.context("cac:AllowanceCharge", when=_danish_buyer)


@denmark.rule("DK-R-002", "BT-30", at=DOCUMENT, kind=Kind.PRESENCE,
              path=f"{SELLER_PARTY}/{_LEGAL_ID}")  # fmt: skip
def seller_has_a_legal_id(invoice: Node, view: View) -> Values | None:
    """A Danish seller states its CVR number (BT-30)."""
    number = view.text_node(invoice, f"{SELLER_PARTY}/{_LEGAL_ID}")
    return None if normalized(number) else BROKEN


def _is_cvr(party: Node, path: str) -> Values | None:
    if not party.has(path):
        return None
    scheme = normalized(party.attribute_of(path, "schemeID"))
    return None if scheme == CVR else {"code": scheme, "expected": CVR}


@denmark.rule("DK-R-014", "BT-30-1", at=DOCUMENT, kind=Kind.CODE_LIST)
def seller_legal_id_is_a_cvr(invoice: Node, _: View) -> Values | None:
    """The legal registration of a Danish seller (BT-30) has the scheme of CVR numbers, 0184."""
    return _is_cvr(invoice, f"{SELLER_PARTY}/{_LEGAL_ID}")


@denmark.rule("DK-R-017", "BT-47-1", at=BUYER, kind=Kind.CODE_LIST)
def buyer_legal_id_is_a_cvr(buyer: Node, _: View) -> Values | None:
    """The legal registration of a Danish buyer (BT-47) has the scheme of CVR numbers, 0184."""
    return _is_cvr(buyer, _LEGAL_ID)


@denmark.rule("DK-R-016", "BT-115", at=DOCUMENT)
def credit_note_is_not_negative(credit_note: Node, view: View) -> Values | None:
    """Between Danish parties, the amount due (BT-115) of a credit note is not negative."""
    if view.root.name != "cn:CreditNote":
        return None
    path = "cac:LegalMonetaryTotal/cbc:PayableAmount"
    broken = both(
        lambda: view.once(buyer_address_as_written) == "DK",
        lambda: (parse_double(view.text_node(credit_note, path)) or 0) < 0,
    )
    return {"amount": credit_note.texts(path)[0]} if broken else None


@denmark.rule("DK-R-013", "BT-29 BT-46", at=PARTY_ID, kind=Kind.PRESENCE, path="@schemeID")
def party_id_has_a_scheme(identification: Node, _: View) -> Values | None:
    """An identifier of a Danish party (BT-29, BT-46) has a scheme."""
    if not identification.has("cbc:ID"):
        return None
    return None if normalized(identification.attribute_of("cbc:ID", "schemeID")) else BROKEN


@denmark.rule("DK-R-005", "BT-81", at=PAYMENT_MEANS, kind=Kind.CODE_LIST)
def payment_means_is_danish(means: Node, _: View) -> Values | None:
    """Between Danish parties, the payment means (BT-81) is one of the codes used in Denmark."""
    code = means.text_of("cbc:PaymentMeansCode")
    if f" {code} " in PAYMENT_MEANS_CODES:
        return None
    return {"code": code, "codes": PAYMENT_MEANS_CODES.split()}


@denmark.rule("DK-R-006", "BT-84 BT-86", at=PAYMENT_MEANS, kind=Kind.PRESENCE)
def transfer_has_account_and_bank(means: Node, view: View) -> Values | None:
    """Means 31 and 42 have an account (BT-84) and the registration number of the bank (BT-86)."""
    if not _has_code(means, "31", "42"):
        return None
    return _both_filled(means, view, f"{_ACCOUNT}/cbc:ID",
                        f"{_ACCOUNT}/cac:FinancialInstitutionBranch/cbc:ID")  # fmt: skip


@denmark.rule("DK-R-007", "BT-89 BT-91", at=PAYMENT_MEANS, kind=Kind.PRESENCE)
def debit_has_mandate_and_account(means: Node, view: View) -> Values | None:
    """Means 49 has a mandate (BT-89) and the debited account (BT-91)."""
    if not _has_code(means, "49"):
        return None
    mandate = "cac:PaymentMandate"
    return _both_filled(means, view, f"{mandate}/cbc:ID",
                        f"{mandate}/cac:PayerFinancialAccount/cbc:ID")  # fmt: skip


@denmark.rule("DK-R-008", "BT-83 BT-84", at=PAYMENT_MEANS, kind=Kind.FORMAT)
def giro_has_card_and_account(means: Node, _: View) -> Values | None:
    """Means 50 has a reference (BT-83) of card 01, 04 or 15 and an account of 7 or 8 digits."""
    if not _has_code(means, "50"):
        return None
    holds = both(
        lambda: _card(means) in GIRO_CARDS,
        lambda: _GIRO_ACCOUNT.fullmatch(means.text_of(f"{_ACCOUNT}/cbc:ID")) is not None,
    )
    return None if holds else {"reference": " ".join(means.texts("cbc:PaymentID"))}


@denmark.rule("DK-R-009", "BT-83", at=PAYMENT_MEANS, kind=Kind.FORMAT)
def giro_reference_has_its_length(means: Node, _: View) -> Values | None:
    """With means 50, a reference (BT-83) of card 04 or 15 has 16 characters after it."""
    if not _has_code(means, "50") or _card(means) not in GIRO_CARDS_WITH_NUMBER:
        return None
    reference = means.text_of("cbc:PaymentID")
    return None if len(reference) == 19 else {"reference": reference}


@denmark.rule("DK-R-010", "BT-83 BT-84", at=PAYMENT_MEANS, kind=Kind.FORMAT)
def fik_has_card_and_creditor(means: Node, view: View) -> Values | None:
    """Means 93 has a reference (BT-83) of card 71, 73 or 75 and a creditor of 8 characters."""
    if not _has_code(means, "93"):
        return None
    holds = both(
        lambda: _card(means) in FIK_CARDS,
        lambda: len(view.text_node(means, f"{_ACCOUNT}/cbc:ID")) == 8,
    )
    return None if holds else {"reference": " ".join(means.texts("cbc:PaymentID"))}


@denmark.rule("DK-R-011", "BT-83", at=PAYMENT_MEANS, kind=Kind.FORMAT)
def fik_reference_has_its_length(means: Node, _: View) -> Values | None:
    """With means 93, a reference (BT-83) of card 71 or 75 has 15 or 16 characters after it."""
    if not _has_code(means, "93") or _card(means) not in FIK_CARDS_WITH_NUMBER:
        return None
    reference = means.text_of("cbc:PaymentID")
    return None if len(reference) in (18, 19) else {"reference": reference}


def _has_code(means: Node, *codes: str) -> bool:
    return any(code in codes for code in means.texts("cbc:PaymentMeansCode"))


def _card(means: Node) -> str:
    """The card type and "#", the first three characters of a Danish payment reference."""
    return means.text_of("cbc:PaymentID")[:3]


def _both_filled(means: Node, view: View, one: str, other: str) -> Values | None:
    holds = both(
        lambda: normalized(view.text_node(means, one)) != "",
        lambda: normalized(view.text_node(means, other)) != "",
    )
    return None if holds else {"paths": [one, other]}


@denmark.rule("DK-R-003", "BT-158", at=LINE, kind=Kind.CODE_LIST,
              present=("cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode/@listID",),
              path="@listVersionID")  # fmt: skip
def unspsc_version_is_known(line: Node, _: View) -> Values | None:
    """An item classification (BT-158) of UNSPSC (list TST) has version 19.05.01 or 26.08.01."""
    path = "cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode"
    if "TST" not in line.attributes_at(path, "listID"):
        return None
    versions = line.attributes_at(path, "listVersionID")
    if any(version in UNSPSC_VERSIONS for version in versions):
        return None
    return {"code": " ".join(versions), "codes": list(UNSPSC_VERSIONS)}


@denmark.rule("DK-R-004", "BT-97 BT-98 BT-104 BT-105", at=ALLOWANCE, kind=Kind.FORMAT,
              present=("cbc:AllowanceChargeReasonCode",),
              path="cbc:AllowanceChargeReason")  # fmt: skip
def duty_is_identified(allowance: Node, view: View) -> Values | None:
    """With reason code ZZZ (BT-98, BT-105) the reason is four digits, or parts separated by #."""
    if "ZZZ" not in allowance.texts("cbc:AllowanceChargeReasonCode"):
        return None
    reason = "cbc:AllowanceChargeReason"

    def in_range() -> bool:
        number = parse_double(allowance.text_of(reason))
        return number is not None and 0 <= number <= 9999

    def separated() -> bool:
        text = allowance.text_of(reason)
        return "#" in text and not text.startswith("#") and not text.endswith("#")

    def has_four_characters() -> bool:
        return len(normalized(view.text_node(allowance, reason))) == 4

    holds = either(lambda: both(has_four_characters, in_range), separated)
    return None if holds else {"text": allowance.text_of(reason)}
