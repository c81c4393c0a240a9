"""Swedish rules for UBL. Only here are sellers and buyers looked for anywhere in the document."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Check, Condition, Flag, Kind, Pattern, Values
from einvoice.rules.check_digits import swedish
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.national.parties_ubl import COUNTRY, SELLER_PARTY, vat_numbers
from einvoice.rules.national.sweden import BANKGIRO, F_TAX, PLUSGIRO, STANDARD_RATES
from einvoice.rules.node import Node
from einvoice.rules.values import is_number, normalized, parse_double
from einvoice.rules.view import View

sweden = Chapter(
    Layer.PEPPOL_UBL, gathers=("cac:AccountingSupplierParty", "cac:AccountingCustomerParty")
)

_BRANCH = "cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cbc:ID"
_ACCOUNT = "cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:ID"


def _has_swedish_address(party: Node) -> bool:
    return "SE" in party.texts(COUNTRY)


def _has_swedish_vat_number(party: Node) -> bool:
    """Whether address and VAT number are both Swedish."""
    return _has_swedish_address(party) and any(number[:2] == "SE" for number in vat_numbers(party))


def _swedish_seller(view: View) -> bool:
    sellers = view.everywhere("cac:AccountingSupplierParty")
    return any(_has_swedish_address(party) for each in sellers for party in each.all("cac:Party"))


def swedish_buyer(view: View) -> bool:
    buyers = view.everywhere("cac:AccountingCustomerParty")
    return any(_has_swedish_address(party) for each in buyers for party in each.all("cac:Party"))


def _swedish_vat_seller(view: View) -> bool:
    sellers = view.everywhere("cac:AccountingSupplierParty")
    return any(
        _has_swedish_vat_number(party) for each in sellers for party in each.all("cac:Party")
    )


def _seller_with_vat_number(party: Node, _: View) -> bool:
    return _has_swedish_vat_number(party)


def _registered_entity(entity: Node, _: View) -> bool:
    return entity.has("cbc:CompanyID") and _has_swedish_address(entity.up(1))


def _other_registration(number: Node, _: View) -> bool:
    """A tax registration other than VAT, of a party with an organisation number."""
    registration = number.up(1)
    party = registration.up(1)
    scheme = registration.text_of("cac:TaxScheme/cbc:ID").upper()
    registered = _has_swedish_address(party) and party.has("cac:PartyLegalEntity/cbc:CompanyID")
    return registered and normalized(scheme) != "VAT"


def _standard_rated(category: Node, view: View) -> bool:
    return view.once(_swedish_vat_seller) and "S" in category.texts("cbc:ID")


def _giro_account(branch: str) -> Condition:
    def matches(account: Node, _: View) -> bool:
        means = account.up(2)
        return (
            normalized(means.text_of("cbc:PaymentMeansCode")) == "30"
            and normalized(means.text_of(_BRANCH)) == branch
        )

    return matches


def _giro_code(means: Node, _: View) -> bool:
    codes = means.texts("cbc:PaymentMeansCode")
    return "50" in codes or "56" in codes


def _debit_between_swedes(means: Node, view: View) -> bool:
    return view.once(swedish_buyer) and "31" in means.texts("cbc:PaymentMeansCode")


_pattern = Pattern(_swedish_seller)
SELLER = _pattern.context(SELLER_PARTY, when=_seller_with_vat_number)
LEGAL_ENTITY = _pattern.context(f"{SELLER_PARTY}/cac:PartyLegalEntity", when=_registered_entity)
OTHER_NUMBER = _pattern.context(
    f"{SELLER_PARTY}/cac:PartyTaxScheme/cbc:CompanyID", when=_other_registration
)
STANDARD_RATE = _pattern.context(
    "cac:TaxCategory", "cac:ClassifiedTaxCategory", when=_standard_rated
)
PLUSGIRO_ACCOUNT = _pattern.context(_ACCOUNT, when=_giro_account(PLUSGIRO))
BANKGIRO_ACCOUNT = _pattern.context(_ACCOUNT, when=_giro_account(BANKGIRO))
GIRO_CODE = _pattern.context("cac:PaymentMeans", when=_giro_code)
DEBIT_BETWEEN_SWEDES = _pattern.context("cac:PaymentMeans", when=_debit_between_swedes)


def _single_vat_number(seller: Node) -> str:
    """The VAT number (BT-31); "" without one. Raises MoreThanOneItem."""
    numbers = [
        number
        for registration in seller.all("cac:PartyTaxScheme")
        if "VAT" in registration.texts("cac:TaxScheme/cbc:ID")
        for number in registration.all("cbc:CompanyID")
    ]
    if len(numbers) > 1:
        raise MoreThanOneItem(numbers[0], "cac:PartyTaxScheme/cbc:CompanyID", len(numbers))
    return numbers[0].text if numbers else ""


@sweden.rule("SE-R-001", "BT-31", at=SELLER, kind=Kind.FORMAT)
def vat_number_has_its_length(seller: Node, _: View) -> Values | None:
    """A Swedish VAT number (BT-31) has 14 characters."""
    number = _single_vat_number(seller)
    return None if len(normalized(number)) == 14 else {"number": number}


@sweden.rule("SE-R-002", "BT-31", at=SELLER, kind=Kind.FORMAT)
def vat_number_is_numeric(seller: Node, _: View) -> Values | None:
    """After SE, a Swedish VAT number (BT-31) is a number of twelve characters."""
    number = _single_vat_number(seller)
    return None if is_number(number[2:14]) else {"number": number}


@sweden.rule("SE-R-003", "BT-30", at=LEGAL_ENTITY, kind=Kind.FORMAT, path="cbc:CompanyID")
def organisation_number_is_numeric(entity: Node, _: View) -> Values | None:
    """A Swedish organisation number (BT-30) is a number."""
    number = entity.text_of("cbc:CompanyID")
    return None if is_number(number) else {"identifier": number}


@sweden.rule("SE-R-004", "BT-30", at=LEGAL_ENTITY, kind=Kind.FORMAT, path="cbc:CompanyID")
def organisation_number_has_its_length(entity: Node, _: View) -> Values | None:
    """A Swedish organisation number (BT-30) has ten characters."""
    number = entity.text_of("cbc:CompanyID")
    return None if len(normalized(number)) == 10 else {"identifier": number}


@sweden.rule("SE-R-013", "BT-30", at=LEGAL_ENTITY, kind=Kind.FORMAT, path="cbc:CompanyID")
def organisation_number_has_its_check_digit(entity: Node, _: View) -> Values | None:
    """The last digit of a Swedish organisation number (BT-30) is its check digit."""
    number = entity.text_of("cbc:CompanyID")
    return None if swedish(normalized(number)) else {"identifier": number}


@sweden.rule("SE-R-005", "BT-32", at=OTHER_NUMBER, kind=Kind.CODE_LIST)
def f_tax_is_stated(number: Node, _: View) -> Values | None:
    """The tax registration of a Swedish seller (BT-32) states that it is approved for F-tax."""
    stated = normalized(number.text.upper())
    return None if stated == F_TAX else {"code": number.text, "expected": F_TAX}


@sweden.rule("SE-R-006", "BT-119 BT-152", at=STANDARD_RATE, kind=Kind.CATEGORY)
def rate_is_swedish(category: Node, _: View) -> Values | None:
    """The standard VAT rate of a Swedish seller (BT-119, BT-152) is 25, 12 or 6 percent."""
    rate = category.text_of("cbc:Percent")
    return None if parse_double(rate) in STANDARD_RATES else {"rate": rate}


def _is_account_number(account: Node, _: View) -> Values | None:
    return None if is_number(normalized(account.text)) else {"identifier": account.text}


def _has_length(shortest: int, longest: int) -> Check:
    def check(account: Node, _: View) -> Values | None:
        if shortest <= len(normalized(account.text)) <= longest:
            return None
        return {"identifier": account.text, "shortest": shortest, "longest": longest}

    return check


def _always_broken(_: Node, __: View) -> Values | None:
    return BROKEN


for _rule, _terms, _context, _check, _requires in (
    ("SE-R-007", "BT-84", PLUSGIRO_ACCOUNT, _is_account_number,
     "A Plusgiro account (BT-84) is a number"),
    ("SE-R-010", "BT-84", PLUSGIRO_ACCOUNT, _has_length(2, 8),
     "A Plusgiro account (BT-84) has two to eight characters"),
    ("SE-R-008", "BT-84", BANKGIRO_ACCOUNT, _is_account_number,
     "A Bankgiro account (BT-84) is a number"),
    ("SE-R-009", "BT-84", BANKGIRO_ACCOUNT, _has_length(7, 8),
     "A Bankgiro account (BT-84) has seven or eight characters"),
    ("SE-R-011", "BT-81", GIRO_CODE, _always_broken,
     "For Bankgiro and Plusgiro the payment means (BT-81) is 30 with a branch, not 50 or 56"),
    ("SE-R-012", "BT-81", DEBIT_BETWEEN_SWEDES, _always_broken,
     "Between Swedish parties the payment means (BT-81) of a credit transfer is 30, not 31"),
):  # fmt: skip
    sweden.add(_rule, _terms, _context, _check, _requires, Flag.WARNING, Kind.FORMAT)
