"""Swedish rules for CII."""

from __future__ import annotations

from collections.abc import Callable

from einvoice.rules.book import BROKEN, Chapter, Condition, Context, Flag, Kind, Pattern, Values
from einvoice.rules.check_digits import swedish
from einvoice.rules.cii_paths import (
    COUNTRY,
    LEGAL_ID,
    MEANS,
    SELLER,
    TAX_ID,
    single_text,
    to_double,
    with_scheme,
)
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.national.parties_cii import seller_addresses_as_written
from einvoice.rules.national.sweden import BANKGIRO, F_TAX, PLUSGIRO, STANDARD_RATES
from einvoice.rules.node import Node
from einvoice.rules.values import is_number, normalized
from einvoice.rules.view import View

sweden = Chapter(Layer.PEPPOL_CII)
_ROOT = "rsm:CrossIndustryInvoice"
_MEANS = f"/{_ROOT}/rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement/{MEANS}"
_ACCOUNT = f"{_MEANS}/ram:PayeePartyCreditorFinancialAccount/ram:ProprietaryID"
_BRANCH = "ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID"


def _has_swedish_address(party: Node) -> bool:
    return "SE" in party.texts(COUNTRY)


def _is_swedish_vat(registration: Node) -> bool:
    return single_text(with_scheme(registration.all("ram:ID"), "VAT"))[:2] == "SE"


def _seller_with_vat_number(seller: Node, _: View) -> bool:
    registrations = seller.all("ram:SpecifiedTaxRegistration")
    return _has_swedish_address(seller) and any(_is_swedish_vat(each) for each in registrations)


def _registered_organisation(organisation: Node, _: View) -> bool:
    return _has_swedish_address(organisation.up(1)) and organisation.has("ram:ID")


def _other_registration(identifier: Node, _: View) -> bool:
    """A tax registration other than VAT, of a party with an organisation number."""
    seller = identifier.up(2)
    return (
        identifier.attributes.get("schemeID") == "FC"
        and _has_swedish_address(seller)
        and seller.has(LEGAL_ID)
    )


def _swedish_seller(view: View) -> bool:
    return "SE" in view.once(seller_addresses_as_written)


def _swedish_vat_seller(view: View) -> bool:
    """Whether a seller has a Swedish address and VAT number; not with two numbers in one group."""
    try:
        return any(
            _is_swedish_vat(registration)
            for seller in view.root.all(SELLER)
            if _has_swedish_address(seller)
            for registration in seller.all("ram:SpecifiedTaxRegistration")
        )
    except MoreThanOneItem:
        return False


def _any_in_sweden(trade: Node, party: str) -> bool:
    parties = trade.all(f"ram:ApplicableHeaderTradeAgreement/ram:{party}")
    return any(_has_swedish_address(each) for each in parties)


def _giro_account(branch: str) -> Condition:
    def matches(account: Node, _: View) -> bool:
        means = account.up(2)
        return (
            _any_in_sweden(means.up(2), "SellerTradeParty")
            and normalized(means.text_of("ram:TypeCode")) == "30"
            and normalized(means.text_of(_BRANCH)) == branch
        )

    return matches


def _giro_code(means: Node, _: View) -> bool:
    return _any_in_sweden(means.up(2), "SellerTradeParty") and normalized(
        means.text_of("ram:TypeCode")
    ) in ("50", "56")


def _debit_between_swedes(means: Node, _: View) -> bool:
    trade = means.up(2)
    return (
        _any_in_sweden(trade, "SellerTradeParty")
        and _any_in_sweden(trade, "BuyerTradeParty")
        and normalized(means.text_of("ram:TypeCode")) == "31"
    )


_pattern = Pattern(_swedish_seller)
VAT_SELLER = _pattern.context(f"{_ROOT}/{SELLER}", when=_seller_with_vat_number)
ORGANISATION = _pattern.context(
    f"{_ROOT}/{SELLER}/ram:SpecifiedLegalOrganization", when=_registered_organisation
)
TAX_REGISTRATION = _pattern.context(f"{_ROOT}/{SELLER}/{TAX_ID}", when=_other_registration)
TAX = _pattern.context(
    "ram:ApplicableTradeTax",
    "ram:CategoryTradeTax",
    when=lambda _, view: view.once(_swedish_vat_seller),
)
PLUSGIRO_ACCOUNT = _pattern.context(_ACCOUNT, when=_giro_account(PLUSGIRO))
BANKGIRO_ACCOUNT = _pattern.context(_ACCOUNT, when=_giro_account(BANKGIRO))
GIRO_CODE = _pattern.context(_MEANS, when=_giro_code)
DEBIT_BETWEEN_SWEDES = _pattern.context(_MEANS, when=_debit_between_swedes)


def _single_vat_number(seller: Node) -> str:
    """The VAT number (BT-31); "" without one. Raises MoreThanOneItem."""
    return single_text(with_scheme(seller.all(TAX_ID), "VAT"))


@sweden.rule("SE-R-001", "BT-31", at=VAT_SELLER, kind=Kind.FORMAT)
def vat_number_has_its_length(seller: Node, _: View) -> Values | None:
    """A Swedish VAT number (BT-31) has 14 characters."""
    text = _single_vat_number(seller)
    return None if len(normalized(text)) == 14 else {"text": text}


@sweden.rule("SE-R-002", "BT-31", at=VAT_SELLER, kind=Kind.FORMAT)
def vat_number_is_numeric(seller: Node, _: View) -> Values | None:
    """After SE, a Swedish VAT number (BT-31) is a number of twelve characters."""
    text = _single_vat_number(seller)
    return None if is_number(text[2:14]) else {"text": text}


@sweden.rule("SE-R-003", "BT-30", at=ORGANISATION, kind=Kind.FORMAT)
def organisation_number_is_numeric(organisation: Node, _: View) -> Values | None:
    """A Swedish organisation number (BT-30) is a number."""
    text = organisation.text_of("ram:ID")
    return None if is_number(text) else {"text": text}


@sweden.rule("SE-R-004", "BT-30", at=ORGANISATION, kind=Kind.FORMAT)
def organisation_number_has_its_length(organisation: Node, _: View) -> Values | None:
    """A Swedish organisation number (BT-30) has ten characters."""
    text = organisation.text_of("ram:ID")
    return None if len(normalized(text)) == 10 else {"text": text}


@sweden.rule("SE-R-013", "BT-30", at=ORGANISATION, kind=Kind.FORMAT)
def organisation_number_has_its_check_digit(organisation: Node, _: View) -> Values | None:
    """The last digit of a Swedish organisation number (BT-30) is its check digit."""
    text = organisation.text_of("ram:ID")
    return None if swedish(normalized(text)) else {"text": text}


@sweden.rule("SE-R-005", "BT-32", at=TAX_REGISTRATION)
def f_tax_is_stated(identifier: Node, _: View) -> Values | None:
    """The tax registration of a Swedish seller (BT-32) states that it is approved for F-tax."""
    stated = normalized(identifier.text.upper())
    return None if stated == F_TAX else {"text": identifier.text}


@sweden.rule("SE-R-006", "BT-96 BT-103 BT-119 BT-152", at=TAX)
def rate_is_swedish(tax: Node, _: View) -> Values | None:
    """A VAT rate of a Swedish seller (BT-119, BT-152) is 25, 12 or 6, whatever the category."""
    text = tax.text_of("ram:RateApplicablePercent")
    return None if to_double(text) in STANDARD_RATES else {"rate": text}


def _add(rule: str, at: Context, holds: Callable[[str], bool], requires: str) -> None:
    def check(account: Node, _: View) -> Values | None:
        return None if holds(normalized(account.text)) else {"text": account.text}

    sweden.add(rule, "BT-84", at, check, requires, Flag.WARNING, Kind.FORMAT)


_add("SE-R-007", PLUSGIRO_ACCOUNT, is_number, "A Plusgiro account (BT-84) is a number")
_add(
    "SE-R-010",
    PLUSGIRO_ACCOUNT,
    lambda text: 2 <= len(text) <= 8,
    "A Plusgiro account (BT-84) has two to eight characters",
)
_add("SE-R-008", BANKGIRO_ACCOUNT, is_number, "A Bankgiro account (BT-84) is a number")
_add(
    "SE-R-009",
    BANKGIRO_ACCOUNT,
    lambda text: len(text) in (7, 8),
    "A Bankgiro account (BT-84) has seven or eight characters",
)


@sweden.rule("SE-R-011", "BT-81", at=GIRO_CODE, flag=Flag.WARNING)
def giro_is_a_credit_transfer(_: Node, __: View) -> Values | None:
    """For Bankgiro and Plusgiro the payment means (BT-81) is 30 with a branch, not 50 or 56."""
    return BROKEN


@sweden.rule("SE-R-012", "BT-81", at=DEBIT_BETWEEN_SWEDES, flag=Flag.WARNING)
def transfer_between_swedes_is_30(_: Node, __: View) -> Values | None:
    """Between Swedish parties the payment means (BT-81) of a credit transfer is 30, not 31."""
    return BROKEN
