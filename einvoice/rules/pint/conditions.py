"""Conditions that rules of PINT are made of: a test of a node is true if the rule is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal

from einvoice.rules.book import BROKEN, Chapter, Check, Context, Flag, Kind, Values
from einvoice.rules.evaluation_errors import EvaluationError, MoreThanOneItem
from einvoice.rules.node import Node
from einvoice.rules.values import (
    XML_SPACE,
    above,
    decimal_of,
    double_of,
    normalized,
    parse_decimal,
)
from einvoice.rules.view import View

Test = Callable[[Node, View], bool]
Requirement = tuple[str, str, Test, str]  # rule id, business terms, test, requirement in words

Rated = Mapping[Decimal, list[Node]]

LINES = ("cac:InvoiceLine", "cac:CreditNoteLine")
TYPE_CODES = ("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode")


def require(
    chapter: Chapter,
    at: Context,
    rows: Iterable[Requirement],
    kind: Kind = Kind.OTHER,
    flag: Flag = Flag.FATAL,
) -> None:
    """Declare a rule for each row: broken where its test is not true."""
    for rule, terms, test, requires in rows:
        chapter.add(rule, terms, at, broken_unless(test), requires, flag, kind)


def broken_unless(test: Test) -> Check:
    """The check that a test is true."""

    def check(node: Node, view: View) -> Values | None:
        return None if test(node, view) else BROKEN

    return check


def given(*paths: str) -> Test:
    """Whether an element is on each of the paths."""
    return lambda node, _: all(node.has(path) for path in paths)


def given_any(*paths: str) -> Test:
    """Whether an element is on one of the paths."""
    return lambda node, _: any(node.has(path) for path in paths)


def not_given(*paths: str) -> Test:
    """Whether no element is on any of the paths."""
    return lambda node, _: not any(node.has(path) for path in paths)


def among(path: str, *codes: str) -> Test:
    """Whether some text on the path is exactly one of the codes."""
    return lambda node, _: any(text in codes for text in node.texts(path))


def begins(path: str, *starts: str) -> Test:
    """Whether the text on the path begins with one of these. Raises MoreThanOneItem."""
    return lambda node, view: normalized(view.text_node(node, path)).startswith(starts)


def unless(condition: Test, test: Test) -> Test:
    """Whether the condition is true, or else the test is."""
    return lambda node, view: condition(node, view) or test(node, view)


def where(condition: Test, test: Test) -> Test:
    """Whether the test is true where the condition is."""
    return lambda node, view: not condition(node, view) or test(node, view)


def at_most(path: str, most: int = 1) -> Test:
    """Whether there are at most so many elements on the path."""
    return lambda node, _: len(node.all(path)) <= most


def in_line(node: Node) -> bool:
    """Whether the node is in a line."""
    return any(node.within(name) for name in LINES)


def payment_is_agreed(due: Node, view: View) -> bool:
    """Whether an amount due above 0 has a due date or payment terms. Raises InvalidNumber."""
    if not above(due, 0):
        return True
    terms = (each.has("cbc:Note") for each in view.everywhere("cac:PaymentTerms"))
    return bool(view.everywhere("cbc:DueDate")) or any(terms) or double_of(due) <= 0


def coded_in(codes: Iterable[str]) -> Check:
    """The check that a text, spaces around it aside, is one of these codes."""
    allowed = frozenset(codes)

    def check(node: Node, _: View) -> Values | None:
        found = node.text.strip(XML_SPACE)
        return None if found in allowed else {"code": node.text, "codes": sorted(allowed)}

    return check


def is_blank(node: Node) -> bool:
    """Whether a node has no children and only white space."""
    return not node.children and not node.text.strip(XML_SPACE)


def not_blank(node: Node, _: View) -> bool:
    return not is_blank(node)


class Computed:
    """Values of one document by key, each computed once, also where that raises.

    So that a rule which is run on every row of a document does not add up all lines each time.
    """

    def __init__(self) -> None:
        self._values: dict[object, object] = {}
        self._errors: dict[object, EvaluationError] = {}

    def number(self, key: object, compute: Callable[[], Decimal]) -> Decimal:
        """The number of a key. Raises what the computation raised."""
        if key in self._errors:
            raise self._errors[key].with_traceback(None)
        found = self._values.get(key)
        if not isinstance(found, Decimal):
            try:
                found = self._values[key] = compute()
            except EvaluationError as error:
                self._errors[key] = error
                raise
        return found


def computed(_: View) -> Computed:
    """The values of a document, for `View.once`."""
    return Computed()


def by_rate(groups: Iterable[Node], rate: Callable[[Node], Decimal | None]) -> Rated:
    """The groups by their VAT rate, without those that have none."""
    found: dict[Decimal, list[Node]] = {}
    for group in groups:
        if (number := rate(group)) is not None:
            found.setdefault(number, []).append(group)
    return found


def castable(node: Node, path: str) -> Decimal | None:
    """The decimal on the path if there is exactly one text, and it is a number; else None."""
    found = node.all(path)
    return parse_decimal(found[0].text) if len(found) == 1 else None


def one_number(nodes: Iterable[Node], path: str) -> Decimal | None:
    """The decimal on the path of nodes that have one at most between them."""
    found = [each for node in nodes for each in node.all(path)]
    if len(found) > 1:
        raise MoreThanOneItem(found[0], path, len(found))
    return decimal_of(found[0]) if found else None


def text_at(node: Node, path: str) -> str:
    """The one text on the path, with white space normalized. Raises MoreThanOneItem."""
    return normalized(node.text_of(path))


def rounded(number: float) -> float:
    """round() of a double: half goes towards plus infinity."""
    return float((Decimal(number) + Decimal("0.5")).to_integral_value("ROUND_FLOOR"))
