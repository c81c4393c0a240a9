"""BR-DE on payment: the groups that belong to each kind of payment, and the IBANs.

CII has no group for a direct debit (BG-19). It is present if one of its three terms is: mandate
(BT-89), creditor identifier (BT-90) or debited account (BT-91).
"""

from __future__ import annotations

from collections.abc import Iterable

from einvoice.rules.book import BROKEN, Chapter, Context, Kind, Values
from einvoice.rules.cii_paths import MEANS, SETTLEMENT
from einvoice.rules.layers import Layer
from einvoice.rules.national.germany.forms import add_debit_rule, add_transfer_rule
from einvoice.rules.node import Node
from einvoice.rules.tables import present
from einvoice.rules.view import View
from einvoice.rules.xrechnung.cii import contexts

payment = Chapter(Layer.XRECHNUNG_CII)

_MANDATE = f"{SETTLEMENT}/ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID"
_CREDITOR = f"{SETTLEMENT}/ram:CreditorReferenceID"
_DEBITED = "ram:PayerPartyDebtorFinancialAccount/ram:IBANID"
_DEBITED_ANYWHERE = f"{SETTLEMENT}/{MEANS}/{_DEBITED}"
_ACCOUNT = "ram:PayeePartyCreditorFinancialAccount"
_CARD = "ram:ApplicableTradeSettlementFinancialCard"
_BANKS = ("ram:PayeeSpecifiedCreditorFinancialInstitution",
          "ram:PayerSpecifiedDebtorFinancialInstitution")  # fmt: skip

present(payment, contexts.TRANSFER, [("BR-DE-23-a", "BG-17", _ACCOUNT)])
present(payment, contexts.CARD, [("BR-DE-24-a", "BG-18", _CARD)])


def _debit_terms(view: View) -> tuple[bool, bool, bool]:
    """Whether BT-89, BT-90 and BT-91 are given somewhere in the document."""
    has = view.root.has
    return has(_MANDATE), has(_CREDITOR), has(_DEBITED_ANYWHERE)


@payment.rule("BR-DE-30", "BT-90", at=contexts.DOCUMENT, kind=Kind.PRESENCE, path=_CREDITOR)
def creditor_is_identified(_: Node, view: View) -> Values | None:
    """A direct debit has the creditor identifier (BT-90), and a mandate or debited account."""
    mandate, creditor, debited = terms = view.once(_debit_terms)
    return None if not any(terms) or (creditor and (mandate or debited)) else BROKEN


@payment.rule("BR-DE-31", "BT-91", at=contexts.DOCUMENT, kind=Kind.PRESENCE, path=_DEBITED_ANYWHERE)
def debited_account_is_given(_: Node, view: View) -> Values | None:
    """A direct debit has the debited account (BT-91), and a mandate or the creditor identifier."""
    mandate, creditor, debited = terms = view.once(_debit_terms)
    return None if not any(terms) or (debited and (mandate or creditor)) else BROKEN


def _debit_term(means: Node, view: View) -> str:
    """The path of a direct debit term of these payment means or of the document; "" if none."""
    if means.has(_DEBITED):
        return _DEBITED
    mandate, creditor, _ = view.once(_debit_terms)
    return _MANDATE if mandate else _CREDITOR if creditor else ""


def _without(
    rule: str, terms: str, at: Context, paths: Iterable[str], requires: str, *, debit: bool = True
) -> None:
    """Add a rule: the means have none of these groups and, if `debit`, no direct debit term."""

    def check(means: Node, view: View) -> Values | None:
        found = next((path for path in paths if means.has(path)), "")
        found = found or (_debit_term(means, view) if debit else "")
        return {"path": found} if found else None

    payment.add(rule, terms, at, check, requires, kind=Kind.ABSENCE)


_without("BR-DE-23-b", "BG-18 BG-19", contexts.TRANSFER, [_CARD],
         "A credit transfer (BG-17) has neither card (BG-18) nor direct debit (BG-19)")  # fmt: skip
_without("BR-DE-24-b", "BG-17 BG-19", contexts.CARD, [_ACCOUNT],
         "A card payment (BG-18) has neither account (BG-17) nor direct debit (BG-19)")  # fmt: skip
_without("BR-DE-25-b", "BG-17 BG-18", contexts.DEBIT, [_ACCOUNT, *_BANKS, _CARD],
         "A direct debit (BG-19) has neither payee account nor banks (BG-17) nor card (BG-18)",
         debit=False)  # fmt: skip


@payment.rule("BR-DE-25-a", "BG-19", at=contexts.DEBIT, kind=Kind.PRESENCE, path=_DEBITED)
def direct_debit_has_its_terms(means: Node, view: View) -> Values | None:
    """A direct debit has a mandate (BT-89), creditor identifier (BT-90) or account (BT-91)."""
    return None if _debit_term(means, view) else BROKEN


add_transfer_rule(payment, "BR-DE-19", contexts.TRANSFER, "ram:TypeCode", f"{_ACCOUNT}/ram:IBANID")
add_debit_rule(payment, "BR-DE-20", contexts.DEBIT, _DEBITED)
