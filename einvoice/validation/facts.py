"""The facts about one finding: the values of placeholders in the texts, formatted for people.

`facts_of` are the facts that are the same in every language, which are stored; `with_names` adds
the names of places, terms and categories.

From the place: `where` and `Where` ("line 3", "the supplier"), `within` ("in line 3"), `line` and
`item` (from 1), `element`.
From the rule: `rule`, `asked` (the element or attribute below the place that it is about),
`attribute` (only if it is one), `term` and `Term` ("the invoice number", else the element), `Named`
(only if the term has a name), `requires`, `field`, `endpoint_field`, `list` and `version` of its
code list, `category`, `category_name`, `vatex`, `times` of an element that must occur, the most
`characters` of a text, the `specification`, `process` and type code (`self_billed`) of a kind of
documents, its own parameters; `binding_from` if it is not in force yet.
From the document: `text` or `code` as written, similar `codes`, all codes of a short list
(`listed`), the `successor` of a former currency and the year it was `replaced_in`, the `bare` value
if only the spaces around it are wrong, the `missing` (and `Missing`) term, and the values that the
rule returned: `declared`, `expected` and the same `rounded` to cents, `negative` if it is below 0,
`difference`, `rate`, `count`, `amount`, `most`, `start`, `end`, the parties that are `lacking` a
number and the `lacking_fields` of it, the country that may use a type `also`, the
`types` that no other may use …
A fact that is unknown is absent, and texts that need it are not used.
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
from einvoice.validation.codes import nearest, replacement
from einvoice.validation.locations import Location
from einvoice.validation.terms import vat_rule

_MAX_SHOWN = 80  # characters of a text of the document
_MAX_LISTED = 5
_MAX_CODES_LISTED = 40  # of a code list that a text names in full
_CENT = Decimal("0.01")
_QUOTED = frozenset({"text", "code", "number", "identifier"})  # in quotation marks in the texts
_ENDPOINTS = {"seller": "invoice.supplier.endpointId", "buyer": "invoice.buyer.endpointId"}


def facts_of(
    fired: RuleFinding, location: Location, element: etree._Element | None, field: str | None
) -> dict[str, str]:
    """The facts about one finding that need no language, by name.

    `lacking` is a key of the table of that name; `missing` is set if a required term is missing.
    """
    values = {**(fired.rule.parameters if fired.rule else {}), **fired.values}
    values |= {name: _number(values[name]) for name in ("declared", "expected") if name in values}
    facts = {
        name: _with_edges(value) if name in _QUOTED else shown(value)
        for name, value in values.items()
        if name != "codes"
    }
    facts["codes_found"] = shown(values.get("codes"))
    facts["rule"] = facts.get("rule") or fired.id
    facts["field"] = field or ""
    facts["endpoint_field"] = _ENDPOINTS.get(location.part, "")
    _add_place(facts, location)
    _add_quoted(facts, values)
    _add_written(facts, fired.rule, element)
    _add_code_list(facts, values)
    _add_bare(facts, values)
    _add_difference(facts, values)
    if fired.rule is not None and not _technical(fired.rule.requires):
        facts["requires"] = fired.rule.requires.rstrip(".") + "."
    return facts


def shown(value: object, longest: int = _MAX_SHOWN) -> str:
    """A value of a document for a sentence: shortened, on one line, without control characters.

    `longest`: characters of a text.
    """
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return _shorten(_plain(value))
    if isinstance(value, (list, tuple, set, frozenset)):
        return _joined(value)
    text = str(value)[: 4 * longest]
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return _shorten(text, longest)


def _number(value: object) -> object:
    """A number as a decimal, from a text or a double; any other value unchanged."""
    if isinstance(value, list) and len(value) == 1:
        return _number(value[0])
    if isinstance(value, float) and math.isfinite(value):
        double = Decimal(repr(value))
        return _in_cents(double) if decimals(f"{double:f}") < 2 else double
    number = parse_decimal(value) if isinstance(value, str) else None
    return value if number is None else number


def _with_edges(value: object) -> str:
    """The value with one space for the white space around a text, which may be the error."""
    text = shown(value)
    if not text or not isinstance(value, str):
        return text
    return " " * value[0].isspace() + text + " " * value[-1].isspace()


def _plain(number: Decimal) -> str:
    """As written, without zeros after the cents."""
    text = f"{number:f}"
    whole_part, point, decimals = text.partition(".")
    return whole_part + point + decimals[:2] + decimals[2:].rstrip("0")


def _joined(values: Iterable[object]) -> str:
    texts = [text for text in map(shown, values) if text]
    more = ["…"] if len(texts) > _MAX_LISTED else []
    return ", ".join([*texts[:_MAX_LISTED], *more])


def _shorten(text: str, longest: int = _MAX_SHOWN) -> str:
    text = " ".join(text.split())
    return text if len(text) <= longest else text[:longest] + "…"


def _add_place(facts: dict[str, str], location: Location) -> None:
    last = location.path.rpartition("/")[2]
    asked = facts.get("path", "").rpartition("/")[2]
    facts["asked"] = asked.rpartition(":")[2] if "@" not in asked else asked
    facts["element"] = facts["asked"] or last
    facts["attribute"] = facts["asked"][1:] if facts["asked"].startswith("@") else ""
    facts["line"] = "" if location.line is None else str(location.line + 1)
    facts["item"] = "" if location.item is None else str(location.item + 1)


def with_names(
    facts: Mapping[str, str], rule: str, part: str, term: str, words: Mapping[str, Any]
) -> dict[str, str]:
    """The facts with the names of place, term, category and parties in the language of the words.

    rule  the id of the finding, which may be the id of an evaluation error
    part  the part of the invoice, a key of the tables `parts` and `within`
    term  the business term, a key of the table `terms`
    """
    known = dict(facts)
    known["where"] = texts.fill(words["parts"].get(part), known) or part
    known["within"] = texts.fill(words["within"].get(part), known) or known["where"]
    name: str = words["terms"].get(term, "")
    known["Named"] = _capital(name)
    known["term"] = name or known.get("element", "")
    known["Term"] = _capital(known["term"])
    known["Where"] = _capital(known["where"])
    if known.get("missing"):
        known["missing"], known["Missing"] = known["term"], known["Term"]
    _add_category(known, rule, words["categories"])
    _add_lacking(known, words["lacking"])
    return known


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _add_written(facts: dict[str, str], rule: Rule | None, element: etree._Element | None) -> None:
    """Add the text at the place, unless the rule returned one."""
    if element is None or facts.get("text") or facts.get("code"):
        return
    attribute = facts["asked"][1:] if facts["asked"].startswith("@") else ""
    facts["text"] = _with_edges(element.get(attribute) if attribute else element.text)
    if rule is not None and rule.kind is Kind.CODE_LIST:
        facts["code"] = facts["text"]


def _add_quoted(facts: dict[str, str], values: Mapping[str, object]) -> None:
    """Add as `text` the identifier or number that the rule returned."""
    returned = (values.get(name) for name in ("text", "identifier", "number"))
    facts["text"] = next((_with_edges(one) for one in returned if isinstance(one, str)), "")


def _add_code_list(facts: dict[str, str], values: Mapping[str, object]) -> None:
    listed = _listed(values)
    if listed is None:
        return
    facts["list"] = listed.title
    facts["version"] = listed.version.removeprefix("as embedded in ").partition(" (")[0]
    code = values.get("code") or facts.get("code")
    if isinstance(code, str):
        facts["codes"] = ", ".join(nearest(code[:_MAX_SHOWN], listed.name))
        facts["successor"], facts["replaced_in"] = replacement(code, listed.name) or ("", "")
    if len(listed.ordered) <= _MAX_CODES_LISTED:
        facts["listed"] = ", ".join(listed.ordered)


def _listed(values: Mapping[str, object]) -> CodeList | None:
    try:
        return code_list(str(values["list"])) if "list" in values else None
    except FileNotFoundError:
        return None


def _add_bare(facts: dict[str, str], values: Mapping[str, object]) -> None:
    """Add `bare`, the value without spaces around it, if that would be correct."""
    written = values.get("code") or values.get("text")
    if not isinstance(written, str) or written == written.strip():
        return
    bare, listed, most = written.strip(), _listed(values), values.get("decimals")
    if listed is not None and bare in listed:
        facts["bare"] = facts["codes"] = shown(bare)
    elif isinstance(most, int) and decimals(bare) <= most:
        facts["bare"] = shown(bare)


def _add_difference(facts: dict[str, str], values: Mapping[str, object]) -> None:
    if values.get("count") == 0:
        facts["missing"] = "yes"
    declared, expected = values.get("declared"), values.get("expected")
    if isinstance(expected, Decimal):
        facts["rounded"] = shown(_in_cents(expected))
    if isinstance(declared, Decimal) and isinstance(expected, (Decimal, int)):
        facts["difference"] = shown(abs(declared - expected))
    if isinstance(expected, Decimal) and expected < 0:
        facts["negative"] = shown(expected)


def _in_cents(amount: Decimal) -> Decimal:
    """The amount rounded to cents; one that is too long to round is unchanged."""
    try:
        return amount.quantize(_CENT, ROUND_HALF_UP)
    except InvalidOperation:
        return amount


def _add_category(facts: dict[str, str], rule: str, categories: Mapping[str, Any]) -> None:
    family = categories.get((vat_rule(rule) or ("",))[0])
    if family:
        facts["category"], facts["category_name"] = family["code"], family["name"]
        facts["vatex"] = family.get("vatex", "")


def _add_lacking(facts: dict[str, str], parties: Mapping[str, Any]) -> None:
    entry = parties.get(facts.get("lacking", ""), {})
    facts["lacking"], facts["lacking_fields"] = entry.get("whose", ""), entry.get("fields", "")


def _technical(requires: str) -> bool:
    """Whether a requirement was made from a path, so that it is not suitable for people."""
    return not requires or ":" in requires or "/" in requires or "@" in requires
