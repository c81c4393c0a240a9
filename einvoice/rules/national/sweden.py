"""Swedish sellers, in UBL: registration numbers, F-tax, rates, and how they are paid.

Here, and only here, a seller is looked for anywhere in the document, and is Swedish by address and
VAT number both where it is about VAT.
"""

from __future__ import annotations

from einvoice.rules.book import (
    BROKEN,
    Chapter,
    Check,
    Condition,
    Flag,
    Kind,
    Layer,
    Pattern,
    Values,
)
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.national.countries import vat_numbers
from einvoice.rules.national.identifiers import is_number
from einvoice.rules.node import Node
from einvoice.rules.peppol.check_digits import swedish
from einvoice.rules.values import normalized, parse_double
from einvoice.rules.view import View

sweden = Chapter(
    Layer.PEPPOL_UBL, gathers=("cac:AccountingSupplierParty", "cac:AccountingCustomerParty")
)

F_TAX = "GODKÄND FÖR F-SKATT"
STANDARD_RATES = (25, 12, 6)
PLUSGIRO, BANKGIRO = "SE:PLUSGIRO", "SE:BANKGIRO"
_BRANCH = "cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cbc:ID"


def _at_home(party: Node) -> bool:
    return "SE" in party.texts("cac:PostalAddress/cac:Country/cbc:IdentificationCode")


def _with_vat_number(party: Node) -> bool:
    return _at_home(party) and any(number[:2] == "SE" for number in vat_numbers(party))


def _swedish_seller(view: View) -> bool:
    sellers = view.everywhere("cac:AccountingSupplierParty")
    return any(_at_home(party) for seller in sellers for party in seller.all("cac:Party"))


def _swedish_buyer(view: View) -> bool:
    buyers = view.everywhere("cac:AccountingCustomerParty")
    return any(_at_home(party) for buyer in buyers for party in buyer.all("cac:Party"))


def _swedish_vat_seller(view: View) -> bool:
    sellers = view.everywhere("cac:AccountingSupplierParty")
    return any(_with_vat_number(party) for seller in sellers for party in seller.all("cac:Party"))


def _seller_with_vat_number(party: Node, _: View) -> bool:
    return _with_vat_number(party)


def _legal_entity(entity: Node, _: View) -> bool:
    return entity.has("cbc:CompanyID") and _at_home(entity.up(1))


def _other_registration(number: Node, _: View) -> bool:
    registration = number.up(1)
    party = registration.up(1)
    scheme = registration.text_of("cac:TaxScheme/cbc:ID").upper()
    known = _at_home(party) and party.has("cac:PartyLegalEntity/cbc:CompanyID")
    return known and normalized(scheme) != "VAT"


def _standard_rate(category: Node, view: View) -> bool:
    return view.once(_swedish_vat_seller) and "S" in category.texts("cbc:ID")


def _giro(branch: str) -> Condition:
    def matches(account: Node, _: View) -> bool:
        means = account.up(2)
        return (
            normalized(means.text_of("cbc:PaymentMeansCode")) == "30"
            and normalized(means.text_of(_BRANCH)) == branch
        )

    return matches


def _old_giro(means: Node, _: View) -> bool:
    codes = means.texts("cbc:PaymentMeansCode")
    return "50" in codes or "56" in codes


def _domestic_debit(means: Node, view: View) -> bool:
    return view.once(_swedish_buyer) and "31" in means.texts("cbc:PaymentMeansCode")


_PARTY = "cac:AccountingSupplierParty/cac:Party"
_ACCOUNT = "cac:PaymentMeans/cac:PayeeFinancialAccount/cbc:ID"

_pattern = Pattern(_swedish_seller)
SELLER = _pattern.context(_PARTY, when=_seller_with_vat_number)
LEGAL_ENTITY = _pattern.context(f"{_PARTY}/cac:PartyLegalEntity", when=_legal_entity)
OTHER_NUMBER = _pattern.context(
    f"{_PARTY}/cac:PartyTaxScheme/cbc:CompanyID", when=_other_registration
)
STANDARD_RATE = _pattern.context(
    "cac:TaxCategory", "cac:ClassifiedTaxCategory", when=_standard_rate
)
PLUSGIRO_ACCOUNT = _pattern.context(_ACCOUNT, when=_giro(PLUSGIRO))
BANKGIRO_ACCOUNT = _pattern.context(_ACCOUNT, when=_giro(BANKGIRO))
OLD_GIRO = _pattern.context("cac:PaymentMeans", when=_old_giro)
DOMESTIC_DEBIT = _pattern.context("cac:PaymentMeans", when=_domestic_debit)


def _the_vat_number(seller: Node) -> str:
    """Raises MoreThanOneItem: officially all numbers are put where one belongs."""
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
def vat_number_is_long_enough(seller: Node, _: View) -> Values | None:
    """A Swedish VAT number has 14 characters."""
    number = _the_vat_number(seller)
    return None if len(normalized(number)) == 14 else {"number": number}


@sweden.rule("SE-R-002", "BT-31", at=SELLER, kind=Kind.FORMAT)
def vat_number_is_numeric(seller: Node, _: View) -> Values | None:
    """Behind SE, a Swedish VAT number is digits."""
    number = _the_vat_number(seller)
    return None if is_number(number[2:14]) else {"number": number}


@sweden.rule("SE-R-003", "BT-30", at=LEGAL_ENTITY, kind=Kind.FORMAT, path="cbc:CompanyID")
def organisation_number_is_numeric(entity: Node, _: View) -> Values | None:
    """A Swedish organisation number is a number."""
    number = entity.text_of("cbc:CompanyID")
    return None if is_number(number) else {"identifier": number}


@sweden.rule("SE-R-004", "BT-30", at=LEGAL_ENTITY, kind=Kind.FORMAT, path="cbc:CompanyID")
def organisation_number_is_long_enough(entity: Node, _: View) -> Values | None:
    """A Swedish organisation number has ten characters."""
    number = entity.text_of("cbc:CompanyID")
    return None if len(normalized(number)) == 10 else {"identifier": number}


@sweden.rule("SE-R-013", "BT-30", at=LEGAL_ENTITY, kind=Kind.FORMAT, path="cbc:CompanyID")
def organisation_number_checks(entity: Node, _: View) -> Values | None:
    """The last digit of a Swedish organisation number is its check digit."""
    number = entity.text_of("cbc:CompanyID")
    return None if swedish(normalized(number)) else {"identifier": number}


@sweden.rule("SE-R-005", "BT-32", at=OTHER_NUMBER, kind=Kind.CODE_LIST)
def f_tax_is_stated(number: Node, _: View) -> Values | None:
    """A Swedish seller's other tax registration says that it is approved for F-tax."""
    found = normalized(number.text.upper())
    return None if found == F_TAX else {"code": number.text, "expected": F_TAX}


@sweden.rule("SE-R-006", "BT-119 BT-152", at=STANDARD_RATE, kind=Kind.CATEGORY)
def rate_is_a_swedish_one(category: Node, _: View) -> Values | None:
    """Standard rated VAT of a Swedish seller is 25, 12 or 6 percent."""
    rate = category.text_of("cbc:Percent")
    return None if parse_double(rate) in STANDARD_RATES else {"rate": rate}


def _is_account_number(account: Node, _: View) -> Values | None:
    return None if is_number(normalized(account.text)) else {"identifier": account.text}


def _has_length(low: int, high: int) -> Check:
    def check(account: Node, _: View) -> Values | None:
        fits = low <= len(normalized(account.text)) <= high
        return None if fits else {"identifier": account.text, "shortest": low, "longest": high}

    return check


def _discouraged(_: Node, __: View) -> Values | None:
    return BROKEN


for _rule, _terms, _context, _check, _requires in (
    ("SE-R-007", "BT-84", PLUSGIRO_ACCOUNT, _is_account_number, "A Plusgiro account is a number"),
    ("SE-R-010", "BT-84", PLUSGIRO_ACCOUNT, _has_length(2, 8),
     "A Plusgiro account has two to eight digits"),
    ("SE-R-008", "BT-84", BANKGIRO_ACCOUNT, _is_account_number, "A Bankgiro account is a number"),
    ("SE-R-009", "BT-84", BANKGIRO_ACCOUNT, _has_length(7, 8),
     "A Bankgiro account has seven or eight digits"),
    ("SE-R-011", "BT-81", OLD_GIRO, _discouraged,
     "For a Bankgiro or Plusgiro the means is 30, with the giro as the bank, not 50 or 56"),
    ("SE-R-012", "BT-81", DOMESTIC_DEBIT, _discouraged,
     "Between Swedish parties a credit transfer is means 30, not 31"),
):  # fmt: skip
    sweden.add(_rule, _terms, _context, _check, _requires, Flag.WARNING, Kind.FORMAT)
