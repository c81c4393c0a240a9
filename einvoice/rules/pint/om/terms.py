"""Transaction type, currencies and paths for the rules of PINT OM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from einvoice.rules.node import Node
from einvoice.rules.pint.conditions import LINES, TYPE_CODES, Test, castable, text_at
from einvoice.rules.values import ZERO, decimal_of, normalized
from einvoice.rules.view import View

CATEGORY = "cac:ClassifiedTaxCategory"
LINE_CATEGORY = f"cac:Item/{CATEGORY}"
EXTENDED = "cac:ItemPriceExtension"
LINE_TAX = f"{EXTENDED}/cac:TaxTotal/cbc:TaxAmount"
COUNTRY = "cac:Country/cbc:IdentificationCode"
ADDRESS = (
    "cbc:StreetName",
    "cbc:AdditionalStreetName",
    "cbc:CityName",
    "cbc:PostalZone",
    "cac:AddressLine/cbc:Line",
)
ITEM_TYPE = "cac:Item/cac:ItemSpecificationDocumentReference"
CLASS = "cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode"
STANDARD_RATE = Decimal(5)
CENT = Decimal("0.01")
BAISA = Decimal("0.001")
ANY_AMOUNT = (
    "cbc:TaxExclusiveAmount",
    "cbc:TaxInclusiveAmount",
    "cbc:AllowanceTotalAmount",
    "cbc:ChargeTotalAmount",
    "cbc:PrepaidAmount",
    "cbc:PayableAmount",
    "cbc:Amount",
    "cbc:PriceAmount",
    "cbc:BaseAmount",
    "cbc:Quantity",
    "cbc:BaseQuantity",
    "cbc:InvoicedQuantity",
    "cbc:CreditedQuantity",
    "cbc:TaxAmount",
    "cbc:LineExtensionAmount",
)
GATHERED = (
    *ANY_AMOUNT,
    "cac:InvoiceLine",
    "cac:CreditNoteLine",
    "cac:TaxCategory",
    "cac:ItemPriceExtension",
    "cbc:TaxExemptionReasonCode",
)

# The kinds of transactions (BTOM-001) in the order of their digits; five more are not used.
FULL, SIMPLIFIED, SELF_BILLED, THIRD_PARTY, SUMMARY = range(5)
CONTINUOUS, EXPORT, DEEMED, IMPORT_RCM, MARGIN = range(5, 10)
MARGIN_SELF, E_COMMERCE, IMPORT_GOODS, SPECIAL_ZONE, PREPAYMENT = range(10, 15)
_DIGITS = 20


@dataclass(frozen=True, slots=True)
class Transaction:
    """The transaction type of a document as written, and which kinds it names."""

    written: str
    kinds: frozenset[int]

    @property
    def is_well_formed(self) -> bool:
        return len(self.written) == _DIGITS and set(self.written) <= {"0", "1"}

    def is_any(self, *kinds: int) -> bool:
        return not self.kinds.isdisjoint(kinds)


def transaction(view: View) -> Transaction:
    """The transaction type, the name of the first type code."""
    codes = [code for path in TYPE_CODES for code in view.root.all(path)]
    names = [code.attributes["name"] for code in codes if "name" in code.attributes]
    written = normalized(names[0]) if names else ""
    found = Transaction(written, frozenset())
    if not found.is_well_formed:
        return found
    return Transaction(written, frozenset(n for n, digit in enumerate(written) if digit == "1"))


def is_any(*kinds: int) -> Test:
    """Whether the document is of one of these kinds of transactions."""
    return lambda _, view: view.once(transaction).is_any(*kinds)


def type_code(view: View) -> str:
    """The first type code (BT-3)."""
    codes = [code.text for path in TYPE_CODES for code in view.root.all(path)]
    return normalized(codes[0]) if codes else ""


def is_type(*codes: str) -> Test:
    """Whether the type of the document (BT-3) is one of these."""
    return lambda _, view: view.once(type_code) in codes


def currency(view: View) -> str:
    """The invoice currency (BT-5). Raises MoreThanOneItem."""
    return text_at(view.root, "cbc:DocumentCurrencyCode")


def tax_currency(view: View) -> str:
    """The tax accounting currency (BT-6). Raises MoreThanOneItem."""
    return text_at(view.root, "cbc:TaxCurrencyCode")


def exchange_rate(view: View) -> Decimal | None:
    return castable(view.root, "cac:TaxExchangeRate/cbc:CalculationRate")


def lines(view: View) -> list[Node]:
    return [line for name in LINES for line in view.root.all(name)]


def adjustments(view: View, indicator: str) -> list[Node]:
    """The allowances ("false") or charges ("true") of the document."""
    found = view.root.all("cac:AllowanceCharge")
    return [each for each in found if indicator in each.texts("cbc:ChargeIndicator")]


def of_category(groups: Iterable[Node], path: str, code: str) -> Iterator[Node]:
    """The groups that have this VAT category on the path."""
    return (each for each in groups if code in each.texts(f"{path}/cbc:ID"))


def total(groups: Iterable[Node], path: str) -> Decimal:
    """The sum of all numbers on the path. Raises InvalidNumber."""
    found = (decimal_of(each) for group in groups for each in group.all(path))
    return sum(found, ZERO)


def within(left: Decimal | None, right: Decimal | None, tolerance: Decimal) -> bool:
    """Whether two numbers are there and no more apart than this."""
    return left is not None and right is not None and abs(left - right) <= tolerance


def references(view: View, code: str) -> list[Node]:
    """The supporting documents of this type."""
    found = view.root.all("cac:AdditionalDocumentReference")
    return [each for each in found if code in each.texts("cbc:DocumentTypeCode")]
