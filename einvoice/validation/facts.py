"""What may stand in braces in the texts: the facts about one finding, as people read them.

From the place: `where` and `Where` ("line 3", "the supplier"), `within` ("in line 3"), `line` and
`item` (from 1), `element`.
From the rule: `rule`, `asked` (the element or attribute below the place that it is about),
`attribute` (only if it is one), `term` and `Term` ("the invoice number", else the element), `Named`
(only if the term has a name), `requires`, `field`, `endpoint_field`, `list` and `version` of its
code list, `category`, `category_name`, `vatex`, and its own parameters.
From the document: `text` or `code` as written, `codes` that may have been meant, what is `bare`
where only the blanks around it are wrong, what is `missing` (and `Missing`), and whatever the rule
tells: `declared`, `expected` and the same `rounded` to cents, `difference`, `rate`, `count`,
`most`, `start`, `end` …
A fact that is not at hand is absent, and texts that need it are not used.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from lxml import etree

from einvoice.rules.book import Kind, Rule
from einvoice.rules.codelists import CodeList, code_list
from einvoice.rules.evaluation import RuleFinding
from einvoice.rules.values import decimals, parse_decimal
from einvoice.validation import texts
from einvoice.validation.codes import nearest
from einvoice.validation.locations import Location
from einvoice.validation.terms import whole

_LONGEST = 80  # characters shown of a text that stands in a document
_LISTED = 5
_CENT = Decimal("0.01")
_QUOTED = frozenset({"text", "code", "number", "identifier"})  # texts put in quotation marks
_ENDPOINTS = {"seller": "invoice.supplier.endpointId", "buyer": "invoice.buyer.endpointId"}


def facts_of(
    fired: RuleFinding, location: Location, element: etree._Element | None, term: str | None,
    field: str | None, words: Mapping[str, Any],
) -> dict[str, str]:  # fmt: skip
    """Every fact about one finding that is at hand, by its name."""
    told = {**(fired.rule.parameters if fired.rule else {}), **fired.values}
    told |= {name: _number(told[name]) for name in ("declared", "expected") if name in told}
    facts = {
        name: _with_edges(value) if name in _QUOTED else shown(value)
        for name, value in told.items()
        if name != "codes"
    }
    facts["codes_found"] = shown(told.get("codes"))
    facts["rule"] = facts.get("rule") or fired.id
    facts["field"] = field or ""
    facts["endpoint_field"] = _ENDPOINTS.get(location.part, "")
    _add_place(facts, fired, location, term, words)
    _add_written(facts, fired.rule, element)
    _add_code_list(facts, told)
    _add_blanks(facts, told)
    _add_difference(facts, told)
    _add_category(facts, fired.id, words["categories"])
    if fired.rule is not None and not _technical(fired.rule.requires):
        facts["requires"] = fired.rule.requires.rstrip(".") + "."
    return facts


def shown(value: object) -> str:
    """A value of a document, made fit for a sentence: one line, no controls, not too long."""
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return _cut(_plain(value))
    if isinstance(value, (list, tuple, set, frozenset)):
        return _several(value)
    text = str(value)[: 4 * _LONGEST]
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return _cut(text)


def _number(value: object) -> object:
    """A number as a decimal, be it still a text, or a double that the official rule computes in."""
    if isinstance(value, list) and len(value) == 1:
        return _number(value[0])
    if isinstance(value, float) and math.isfinite(value):
        double = Decimal(repr(value))
        return _in_cents(double) if decimals(f"{double:f}") < 2 else double
    number = parse_decimal(value) if isinstance(value, str) else None
    return value if number is None else number


def _with_edges(value: object) -> str:
    """The same, with a blank where the text begins or ends with some: they may be the mistake."""
    text = shown(value)
    if not text or not isinstance(value, str):
        return text
    return " " * value[0].isspace() + text + " " * value[-1].isspace()


def _plain(number: Decimal) -> str:
    """As written, but without zeros behind the cents."""
    text = f"{number:f}"
    whole_part, point, decimals = text.partition(".")
    return whole_part + point + decimals[:2] + decimals[2:].rstrip("0")


def _several(values: Iterable[object]) -> str:
    texts = [text for text in map(shown, values) if text]
    more = ["…"] if len(texts) > _LISTED else []
    return ", ".join([*texts[:_LISTED], *more])


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _add_place(
    facts: dict[str, str],
    fired: RuleFinding,
    location: Location,
    term: str | None,
    words: Mapping[str, Any],
) -> None:
    last = location.path.rpartition("/")[2]
    asked = facts.get("path", "").rpartition("/")[2]
    facts["asked"] = asked.rpartition(":")[2] if "@" not in asked else asked
    facts["element"] = facts["asked"] or last
    facts["attribute"] = facts["asked"][1:] if facts["asked"].startswith("@") else ""
    line = "" if location.line is None else str(location.line + 1)
    facts["line"] = line
    facts["item"] = "" if location.item is None else str(location.item + 1)
    facts["where"] = texts.said(words["parts"].get(location.part), facts) or location.part
    facts["within"] = texts.said(words["within"].get(location.part), facts) or facts["where"]
    name: str = words["terms"].get(whole(term or ""), "")
    facts["Named"] = _capital(name)
    facts["term"] = name or facts["element"]
    facts["Term"] = _capital(facts["term"])
    facts["Where"] = _capital(facts["where"])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _add_written(facts: dict[str, str], rule: Rule | None, element: etree._Element | None) -> None:
    """The text at the place, if the rule did not tell another."""
    if element is None or facts.get("text") or facts.get("code"):
        return
    attribute = facts["asked"][1:] if facts["asked"].startswith("@") else ""
    facts["text"] = _with_edges(element.get(attribute) if attribute else element.text)
    if rule is not None and rule.kind is Kind.CODE_LIST:
        facts["code"] = facts["text"]


def _add_code_list(facts: dict[str, str], told: Mapping[str, object]) -> None:
    listed = _listed(told)
    if listed is None:
        return
    facts["list"] = listed.title
    facts["version"] = listed.version.removeprefix("as embedded in ").partition(" (")[0]
    code = told.get("code") or facts.get("code")
    if isinstance(code, str):
        facts["codes"] = ", ".join(nearest(code[:_LONGEST], listed.name))


def _listed(told: Mapping[str, object]) -> CodeList | None:
    try:
        return code_list(str(told["list"])) if "list" in told else None
    except FileNotFoundError:
        return None


def _add_blanks(facts: dict[str, str], told: Mapping[str, object]) -> None:
    """`bare`: the value as it would be right, where only the blanks around it are wrong."""
    written = told.get("code") or told.get("text")
    if not isinstance(written, str) or written == written.strip():
        return
    bare, listed, most = written.strip(), _listed(told), told.get("decimals")
    if listed is not None and bare in listed:
        facts["bare"] = facts["codes"] = shown(bare)
    elif isinstance(most, int) and decimals(bare) <= most:
        facts["bare"] = shown(bare)


def _add_difference(facts: dict[str, str], told: Mapping[str, object]) -> None:
    if told.get("count") == 0:
        facts["missing"], facts["Missing"] = facts["term"], facts["Term"]
    declared, expected = told.get("declared"), told.get("expected")
    if isinstance(expected, Decimal):
        facts["rounded"] = shown(_in_cents(expected))
    if isinstance(declared, Decimal) and isinstance(expected, (Decimal, int)):
        facts["difference"] = shown(abs(declared - expected))


def _in_cents(amount: Decimal) -> Decimal:
    """An amount that a document may hold; one that is too long to round stays as it is."""
    try:
        return amount.quantize(_CENT, ROUND_HALF_UP)
    except InvalidOperation:
        return amount


def _add_category(facts: dict[str, str], rule: str, categories: Mapping[str, Any]) -> None:
    family = categories.get(rule.split("-")[1]) if rule.count("-") > 1 else None
    if family:
        facts["category"], facts["category_name"] = family["code"], family["name"]
        facts["vatex"] = family.get("vatex", "")


def _technical(requires: str) -> bool:
    """Words that were made from a path are no words for people."""
    return not requires or ":" in requires or "/" in requires or "@" in requires
