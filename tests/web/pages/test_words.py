"""The words of the pages, in all languages."""

from __future__ import annotations

import re
from importlib import resources

import pytest

from einvoice.domain.artefacts import KINDS
from einvoice.domain.pint import TRANSACTION_TYPES
from einvoice.web.dashboard.words import speaker, words_of
from einvoice.web.locales import LANGUAGES
from tests.tables import each_row

_TEMPLATES = resources.files("einvoice.web.dashboard").joinpath("templates/dashboard")
_SAID = re.compile(r"""say\("([a-z][A-Za-z.]*?)"(?!\s*~)""")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text_with_its_places(language):
    english, translated = words_of("en"), words_of(language)

    assert set(translated) == set(english)
    for name, text in translated.items():
        assert text.strip(), name
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[name])), name


@each_row("template", sorted(each.name for each in _TEMPLATES.iterdir()))
def test_templates_say_only_texts_that_there_are(template):
    said = set(_SAID.findall(_TEMPLATES.joinpath(template).read_text("utf-8")))

    assert said - set(words_of("en")) == set()


def test_an_unknown_name_is_an_error():
    with pytest.raises(KeyError):
        speaker("de")("nav.nothing")


def test_each_kind_of_transaction_has_a_name() -> None:
    """The form of a new invoice offers all of them."""
    assert {f"transactionType.{kind}" for kind in TRANSACTION_TYPES} <= set(words_of("en"))


def test_each_kind_of_artefact_has_a_name() -> None:
    """A kind of a plugin has none, and is shown by its code."""
    assert {f"artefact.{code}" for code in KINDS} <= set(words_of("en"))
