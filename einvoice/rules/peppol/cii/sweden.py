"""Sweden: VAT and organisation numbers, rates, giro accounts."""

from __future__ import annotations

import math
from collections.abc import Callable

from einvoice.rules.book import (
    BROKEN,
    Chapter,
    Condition,
    Context,
    Flag,
    Kind,
    Layer,
    Pattern,
    Values,
)
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.node import Node
from einvoice.rules.peppol.check_digits import swedish
from einvoice.rules.peppol.cii.countries import seller_codes
from einvoice.rules.peppol.cii.paths import (
    COUNTRY,
    LEGAL_ID,
    MEANS,
    SELLER,
    TAX_ID,
    number,
    of_scheme,
    one,
)
from einvoice.rules.values import normalized
from einvoice.rules.view import View

sweden = Chapter(Layer.PEPPOL_CII)
_ROOT = "rsm:CrossIndustryInvoice"
_MEANS = f"/{_ROOT}/rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement/{MEANS}"
_PARTIES = "ram:ApplicableHeaderTradeAgreement"
_RATES = (25, 12, 6)


def _in_sweden(party: Node) -> bool:
    return "SE" in party.texts(COUNTRY)


def _swedish_vat(registration: Node) -> bool:
    return one(of_scheme(registration.all("ram:ID"), "VAT"))[:2] == "SE"


def _with_vat_number(seller: Node, _: View) -> bool:
    registrations = seller.all("ram:SpecifiedTaxRegistration")
    return _in_sweden(seller) and any(_swedish_vat(each) for each in registrations)


def _registered(organisation: Node, _: View) -> bool:
    return _in_sweden(organisation.up(1)) and organisation.has("ram:ID")


def _tax_registered(identifier: Node, _: View) -> bool:
    seller = identifier.up(2)
    return (
        identifier.attributes.get("schemeID") == "FC"
        and _in_sweden(seller)
        and seller.has(LEGAL_ID)
    )


def _at_home(view: View) -> bool:
    return "SE" in view.once(seller_codes)


def _has_swedish_seller(view: View) -> bool:
    """With two VAT numbers in one registration the question has no answer, which means no."""
    try:
        return any(
            _swedish_vat(registration)
            for seller in view.root.all(SELLER)
            if _in_sweden(seller)
            for registration in seller.all("ram:SpecifiedTaxRegistration")
        )
    except MoreThanOneItem:
        return False


def _has_party_in_sweden(trade: Node, party: str) -> bool:
    return any(_in_sweden(each) for each in trade.all(f"{_PARTIES}/ram:{party}"))


def _giro(branch: str) -> Condition:
    institution = "ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID"

    def matches(account: Node, _: View) -> bool:
        means = account.up(2)
        return (
            _has_party_in_sweden(means.up(2), "SellerTradeParty")
            and normalized(means.text_of("ram:TypeCode")) == "30"
            and normalized(means.text_of(institution)) == branch
        )

    return matches


def _old_giro(means: Node, _: View) -> bool:
    return _has_party_in_sweden(means.up(2), "SellerTradeParty") and normalized(
        means.text_of("ram:TypeCode")
    ) in ("50", "56")


def _domestic_debit(means: Node, _: View) -> bool:
    trade = means.up(2)
    return (
        _has_party_in_sweden(trade, "SellerTradeParty")
        and _has_party_in_sweden(trade, "BuyerTradeParty")
        and normalized(means.text_of("ram:TypeCode")) == "31"
    )


_ACCOUNT = f"{_MEANS}/ram:PayeePartyCreditorFinancialAccount/ram:ProprietaryID"
_pattern = Pattern(_at_home)
VAT_SELLER = _pattern.context(f"{_ROOT}/{SELLER}", when=_with_vat_number)
ORGANISATION = _pattern.context(
    f"{_ROOT}/{SELLER}/ram:SpecifiedLegalOrganization", when=_registered
)
TAX_REGISTRATION = _pattern.context(f"{_ROOT}/{SELLER}/{TAX_ID}", when=_tax_registered)
TAX = _pattern.context(
    "ram:ApplicableTradeTax",
    "ram:CategoryTradeTax",
    when=lambda _, view: view.once(_has_swedish_seller),
)
PLUSGIRO = _pattern.context(_ACCOUNT, when=_giro("SE:PLUSGIRO"))
BANKGIRO = _pattern.context(_ACCOUNT, when=_giro("SE:BANKGIRO"))
OLD_GIRO = _pattern.context(_MEANS, when=_old_giro)
DOMESTIC_DEBIT = _pattern.context(_MEANS, when=_domestic_debit)


def _vat_number(seller: Node) -> str:
    return one(of_scheme(seller.all(TAX_ID), "VAT"))


@sweden.rule("SE-R-001", "BT-31", at=VAT_SELLER, kind=Kind.FORMAT)
def vat_number_has_its_length(seller: Node, _: View) -> Values | None:
    """A Swedish VAT number has 14 characters."""
    text = _vat_number(seller)
    return None if len(normalized(text)) == 14 else {"text": text}


@sweden.rule("SE-R-002", "BT-31", at=VAT_SELLER, kind=Kind.FORMAT)
def vat_number_ends_in_digits(seller: Node, _: View) -> Values | None:
    """A Swedish VAT number ends with twelve digits."""
    text = _vat_number(seller)
    return {"text": text} if math.isnan(number(text[2:14])) else None


@sweden.rule("SE-R-003", "BT-30", at=ORGANISATION, kind=Kind.FORMAT)
def organisation_number_is_numeric(organisation: Node, _: View) -> Values | None:
    """A Swedish organisation number is a number."""
    text = organisation.text_of("ram:ID")
    return {"text": text} if math.isnan(number(text)) else None


@sweden.rule("SE-R-004", "BT-30", at=ORGANISATION, kind=Kind.FORMAT)
def organisation_number_has_its_length(organisation: Node, _: View) -> Values | None:
    """A Swedish organisation number has ten characters."""
    text = organisation.text_of("ram:ID")
    return None if len(normalized(text)) == 10 else {"text": text}


@sweden.rule("SE-R-013", "BT-30", at=ORGANISATION, kind=Kind.FORMAT)
def organisation_number_has_its_check_digit(organisation: Node, _: View) -> Values | None:
    """A Swedish organisation number ends with its check digit."""
    text = organisation.text_of("ram:ID")
    return None if swedish(normalized(text)) else {"text": text}


@sweden.rule("SE-R-005", "BT-32", at=TAX_REGISTRATION)
def tax_registration_is_stated(identifier: Node, _: View) -> Values | None:
    """The tax registration of a Swedish seller says that it is approved for F-tax."""
    stated = normalized(identifier.text.upper()) == "GODKÄND FÖR F-SKATT"
    return None if stated else {"text": identifier.text}


@sweden.rule("SE-R-006", "BT-96 BT-103 BT-119 BT-152", at=TAX)
def rate_is_swedish(tax: Node, _: View) -> Values | None:
    """A Swedish seller's rates are 6, 12 or 25, whatever the category."""
    text = tax.text_of("ram:RateApplicablePercent")
    return None if number(text) in _RATES else {"rate": text}


def _account(rule: str, at: Context, holds: Callable[[str], bool], requires: str) -> None:
    def check(account: Node, _: View) -> Values | None:
        return None if holds(normalized(account.text)) else {"text": account.text}

    sweden.add(rule, "BT-84", at, check, requires, Flag.WARNING, Kind.FORMAT)


def _numeric(text: str) -> bool:
    return not math.isnan(number(text))


_account("SE-R-007", PLUSGIRO, _numeric, "A Plusgiro account is a number.")
_account(
    "SE-R-010",
    PLUSGIRO,
    lambda text: 2 <= len(text) <= 8,
    "A Plusgiro account has two to eight characters.",
)
_account("SE-R-008", BANKGIRO, _numeric, "A Bankgiro account is a number.")
_account(
    "SE-R-009",
    BANKGIRO,
    lambda text: len(text) in (7, 8),
    "A Bankgiro account has seven or eight characters.",
)


@sweden.rule("SE-R-011", "BT-81", at=OLD_GIRO, flag=Flag.WARNING)
def giro_is_a_credit_transfer(_: Node, __: View) -> Values | None:
    """Plusgiro and Bankgiro are means 30 with a branch, not 50 or 56."""
    return BROKEN


@sweden.rule("SE-R-012", "BT-81", at=DOMESTIC_DEBIT, flag=Flag.WARNING)
def domestic_transfer_is_30(_: Node, __: View) -> Values | None:
    """Within Sweden, a credit transfer is means 30, not 31."""
    return BROKEN
