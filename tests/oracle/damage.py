"""Damage to any document: elements, texts, numbers, codes, attributes.

Each operator changes the tree in place and returns a description of the change.
"""

import random
from collections.abc import Callable
from copy import deepcopy

from lxml import etree

Element = etree._Element
Operator = Callable[[Element, random.Random], str]

_NUMBERS = (
    "0", "0.00", "0.000", "-0.01", "1", "0.005", "99999999999.99", "1E2", "+5", " 7 ", "abc",
    "1,00", ".5", "5.", "NaN", "INF", "0x1", "12.345", "",
)  # fmt: skip
_CODES = (
    "X", "S", "AE", "380", "381", "130", "50", "916", "EUR", "DK", "0088", "VA", "VAT", "vat",
    "true", "1", "ZZZ", "a b", " ", "ß", "58", "49", "102",
)  # fmt: skip
_DATES = (
    "2026-02-29", "20260229", "20260115", "2026-01-15", "2019-12-31Z", "20261301", "99999999", "",
)  # fmt: skip
_ATTRIBUTES = (
    "schemeID", "schemeAgencyID", "schemeVersionID", "currencyID", "unitCode", "listID", "name",
    "listVersionID", "listAgencyID", "mimeCode", "filename", "format", "languageID",
    "languageLocaleID",
)  # fmt: skip


def local(element: Element) -> str:
    return etree.QName(element).localname


def elements(root: Element, *endings: str) -> list[Element]:
    below = [each for each in root.iterdescendants() if isinstance(each.tag, str)]
    return [each for each in below if not endings or local(each).endswith(endings)]


def anything(root: Element, chance: random.Random, *endings: str) -> Element | None:
    found = elements(root, *endings)
    return chance.choice(found) if found else None


def fresh_text(element: Element, chance: random.Random) -> str:
    name = local(element)
    if name.endswith(("Amount", "Quantity", "Percent", "Numeric")):
        return chance.choice((*_NUMBERS, nudged(element, chance)))
    if "Date" in name:
        return chance.choice(_DATES)
    return chance.choice((*_CODES, *_NUMBERS))


def nudged(element: Element, chance: random.Random) -> str:
    try:
        value = float(element.text or "")
    except ValueError:
        return "1.00"
    step = chance.choice((0.01, -0.01, 0.02, -0.03, 0.5, -0.99, 1, -1, 1.01, -2 * value))
    digits = chance.choice((2, 2, 2, 2, 3, 5))
    return f"{value + step:.{digits}f}"


def described(what: str, element: Element | None, more: str = "") -> str:
    return f"{what} {local(element) if element is not None else '-'} {more}".strip()


def delete(root: Element, chance: random.Random) -> str:
    chosen = anything(root, chance)
    if chosen is not None:
        chosen.getparent().remove(chosen)
    return described("delete", chosen)


def double(root: Element, chance: random.Random) -> str:
    chosen = anything(root, chance)
    if chosen is not None:
        chosen.addnext(deepcopy(chosen))
    return described("double", chosen)


def rewrite(root: Element, chance: random.Random) -> str:
    leaves = [each for each in elements(root) if not len(each)]
    chosen = chance.choice(leaves) if leaves else None
    if chosen is not None:
        chosen.text = fresh_text(chosen, chance)
    return described("text", chosen, repr(chosen.text) if chosen is not None else "")


def nudge(root: Element, chance: random.Random) -> str:
    chosen = anything(root, chance, "Amount", "Quantity", "Percent")
    if chosen is not None:
        chosen.text = nudged(chosen, chance)
    return described("nudge", chosen, chosen.text or "" if chosen is not None else "")


def split_text(root: Element, chance: random.Random) -> str:
    leaves = [each for each in elements(root) if each.text and not len(each)]
    chosen = chance.choice(leaves) if leaves else None
    if chosen is not None:
        middle = chance.randint(0, len(chosen.text))
        comment = etree.Comment("c")
        comment.tail, chosen.text = chosen.text[middle:], chosen.text[:middle]
        chosen.append(comment)
    return described("comment in", chosen)


def pad(root: Element, chance: random.Random) -> str:
    leaves = [each for each in elements(root) if not len(each)]
    chosen = chance.choice(leaves) if leaves else None
    if chosen is not None:
        before, after = chance.choice(" \n\t\u00a0"), chance.choice(" \n")
        chosen.text = before + (chosen.text or "") + after
    return described("pad", chosen)


def attribute(root: Element, chance: random.Random) -> str:
    chosen, name = anything(root, chance), chance.choice(_ATTRIBUTES)
    if chosen is None:
        return "attribute -"
    if chosen.attrib and chance.random() < 0.5:
        name = chance.choice(list(chosen.attrib))
        if chance.random() < 0.5:
            del chosen.attrib[name]
            return described("without", chosen, f"@{name}")
    chosen.set(name, chance.choice((*_CODES, "", "9999", "0184", "C62")))
    return described("attribute", chosen, f"@{name}")


def graft(root: Element, chance: random.Random) -> str:
    chosen, onto = anything(root, chance), anything(root, chance)
    if chosen is not None and onto is not None:
        onto.insert(chance.randint(0, len(onto)), deepcopy(chosen))
    return described("graft", chosen, described("onto", onto))


def rename(root: Element, chance: random.Random) -> str:
    chosen, other = anything(root, chance), anything(root, chance)
    words = described("rename", chosen, described("to", other))
    if chosen is not None and other is not None:
        chosen.tag = other.tag
    return words


def leaf(group: Element, *names: str) -> Element:
    """The first element inside with one of the names, the group itself if there is none."""
    found = (each for each in group.iter() if isinstance(each.tag, str) and local(each) in names)
    return next(found, group)


RANDOM: tuple[Operator, ...] = (
    delete, delete, double, rewrite, rewrite, nudge, split_text, pad, attribute, graft, rename,
)  # fmt: skip
