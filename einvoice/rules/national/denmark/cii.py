"""Danish rules for CII."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.cii_paths import (
    BUYER,
    LEGAL_ID,
    LINE,
    MEANS,
    SELLER,
    SETTLEMENT,
    normalized_text,
    single_scheme,
    single_text,
    single_text_node,
    to_double,
)
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
from einvoice.rules.national.parties_cii import (
    buyer_addresses_as_written,
    seller_addresses_as_written,
)
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

denmark = Chapter(Layer.PEPPOL_CII)
_REASON = f"{SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge/ram:Reason"
_REASON_CODE = f"{SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge/ram:ReasonCode"
_DUE = f"{SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation/ram:DuePayableAmount"
_ACCOUNT = "ram:PayeePartyCreditorFinancialAccount/ram:IBANID"


def _danish_seller(view: View) -> bool:
    return "DK" in view.once(seller_addresses_as_written)


def _danish_buyer(_: Node, view: View) -> bool:
    return "DK" in view.once(buyer_addresses_as_written)


_pattern = Pattern(_danish_seller)
DOCUMENT = _pattern.context("rsm:CrossIndustryInvoice")
PAYMENT_MEANS = _pattern.context(
    f"rsm:CrossIndustryInvoice/{SETTLEMENT}/{MEANS}", when=_danish_buyer
)
LINES = _pattern.context(f"rsm:CrossIndustryInvoice/{LINE}", when=_danish_buyer)


@denmark.rule("DK-R-002", "BT-30", at=DOCUMENT, kind=Kind.PRESENCE)
def seller_has_a_legal_id(invoice: Node, view: View) -> Values | None:
    """A Danish seller states its CVR number as legal registration (BT-30)."""
    return None if normalized_text(invoice, view, f"{SELLER}/{LEGAL_ID}") else BROKEN


@denmark.rule("DK-R-004", "BT-97 BT-98 BT-104 BT-105", at=DOCUMENT)
def duty_is_identified(invoice: Node, view: View) -> Values | None:
    """Between Danish parties, reason code ZZZ (BT-98, BT-105) has a reason in the official form.

    Four digits, or parts separated by #.
    """
    if not _danish_buyer(invoice, view) or "ZZZ" not in invoice.texts(_REASON_CODE):
        return None
    reasons = invoice.all(_REASON)
    four_characters = len(normalized_text(invoice, view, _REASON)) == 4
    if four_characters and 0 <= to_double(single_text(reasons)) <= 9999:
        return None
    text = single_text(reasons)
    return None if reasons and _separated(text) else {"text": text}


def _separated(text: str) -> bool:
    return "#" in text[1:-1] and not text.startswith("#") and not text.endswith("#")


@denmark.rule("DK-R-013", "BT-29 BT-46", at=DOCUMENT, kind=Kind.PRESENCE)
def party_ids_have_schemes(invoice: Node, view: View) -> Values | None:
    """Between Danish parties, the global identifiers (BT-29, BT-46) have a scheme."""
    if not _danish_buyer(invoice, view):
        return None
    for party in (SELLER, BUYER):
        identifiers = invoice.all(f"{party}/ram:GlobalID")
        if identifiers and not normalized(single_scheme(identifiers)):
            return {"path": party}
    return None


@denmark.rule("DK-R-014", "BT-30-1", at=DOCUMENT)
def seller_legal_id_is_a_cvr(invoice: Node, _: View) -> Values | None:
    """The legal registration of a Danish seller (BT-30) has the scheme of CVR numbers, 0184."""
    identifiers = invoice.all(f"{SELLER}/{LEGAL_ID}")
    if not identifiers or normalized(single_scheme(identifiers)) == CVR:
        return None
    return {"code": single_scheme(identifiers)}


@denmark.rule("DK-R-016", "BT-115", at=DOCUMENT)
def credit_note_is_not_negative(invoice: Node, view: View) -> Values | None:
    """Between Danish parties, the amount due (BT-115) of a credit note is not negative."""
    if not _danish_buyer(invoice, view):
        return None
    if normalized_text(invoice, view, "rsm:ExchangedDocument/ram:TypeCode") != "381":
        return None
    due = single_text_node(view, invoice.all(_DUE))
    return {"declared": due} if to_double(due) < 0 else None


@denmark.rule("DK-R-005", "BT-81", at=PAYMENT_MEANS, kind=Kind.CODE_LIST)
def payment_means_is_danish(means: Node, _: View) -> Values | None:
    """Between Danish parties, the payment means (BT-81) is one of the codes used in Denmark."""
    code = means.text_of("ram:TypeCode")
    return None if f" {code} " in PAYMENT_MEANS_CODES else {"code": code}


def _has_code(means: Node, *codes: str) -> bool:
    return any(code in codes for code in means.texts("ram:TypeCode"))


@denmark.rule("DK-R-006", "BT-84 BT-86", at=PAYMENT_MEANS, kind=Kind.PRESENCE)
def transfer_has_account_and_bank(means: Node, view: View) -> Values | None:
    """Means 31 and 42 have an account (BT-84) and the registration number of the bank (BT-86)."""
    if not _has_code(means, "31", "42"):
        return None
    bank = "ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID"
    if normalized_text(means, view, _ACCOUNT) and normalized_text(means, view, bank):
        return None
    return BROKEN


@denmark.rule("DK-R-007", "BT-89 BT-90", at=PAYMENT_MEANS, kind=Kind.PRESENCE)
def debit_has_mandate_and_creditor(means: Node, view: View) -> Values | None:
    """Means 49 has a mandate (BT-89, within the means) and a creditor identifier (BT-90)."""
    if not _has_code(means, "49"):
        return None
    mandate = "ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID"
    creditor = normalized_text(means.up(1), view, "ram:CreditorReferenceID")
    return None if creditor and normalized_text(means, view, mandate) else BROKEN


def _reference(means: Node) -> str:
    """BT-83: a card type, "#" and a number."""
    return means.up(1).text_of("ram:PaymentReference")


def _account_length(means: Node, view: View) -> int:
    return len(single_text_node(view, means.all(_ACCOUNT)))


@denmark.rule("DK-R-008", "BT-83 BT-84", at=PAYMENT_MEANS)
def giro_has_card_and_account(means: Node, view: View) -> Values | None:
    """Means 50 has a reference (BT-83) of card 01, 04 or 15 and an account of 7 characters."""
    if not _has_code(means, "50"):
        return None
    holds = _reference(means)[:3] in GIRO_CARDS and _account_length(means, view) == 7
    return None if holds else BROKEN


@denmark.rule("DK-R-009", "BT-83", at=PAYMENT_MEANS)
def giro_reference_has_its_length(means: Node, _: View) -> Values | None:
    """With means 50, a reference (BT-83) of card 04 or 15 has 16 characters after it."""
    if not _has_code(means, "50") or _reference(means)[:3] not in GIRO_CARDS_WITH_NUMBER:
        return None
    return None if len(_reference(means)) == 19 else BROKEN


@denmark.rule("DK-R-010", "BT-83 BT-84", at=PAYMENT_MEANS)
def fik_has_card_and_creditor(means: Node, view: View) -> Values | None:
    """Means 93 has a reference (BT-83) of card 71, 73 or 75 and a creditor of 8 characters."""
    if not _has_code(means, "93"):
        return None
    holds = _reference(means)[:3] in FIK_CARDS and _account_length(means, view) == 8
    return None if holds else BROKEN


@denmark.rule("DK-R-011", "BT-83", at=PAYMENT_MEANS)
def fik_reference_has_its_length(means: Node, _: View) -> Values | None:
    """With means 93, a reference (BT-83) of card 71 or 75 has 15 or 16 characters after it."""
    if not _has_code(means, "93") or _reference(means)[:3] not in FIK_CARDS_WITH_NUMBER:
        return None
    return None if len(_reference(means)) in (18, 19) else BROKEN


@denmark.rule(
    "DK-R-003", "BT-158", at=LINES, flag=Flag.WARNING,
    present=("ram:SpecifiedTradeProduct/ram:DesignatedProductClassification/ram:ClassCode/@listID",),
)  # fmt: skip
def unspsc_version_is_known(line: Node, _: View) -> Values | None:
    """An item classification (BT-158) of UNSPSC (list TST) has version 19.05.01 or 26.08.01."""
    codes = line.all("ram:SpecifiedTradeProduct/ram:DesignatedProductClassification/ram:ClassCode")
    if not any(code.attributes.get("listID") == "TST" for code in codes):
        return None
    known = any(code.attributes.get("listVersionID") in UNSPSC_VERSIONS for code in codes)
    return None if known else BROKEN
