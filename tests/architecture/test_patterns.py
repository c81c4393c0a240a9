"""Every regular expression takes time in proportion to the text, whatever the text is.

`patterns.txt` beside this file has the name of each. A text that is hard for a pattern in a way of
its own is added to EXTRA; a pattern that is made when the service runs has its forms in MADE.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from einvoice.domain import directory, vat_forms
from einvoice.domain.field_names import FieldNames
from einvoice.rules import Syntax
from einvoice.rules.optimisations import repeated_lines
from einvoice.web.fields import Text
from einvoice_ksef.fa3.types import TYPES
from tests import growth, patterns

KNOWN = Path(__file__).with_name("patterns.txt")
SMALL, LARGE = 10_000, 100_000
SUSPICIOUS = 0.002  # seconds for 10 KB: a pattern that grows with the square takes more

# Further texts of patterns: the beginning, what is repeated, the end.
EXTRA: dict[str, list[tuple[str, str, str]]] = {
    "einvoice.documents.schemas.words._VALUE": [
        ("Element 'a': '", "' is not a valid value of the ", ""),
        ("Element 'a': '", "' is not a valid value of the type 'xs:", ""),
    ],
    "einvoice_ksef.fa3.rules._DECLARATION": [("<?xml ", "?", ""), ("<?xml ", "<?xml ", "")],
}


def _every(kind: type, patterns_of: Callable[[Any], Iterable[re.Pattern[Any] | None]]) -> Any:
    """The patterns of all objects of a class that exist after the import of all modules."""
    found = {each for one in gc.get_objects() if isinstance(one, kind) for each in patterns_of(one)}
    return [each for each in found if each is not None]


# The forms of patterns that are made of values; none: made of words of ours alone.
MADE: dict[str, Callable[[], list[re.Pattern[Any]]]] = {
    "einvoice.documents.directory_csv._text._read": lambda: [re.compile(directory.EMAIL_PATTERN)],
    "einvoice.domain.field_names.FieldNames._path": lambda: _every(
        FieldNames, lambda names: [names._path]
    ),
    "einvoice.domain.vat_forms.pattern": lambda: [
        found for each in (*vat_forms.PREFIXES, "ZZ") if (found := vat_forms.pattern(each))
    ],
    "einvoice.rules.layers.Syntax.__new__": lambda: _every(Syntax, lambda it: [it.terms]),
    "einvoice.rules.optimisations.repeated_lines.LineTexts.__init__.starts": lambda: [
        re.compile(rb"<cac:InvoiceLine(?=[\s/>])")
    ],
    "einvoice.rules.optimisations.repeated_lines._form": lambda: [
        repeated_lines._form((2, 0, 6, 2))
    ],
    "einvoice.store.installation.online_schema._locking_of.found": list,
    "einvoice.store.invoices.text_index.finds": lambda: [re.compile(r"[^\W_]{3}")],
    "einvoice.web.fields.Text.__init__": lambda: _every(Text, lambda field: [field.pattern]),
    "einvoice_ksef.fa3.elements._compiled": lambda: [
        re.compile(form, re.ASCII) for simple in TYPES.values() for form in simple.patterns
    ],
}
# Of these, the ones that only `fullmatch` uses.
ANCHORED = {
    "einvoice.domain.vat_forms.pattern",
    "einvoice.web.fields.Text.__init__",
    "einvoice_ksef.fa3.elements._compiled",
}


@pytest.fixture(scope="module")
def found() -> list[patterns.Found]:
    return patterns.patterns()


def test_every_pattern_is_known(found: list[patterns.Found]) -> None:
    """A new one is added to patterns.txt, after a look at what is hard for it."""
    known = KNOWN.read_text().split()

    assert sorted(one.name for one in found) == known
    assert {one.name for one in found if not one.forms} == MADE.keys()
    assert EXTRA.keys() <= set(known)


def test_every_pattern_takes_time_in_proportion(found: list[patterns.Found]) -> None:
    slow = {}
    for one in found:
        for form in one.forms or MADE[one.name]():
            if fault := _fault(one, form):
                slow[one.name] = fault

    assert slow == {}


@pytest.mark.parametrize(
    "form",
    [
        r"\{([^}]*)\}([\w.-]+)",
        rb"(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>",
        r"(a+)+b",
    ],
)
def test_the_texts_find_patterns_that_take_longer(form: str | bytes) -> None:
    """The first two once stopped a process."""
    assert _fault(patterns.Found("old", (), anchored=False), re.compile(form))


def _fault(one: patterns.Found, form: re.Pattern[Any]) -> str | None:
    """The first text over which the time of a pattern grows too fast, and how."""
    anchored = one.anchored or one.name in ANCHORED
    uses = [form.match, form.fullmatch, *([] if anchored else [form.findall])]
    for text in dict.fromkeys([*patterns.hard_units(form), *EXTRA.get(one.name, ())]):
        for use in uses:
            if found := _growth(use, text, is_bytes=isinstance(form.pattern, bytes)):
                return f"{form.pattern!r} {use.__name__} {text}: {found}"
    return None


def _growth(use: Callable[[Any], object], text: tuple[str, str, str], *, is_bytes: bool) -> Any:
    begin, unit, end = text

    def of_size(size: int) -> str | bytes:
        made = begin + unit * (size // len(unit)) + end
        return made.encode() if is_bytes else made

    spent = growth.seconds(use, of_size(SMALL))
    if spent < SUSPICIOUS:
        return None
    if spent > growth.LIMIT:
        return f"{SMALL:,}: does not end"
    return growth.fault(use, of_size, (SMALL, LARGE), floor=0.05)
