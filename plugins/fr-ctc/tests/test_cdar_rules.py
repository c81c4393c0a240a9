"""BR-FR-CDV: our findings on published and damaged messages are those of the official sheet."""

from __future__ import annotations

from datetime import date
from functools import partial

import pytest

from einvoice.rules import RuleSets
from einvoice.validation import judge
from einvoice_fr_ctc.cdar import rules
from tests.networks.fr import official

SETS = RuleSets([rules.RULES], "br-fr-cdv", partial(dict))


def found(message: bytes) -> set[str]:
    verdict = judge(
        message, on=date(2026, 11, 24), schema=False, asked="br-fr-cdv",
        rule_sets=SETS,
    ).verdict  # fmt: skip
    assert verdict is not None
    return {each.id for each in verdict.findings}


@official.needed
@pytest.mark.parametrize("name", ["mutants-fr-cdar", "mutants-fr-cdar-directed"])
def test_damaged_messages_are_judged_as_officially(name):
    differing = {
        row["file"]: (sorted(ours), sorted(theirs))
        for row, message in official.mutants(name)
        if (ours := found(message)) != (theirs := {each["id"] for each in row["fired"]})
    }

    assert differing == {}


@official.needed
def test_published_messages_are_judged_as_officially():
    verdicts = official.verdicts()
    files = official.life_cycles()
    named = {str(each.relative_to(official.FOLDER)): each for each in files}
    differing = {
        name: (found(named[name].read_bytes()), wanted)
        for name, wanted in verdicts.items()
        if name in named and found(named[name].read_bytes()) != wanted
    }

    assert len(verdicts) == 70
    assert differing == {}
