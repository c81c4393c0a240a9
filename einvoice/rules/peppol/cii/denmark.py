"""Denmark: registration, payment means, and duties that are not VAT."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Layer, Pattern, Values
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii.countries import buyer_codes, seller_codes
from einvoice.rules.peppol.cii.paths import (
    BUYER,
    LEGAL_ID,
    LINE,
    MEANS,
    SELLER,
    SETTLEMENT,
    number,
    one,
    schemes,
    written,
    written_at,
)
from einvoice.rules.values import normalized
from einvoice.rules.view import View

denmark = Chapter(Layer.PEPPOL_CII)
_REASON = f"{SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge/ram:Reason"
_REASON_CODE = f"{SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge/ram:ReasonCode"
_DUE = f"{SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation/ram:DuePayableAmount"
_ACCOUNT = "ram:PayeePartyCreditorFinancialAccount/ram:IBANID"
_MEANS_CODES = " 1 10 31 42 48 49 50 58 59 93 97 "
_UNSPSC = frozenset({"19.05.01", "19.0501", "26.08.01", "26.0801"})


def _danish(view: View) -> bool:
    return "DK" in view.once(seller_codes)


def _danish_buyer(_: Node, view: View) -> bool:
    return "DK" in view.once(buyer_codes)


_pattern = Pattern(_danish)
DOCUMENT = _pattern.context("rsm:CrossIndustryInvoice")
PAYMENT_MEANS = _pattern.context(
    f"rsm:CrossIndustryInvoice/{SETTLEMENT}/{MEANS}", when=_danish_buyer
)
LINES = _pattern.context(f"rsm:CrossIndustryInvoice/{LINE}", when=_danish_buyer)


@denmark.rule("DK-R-002", "BT-30", at=DOCUMENT, kind=Kind.PRESENCE)
def seller_is_registered(invoice: Node, view: View) -> Values | None:
    """A Danish seller gives its CVR number as legal registration."""
    return None if written_at(invoice, view, f"{SELLER}/{LEGAL_ID}") else BROKEN


@denmark.rule("DK-R-004", "BT-97 BT-98 BT-104 BT-105", at=DOCUMENT)
def duty_has_its_kind(invoice: Node, view: View) -> Values | None:
    """Between Danes, a reason code ZZZ comes with four digits, or with a text parted by #."""
    if "DK" not in view.once(buyer_codes) or "ZZZ" not in invoice.texts(_REASON_CODE):
        return None
    reasons = invoice.all(_REASON)
    if len(written_at(invoice, view, _REASON)) == 4 and 0 <= number(one(reasons)) <= 9999:
        return None
    text = one(reasons)
    return None if reasons and "#" in text[1:-1] and _inside(text) else {"text": text}


def _inside(text: str) -> bool:
    return not text.startswith("#") and not text.endswith("#")


@denmark.rule("DK-R-013", "BT-29 BT-46", at=DOCUMENT, kind=Kind.PRESENCE)
def identifiers_have_schemes(invoice: Node, view: View) -> Values | None:
    """Between Danes, the global identifiers of seller and buyer have a scheme."""
    if "DK" not in view.once(buyer_codes):
        return None
    for party in (SELLER, BUYER):
        given = invoice.all(f"{party}/ram:GlobalID")
        if given and not normalized(schemes(given)):
            return {"path": party}
    return None


@denmark.rule("DK-R-014", "BT-30-1", at=DOCUMENT)
def registration_is_a_cvr_number(invoice: Node, _: View) -> Values | None:
    """The legal registration of a Danish seller is under scheme 0184."""
    given = invoice.all(f"{SELLER}/{LEGAL_ID}")
    if not given or normalized(schemes(given)) == "0184":
        return None
    return {"code": schemes(given)}


@denmark.rule("DK-R-016", "BT-115", at=DOCUMENT)
def credit_note_is_not_negative(invoice: Node, view: View) -> Values | None:
    """Between Danes, the amount due of a credit note is not negative."""
    if "DK" not in view.once(buyer_codes):
        return None
    if written_at(invoice, view, "rsm:ExchangedDocument/ram:TypeCode") != "381":
        return None
    due = written(view, invoice.all(_DUE))
    return {"declared": due} if number(due) < 0 else None


@denmark.rule("DK-R-005", "BT-81", at=PAYMENT_MEANS, kind=Kind.CODE_LIST)
def means_is_allowed(means: Node, _: View) -> Values | None:
    """Between Danes, the payment means is 1, 10, 31, 42, 48, 49, 50, 58, 59, 93 or 97."""
    code = means.text_of("ram:TypeCode")
    return None if f" {code} " in _MEANS_CODES else {"code": code}


@denmark.rule("DK-R-006", "BT-84 BT-86", at=PAYMENT_MEANS, kind=Kind.PRESENCE)
def transfer_has_account_and_bank(means: Node, view: View) -> Values | None:
    """Between Danes, means 31 and 42 name account and registration number."""
    codes = means.texts("ram:TypeCode")
    if "31" not in codes and "42" not in codes:
        return None
    bank = "ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID"
    return None if written_at(means, view, _ACCOUNT) and written_at(means, view, bank) else BROKEN


@denmark.rule("DK-R-007", "BT-89 BT-90", at=PAYMENT_MEANS, kind=Kind.PRESENCE)
def debit_has_mandate_and_creditor(means: Node, view: View) -> Values | None:
    """Between Danes, means 49 names the mandate (within the means) and the creditor."""
    if "49" not in means.texts("ram:TypeCode"):
        return None
    mandate = "ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID"
    creditor = written_at(means.up(1), view, "ram:CreditorReferenceID")
    return None if creditor and written_at(means, view, mandate) else BROKEN


def _card(means: Node) -> str:
    """The kind of payment card: what the remittance begins with."""
    return means.up(1).text_of("ram:PaymentReference")[:3]


def _reference_length(means: Node) -> int:
    return len(means.up(1).text_of("ram:PaymentReference"))


@denmark.rule("DK-R-008", "BT-83 BT-84", at=PAYMENT_MEANS)
def giro_has_card_and_account(means: Node, view: View) -> Values | None:
    """Between Danes, means 50 has a card 01, 04 or 15 and an account of seven characters."""
    if "50" not in means.texts("ram:TypeCode"):
        return None
    account = _card(means) in ("01#", "04#", "15#") and len(written(view, means.all(_ACCOUNT))) == 7
    return None if account else BROKEN


@denmark.rule("DK-R-009", "BT-83", at=PAYMENT_MEANS)
def giro_card_has_its_number(means: Node, _: View) -> Values | None:
    """Between Danes, cards 04 and 15 of means 50 are followed by sixteen digits."""
    if "50" not in means.texts("ram:TypeCode") or _card(means) not in ("04#", "15#"):
        return None
    return None if _reference_length(means) == 19 else BROKEN


@denmark.rule("DK-R-010", "BT-83 BT-84", at=PAYMENT_MEANS)
def fik_has_card_and_account(means: Node, view: View) -> Values | None:
    """Between Danes, means 93 has a card 71, 73 or 75 and an account of eight characters."""
    if "93" not in means.texts("ram:TypeCode"):
        return None
    account = _card(means) in ("71#", "73#", "75#") and len(written(view, means.all(_ACCOUNT))) == 8
    return None if account else BROKEN


@denmark.rule("DK-R-011", "BT-83", at=PAYMENT_MEANS)
def fik_card_has_its_number(means: Node, _: View) -> Values | None:
    """Between Danes, cards 71 and 75 of means 93 are followed by fifteen or sixteen digits."""
    if "93" not in means.texts("ram:TypeCode") or _card(means) not in ("71#", "75#"):
        return None
    return None if _reference_length(means) in (18, 19) else BROKEN


@denmark.rule(
    "DK-R-003", "BT-158", at=LINES, flag=Flag.WARNING,
    present=("ram:SpecifiedTradeProduct/ram:DesignatedProductClassification/ram:ClassCode/@listID",),
)  # fmt: skip
def class_is_of_a_known_version(line: Node, _: View) -> Values | None:
    """Between Danes, a UNSPSC class (list TST) is of version 19.05.01 or 26.08.01."""
    codes = line.all("ram:SpecifiedTradeProduct/ram:DesignatedProductClassification/ram:ClassCode")
    if not any(code.attributes.get("listID") == "TST" for code in codes):
        return None
    known = any(code.attributes.get("listVersionID") in _UNSPSC for code in codes)
    return None if known else BROKEN
