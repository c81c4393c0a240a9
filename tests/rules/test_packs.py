"""Releases: the rules in force on a day, their number, and how the next release is made."""

from __future__ import annotations

from collections import Counter
from datetime import date
from functools import partial
from itertools import pairwise
from typing import cast

import pytest

from einvoice.rules import PACKS, Flag, Layer, Pack, built_in, pack_on
from einvoice.rules.book import Book, Chapter, Check, DeferredBook, Pattern, never
from einvoice.rules.codelists import all_lists, code_list
from einvoice.rules.packs import pack_of
from einvoice.rules.rule_sets import RuleSet, RuleSets, UnusableRules
from tests.tables import each_row

_FIRST = Pack("first", "1", date(2026, 1, 1), date(2026, 6, 30), ())
_SECOND = Pack("second", "2", date(2026, 7, 1), None, ())


@pytest.mark.parametrize(
    ("day", "pack"),
    [
        (date(2025, 1, 1), _FIRST),
        (date(2026, 6, 30), _FIRST),
        (date(2026, 7, 1), _SECOND),
        (date(2099, 1, 1), _SECOND),
    ],
)
def test_the_day_of_validation_chooses_the_rules(day, pack):
    """The first and last day belong to a period; before all releases, the first is used."""
    assert pack_of((_FIRST, _SECOND), day) is pack


def test_a_gap_between_releases_is_an_error():
    """Documents are never judged without rules."""
    late = Pack("late", "3", date(2027, 1, 1), None, ())

    with pytest.raises(LookupError, match="2026-08-01"):
        pack_of((_FIRST, late), date(2026, 8, 1))


def test_the_release_in_force_is_the_one_of_2026():
    assert pack_on(date(2026, 11, 21)).id == "peppol-bis-billing-3.0.21"


def test_packs_follow_each_other_without_gaps():
    """`pack_on` finds a pack for every day."""
    assert len({pack.id for pack in PACKS}) == len(PACKS)
    for earlier, later in pairwise(PACKS):
        assert earlier.valid_to is not None
        assert (later.valid_from - earlier.valid_to).days == 1


def test_the_book_has_all_cen_rules_for_ubl():
    """281 fatal rules and 698 warnings, of which 678 are about unused elements."""
    rules = PACKS[0].book(Layer.CEN_UBL).rules

    assert Counter(rule.flag for rule in rules) == {Flag.FATAL: 281, Flag.WARNING: 698}
    assert sum(rule.id.startswith("UBL-CR-") for rule in rules) == 678


@pytest.mark.parametrize("layer", [book.layer for book in PACKS[0].books])
def test_every_rule_has_a_requirement_in_words(layer):
    """Findings without words of their own use it."""
    assert not [rule.id for rule in PACKS[0].book(layer).rules if not rule.requires]


def test_the_next_release_is_made_of_the_one_before():
    """Rules are removed, replaced and added, flags change; the old book stays unchanged."""
    book = PACKS[0].book(Layer.CEN_UBL)
    changes = Chapter(Layer.CEN_UBL)
    for name in ("BR-01", "NEW-1"):
        changes.add(name, "", Pattern().context("cbc:ID"), lambda node, view: None, "new")

    next_book = book.revised(
        "2", without={"BR-02"}, flags={"BR-51": Flag.FATAL}, chapters=[changes]
    )

    by_id = {rule.id: rule for rule in next_book.rules}
    assert "BR-02" not in by_id
    assert by_id["BR-51"].flag is Flag.FATAL
    assert by_id["BR-01"].requires == by_id["NEW-1"].requires == "new"
    assert len(next_book.rules) == len(book.rules)
    assert {rule.id: rule.flag for rule in book.rules}["BR-51"] is Flag.WARNING


@each_row("codes", list(all_lists()), ids=lambda codes: codes.name)
def test_a_code_list_has_a_title_a_version_and_distinct_codes(codes):
    """No code is repeated or has spaces around it."""
    assert codes.title
    assert any(
        release in codes.version
        for release in ("1.3.16", "3.0", "CIUS-RO 1.0.9", "Factur-X 1.09.2", "PINT")
    )
    assert len(codes.ordered) == len(codes.codes) > 0
    assert all(code == code.strip() for code in codes.codes)


def test_lists_differ_between_layers():
    """A merged list would change verdicts."""
    peppol, cen = code_list("iso4217_peppol").codes, code_list("iso4217_cen").codes
    assert {"STN", "STD"} & peppol == {"STN"}
    assert {"STN", "STD"} & cen == {"STD"}
    assert code_list("iso3166_cen").codes - code_list("iso3166_cii_cen").codes >= {"SS"}


def test_a_missing_list_is_an_error():
    with pytest.raises(FileNotFoundError):
        code_list("no_such_list")


def _nameless() -> Book:
    """A rule whose check has no docstring and no name, as inner functions that are compiled."""
    chapter = Chapter(Layer.CEN_UBL)
    check = cast("Check", partial(never))
    check.__doc__ = None
    chapter.add("X-1", "BT-1", Pattern().context("/ubl:Invoice"), check, None)
    return Book.of(Layer.CEN_UBL, "1", [chapter])


@pytest.mark.parametrize(
    ("book", "why"),
    [
        (DeferredBook(Layer.BR_FR_UBL, "1", "tests.rules.absent", "BOOK"), "tests.rules.absent"),
        (_nameless(), "AttributeError"),
    ],
)
@pytest.mark.parametrize("within", [False, True])
def test_a_set_with_rules_that_cannot_be_used_is_named_before_a_document_needs_them(
    book, why, within
):
    """In any release, and in the rules for invoices inside of documents."""
    release = Pack("broken", "1", date(2026, 7, 1), None, (book,))
    broken = RuleSet("broken", (_FIRST,) if within else (_FIRST, release),
                     within=release if within else None)  # fmt: skip

    with pytest.raises(UnusableRules, match=f"The rules broken cannot be loaded: .*{why}"):
        RuleSets([broken], "broken", partial(RuleSets)).load()


def test_all_rules_of_the_service_can_be_used():
    assert built_in().load() > 10_000
