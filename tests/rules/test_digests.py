"""The digest of a release of a rule set, by which reports name the rules."""

from __future__ import annotations

from pathlib import Path

from einvoice.rules import PACKS
from einvoice.rules.digests import _folders_of_plugins, digest_of
from einvoice.services import forms


def test_each_release_has_a_digest_of_its_own() -> None:
    packs = [pack for each in forms.installed().rule_sets for pack in each.packs]
    digests = {pack.id: digest_of(pack) for pack in packs}

    assert len(set(digests.values())) == len(packs)
    assert {len(each) for each in digests.values()} == {64}
    assert {pack.id: digest_of(pack) for pack in packs} == digests


def test_the_rules_of_a_plugin_are_those_of_its_files() -> None:
    """The rules of the service have no other folder than their own."""
    ksef = forms.installed().rule_sets["ksef-fa3"].packs[0]

    assert {Path(each).name for each in _folders_of_plugins(ksef)} == {"fa3"}
    assert _folders_of_plugins(PACKS[0]) == set()
