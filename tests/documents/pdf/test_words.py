"""Labels in eight languages, chosen by the buyer's address."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from einvoice.documents.pdf import words
from einvoice.documents.pdf.glyphs import FONTS, SIGN, Glyphs
from einvoice.documents.pdf.words import LANGUAGES, Words, locale_of
from einvoice.domain.invoice import Address

LABELS = Path(words.__file__).parent / "labels"


def labels(language: str) -> dict[str, str]:
    tables = tomllib.loads((LABELS / f"{language}.toml").read_text("utf-8"))
    return {f"{table}.{key}": text for table, keys in tables.items() for key, text in keys.items()}


def test_every_language_has_a_file_and_every_file_a_language() -> None:
    assert {path.stem for path in LABELS.glob("*.toml")} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_labels(language: str) -> None:
    """The same keys with the same placeholders, and only characters that the fonts have."""
    english, found = labels("en"), labels(language)

    assert found.keys() == english.keys()
    for key, text in found.items():
        assert sorted(re.findall(r"{\w+}", text)) == sorted(re.findall(r"{\w+}", english[key])), key
        assert SIGN not in str(Glyphs().fit(text)), key


@pytest.mark.parametrize(
    ("country", "postcode", "locale"),
    [
        ("DE", "80331", "de_DE"),
        ("AT", None, "de_AT"),
        ("FR", "75001", "fr_FR"),
        ("SE", "111 22", "sv_SE"),
        ("BE", "9000", "nl_BE"),
        ("BE", "1499", "fr_BE"),
        ("BE", "1500", "nl_BE"),
        ("BE", "3999", "nl_BE"),
        ("BE", "B-4000", "fr_BE"),
        ("BE", "7999", "fr_BE"),
        ("BE", "8000", "nl_BE"),
        ("CH", "8001", "de_CH"),
        ("CH", "1201", "fr_CH"),
        ("CH", "6900", "it_CH"),
        ("NO", "0150", "en_NO"),
        ("US", "94107", "en_US"),
        ("AE", None, "en_AE"),
        (None, None, "en_GB"),
    ],
)
def test_the_buyers_country_chooses_and_english_is_the_fallback(country, postcode, locale) -> None:
    assert locale_of(Address(country=country, postal_code=postcode)) == locale


def test_a_buyer_without_an_address_gets_english() -> None:
    assert locale_of(None) == "en_GB"


@pytest.mark.parametrize(
    ("code", "shown"), [("HUR", "Std."), ("C62", "Stk."), ("KWH", "kWh"), ("ZZ9", "ZZ9")]
)
def test_units_are_printed_as_words_symbols_or_codes(code: str, shown: str) -> None:
    assert Words("de").unit(code) == shown


def test_every_font_comes_with_its_licence() -> None:
    """The SIL Open Font License requires it."""
    folders = {path.parent for path in FONTS.rglob("*.ttf")}

    assert len(folders) == 5
    for folder in folders:
        assert "SIL OPEN FONT LICENSE Version 1.1" in (folder / "OFL.txt").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        ("x" * 22, 0),
        ("x" * 23, 2),
        ("short words that are many and go on and on", 0),
        (
            "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000",
            0,
        ),  # the groups of an IBAN are not broken
        ("see " + "y" * 40, 3),
    ],
)
def test_only_words_longer_than_a_column_may_be_broken(text: str, breaks: int) -> None:
    fit = Glyphs().text(text)

    assert fit.count("\u200b") == breaks
    assert fit.replace("\u200b", "") == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("e\u0301", "é"),  # composed to one character
        ("a\U000e0041b\x01c", "abc"),  # invisible characters are removed
        ("a\tb\r\nc", "a b \nc"),
        ("ไทย", "\ufffd\ufffd\ufffd"),
    ],
)
def test_characters_without_a_glyph_are_replaced_or_removed(text: str, shown: str) -> None:
    assert Glyphs().text(text) == shown
