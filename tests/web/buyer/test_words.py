"""The page's words and colours, by themselves."""

from __future__ import annotations

import itertools
import re
from decimal import Decimal

import pytest

from einvoice.domain.codes import CURRENCIES
from einvoice.web import locales
from einvoice.web.buyer import colours, page
from einvoice.web.buyer.texts import WORDS
from tests.tables import each_row

LANGUAGES = {"en", "de", "fr", "nl", "sv", "es", "it", "pl", "ro"}


def test_all_nine_languages_have_every_text():
    assert set(WORDS) == LANGUAGES
    for language, words in WORDS.items():
        assert list(words) == list(WORDS["en"]), language
        for name, text in words.items():
            assert set(re.findall(r"\{\w+\}", text)) == set(
                re.findall(r"\{\w+\}", WORDS["en"][name])
            )


@each_row("currency", sorted(CURRENCIES))
def test_an_amount_is_never_rounded(currency):
    """All digits are shown, in every currency and language."""
    for language in LANGUAGES:
        locale = locales.chosen([language], None)
        text = locales.amount(Decimal("1234.567"), currency, locale)
        assert re.sub(r"\D", "", text.replace(currency, "")).startswith("1234567"), text


def test_every_colour_has_enough_contrast_on_both_backgrounds():
    steps = ("00", "33", "66", "99", "cc", "ff")
    for parts in itertools.product(steps, repeat=3):
        colour = "#" + "".join(parts)
        assert colours.contrast(colour, colours.on(colour)) >= 4.5
        for ground in (page.LIGHT, page.DARK):
            assert colours.contrast(colours.edge(colour, ground), ground) >= 3


def test_the_backgrounds_are_those_of_the_style():
    cards = re.findall(r"--card: (#[0-9a-f]{6})", page._STYLE)

    assert cards[:2] == [page.LIGHT, page.DARK]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("text", "card"), ("quiet", "card"), ("quiet", "ground"), ("good", "card"),
        ("note", "note-ground"),
    ],
)  # fmt: skip
def test_text_has_enough_contrast(text, ground, dark):
    """WCAG 2.2, 1.4.3 (AA): 4.5 for text of usual size."""
    found = {name: values for name, *values in _pairs()}
    one, other = (found[name][dark] for name in (text, ground))

    assert colours.contrast(one, other) >= 4.5


def _pairs():
    light, dark = re.findall(r":root \{(.*?)\}", page._STYLE, re.DOTALL)[:2]
    for name, value in re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light):
        yield name, value, dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", dark))[name]
