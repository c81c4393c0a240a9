"""Conditions and numbers that rules of ZATCA are made of.

Amounts are compared as texts of two decimals, as the official rules do: half is rounded to the even
cent, and no number is `NaN`, which equals itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Final

from einvoice.rules.book import BROKEN, Chapter, Check, Context, Flag, Kind, Values
from einvoice.rules.en16931.ubl.conditions import indicated, is_vat
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer, Syntax
from einvoice.rules.node import Node
from einvoice.rules.values import normalized, parse_double
from einvoice.rules.view import View

Test = Callable[[Node, View], bool]  # whether a rule is broken
Row = tuple[str, str, Test, str]  # rule id, business terms, test, requirement

KSA: Final = Layer("ZATCA-KSA-UBL", Syntax.UBL, "network")
EN: Final = Layer("ZATCA-EN-UBL", Syntax.UBL, "en16931")
WARNING: Final = Flag.WARNING
FATAL: Final = Flag.FATAL

SELLER, BUYER = (f"cac:Accounting{who}Party/cac:Party" for who in ("Supplier", "Customer"))
VAT_ID: Final = "cac:PartyTaxScheme/cbc:CompanyID"
NAME: Final = "cac:PartyLegalEntity/cbc:RegistrationName"
PARTY_ID: Final = "cac:PartyIdentification/cbc:ID"
ADDRESS: Final = "cac:PostalAddress"
_STANDARD: Final = re.compile(r"01\d{5}")
_SIMPLIFIED: Final = re.compile(r"02\d{5}")
_SUMMARY: Final = re.compile(r"02\d{3}1\d")
_CENT: Final = Decimal("0.01")


def declare(
    chapter: Chapter, at: Context, flag: Flag, rows: Iterable[Row], kind: Kind = Kind.OTHER
) -> None:
    """Declare a rule for each row: broken where its test is true."""
    for rule, terms, test, requires in rows:
        chapter.add(rule, terms, at, _check(test), requires, flag, kind)


def _check(test: Test) -> Check:
    def check(node: Node, view: View) -> Values | None:
        return BROKEN if test(node, view) else None

    return check


# -- the kind of a document ------------------------------------------------------------------------


def _named(pattern: re.Pattern[str]) -> Callable[[View], bool]:
    def names(view: View) -> bool:
        codes = view.root.all("cbc:InvoiceTypeCode")
        return any(pattern.search(code.attributes.get("name", "")) for code in codes)

    return names


standard: Final = _named(_STANDARD)
simplified: Final = _named(_SIMPLIFIED)
summary: Final = _named(_SUMMARY)  # a simplified document of several supplies


def type_name(node: Node) -> str:
    """The flags of a document, of the node of its type."""
    return node.attributes.get("name", "")


# -- texts -----------------------------------------------------------------------------------------


def lacks(*paths: str) -> Test:
    """Whether an element is missing on one of the paths."""
    return lambda node, _: not all(node.has(path) for path in paths)


def lacks_text(path: str) -> Test:
    """Whether no element on the path has a text."""
    return lambda node, _: not any(node.texts(path))


def blank(path: str) -> Test:
    """Whether there is no text but white space on the path. Raises MoreThanOneItem."""
    return lambda node, _: not normalized(node.text_of(path))


def longer(path: str, most: int) -> Test:
    """Whether the text on the path has more characters. Raises MoreThanOneItem."""
    return lambda node, _: node.has(path) and len(node.text_of(path)) > most


def outside(path: str, least: int, most: int) -> Test:
    """Whether a text on the path has fewer or more characters. Raises MoreThanOneItem."""
    return lambda node, _: node.has(path) and not least <= len(node.text_of(path)) <= most


def in_document(test: Test) -> Test:
    """The test of the document element."""
    return lambda _, view: test(view.root, view)


def of_standard(test: Test) -> Test:
    """The test where the document is a standard one."""
    return lambda node, view: view.once(standard) and test(node, view)


def of_simplified(test: Test) -> Test:
    return lambda node, view: view.once(simplified) and test(node, view)


def any_of(select: Callable[[Node], Iterable[Node]], test: Test) -> Test:
    """Whether the test is true of one of the selected nodes."""
    return lambda node, view: any(test(each, view) for each in select(node))


def unlike(path: str, pattern: re.Pattern[str]) -> Test:
    """Whether the text on the path, "" if there is none, is not as the pattern has it."""
    return lambda node, _: pattern.fullmatch(node.text_of(path)) is None


# -- parts of a document ---------------------------------------------------------------------------


def one(nodes: Sequence[Node], path: str) -> Node | None:
    """The only node. Raises MoreThanOneItem."""
    if len(nodes) > 1:
        raise MoreThanOneItem(nodes[0], path, len(nodes))
    return nodes[0] if nodes else None


def references(document: Node, name: str) -> list[Node]:
    """The additional references of this name."""
    found = document.all("cac:AdditionalDocumentReference")
    return [each for each in found if normalized(each.text_of("cbc:ID")) == name]


def adjustments(node: Node, charge: bool, path: str = "cac:AllowanceCharge") -> list[Node]:
    return [each for each in node.all(path) if indicated(each, charge)]


def category(node: Node) -> str:
    """The code of a VAT category. Raises MoreThanOneItem."""
    return normalized(node.text_of("cbc:ID"))


def out_of_scope(subtotal: Node) -> bool:
    """Whether a subtotal is of what VAT is not about. Raises MoreThanOneItem."""
    return normalized(subtotal.text_of("cac:TaxCategory/cbc:ID")) == "O"


def vat_categories(node: Node, path: str, *codes: str) -> list[Node]:
    """The categories of VAT on the path with one of the codes."""
    return [each for each in node.all(path) if category(each) in codes and is_vat(each)]


# -- numbers ---------------------------------------------------------------------------------------


def number_of(node: Node, path: str) -> float | None:
    """The double on the path, None if there is none; a text that is no number is NaN."""
    found = one(node.all(path), path)
    if found is None:
        return None
    number = parse_double(found.text)
    return float("nan") if number is None else number


def written(number: float | Decimal | None) -> str:
    """An amount with two decimals, as `format-number` writes it."""
    if number is None or number != number:
        return "NaN"
    exact = number if isinstance(number, Decimal) else Decimal(repr(number))
    return f"{exact.quantize(_CENT, ROUND_HALF_EVEN):f}"


def rounded(number: float) -> float:
    """round(): half goes towards plus infinity."""
    if number != number:
        return number
    return float((Decimal(number) + Decimal("0.5")).to_integral_value(ROUND_FLOOR))
