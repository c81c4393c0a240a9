"""Rule sets and profiles of plugins: found, refused at start, and made again in other processes."""

from __future__ import annotations

import pickle
from dataclasses import replace
from datetime import date

import pytest

from einvoice.domain.invoice import DocumentKind
from einvoice.network.hookspec import hookimpl
from einvoice.network.registry import PluginFault
from einvoice.network.types import INTERFACE_VERSION
from einvoice.rules import PEPPOL_BIS_BILLING, RuleSet
from einvoice.services import forms
from einvoice.validation import Light, check, judge, report_of
from tests.networks import toll
from tests.networks.toll import form
from tests.validation.conftest import derived

DAY = date(2026, 11, 22)


def plugin(rule_sets=(), profiles=()):
    class Plugin:
        EINVOICE_INTERFACE = INTERFACE_VERSION

        @hookimpl
        def einvoice_rule_sets(self):
            return rule_sets

        @hookimpl
        def einvoice_profiles(self):
            return profiles

    return Plugin()


def test_rule_sets_and_profiles_of_plugins_stand_beside_those_of_the_service():
    found = forms.of_plugins([toll])

    names = [rule_set.name for rule_set in found.rule_sets]
    own = [rule_set.name for rule_set in forms.of_plugins([]).rule_sets]
    assert "peppol-bis-billing" in own
    assert sorted(names) == sorted([*own, "toll-bill"])
    assert set(found.networks) == {"peppol", "toll"}


@pytest.mark.parametrize(
    ("network", "profile"),
    [("toll", "toll-bill"), ("peppol", "peppol-bis-billing"), ("parcel", "peppol-bis-billing")],
)
def test_a_network_without_a_profile_takes_what_peppol_takes(network, profile):
    found = forms.of_plugins([toll]).of(network).profile_for(DocumentKind.INVOICE)

    assert found.name == profile


@pytest.mark.parametrize(
    ("offered", "words"),
    [
        (plugin(rule_sets=[PEPPOL_BIS_BILLING]), "two rule sets are named 'peppol-bis-billing'"),
        (plugin(rule_sets=[RuleSet("x", PEPPOL_BIS_BILLING.packs)]), "two packs have one id"),
        (plugin(rule_sets=[RuleSet("empty", ())]), "not a RuleSet with a pack"),
        (plugin(rule_sets=[RuleSet("A b", form.RULES.packs)]), "rule set 'A b'"),
        (plugin(rule_sets=["en16931"]), "not a RuleSet"),
        (plugin(profiles=[form.PROFILE]), "no rule set 'toll-bill'"),
        (plugin([form.RULES], [form.PROFILE, form.PROFILE]), "two profiles are named 'toll-bill'"),
        (plugin([form.RULES], [replace(form.PROFILE, network="A b")]), "profile 'A b'"),
        (plugin(profiles=["toll"]), "not a Profile"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_a_faulty_form_stops_the_start_with_its_name(offered, words):
    with pytest.raises(PluginFault, match=words):
        forms.of_plugins([offered])


def test_a_computing_process_makes_the_same_rule_sets_again_once():
    """They are sent by the names of the plugins, and keep what they compiled."""
    sent = pickle.dumps(forms.of_plugins([toll]).rule_sets)

    first, second = pickle.loads(sent), pickle.loads(sent)

    assert first is second
    assert "toll-bill" in first


def test_the_installed_rule_sets_are_sent_by_their_entry_points():
    found = forms.installed().rule_sets

    assert pickle.loads(pickle.dumps(found)) is found


@pytest.fixture
def bill():
    invoice = replace(derived({})[0], number="T-1")
    return form.write(invoice).replace(b"<Buyer>", b'<Buyer number="1">')


def test_a_document_of_a_plugin_is_judged_by_the_rules_of_the_plugin(bill):
    """It says so by its document element; no option is needed."""
    judged = judge(bill, on=DAY, rule_sets=forms.of_plugins([toll]).rule_sets)

    assert (judged.light, judged.syntax, judged.pack.id) == (Light.GREEN, "TOLL", "toll-bill-1.0")
    assert judged.choice.by == "document"


@pytest.mark.parametrize(
    ("old", "new", "rules"),
    [
        (b"<Number>T-1<", b"<Number>123456789012<", []),
        (b"<Number>T-1<", b"<Number>1234567890123<", ["TOLL-01 invoice.number"]),
        (b' number="1"', b"", ["TOLL-02 invoice.buyer.taxId"]),
        (b"<Vat>", b"<Vat>1", ["TOLL-03 invoice.totals.grandTotal"]),
        (b"<Issued>", b"<Issued>x", ["XSD-VALUE-MALFORMED None"]),
    ],
)
def test_its_findings_are_placed_at_the_fields_of_the_request(bill, old, new, rules):
    """By the business terms of its rules, and the schema of its syntax."""
    changed = bill.replace(old, new)
    assert changed != bill

    found = report_of(judge(changed, on=DAY, rule_sets=forms.of_plugins([toll]).rule_sets))

    assert [f"{finding.rule_id} {finding.field}" for finding in found.findings] == rules


def test_its_findings_have_the_words_of_the_plugin(bill):
    long = bill.replace(b"<Number>T-1<", b"<Number>1234567890123<")

    judged = judge(long, on=DAY, rule_sets=forms.of_plugins([toll]).rule_sets)
    found = report_of(judged).findings[0]

    assert found.source == "network"
    assert found.explanation == "“1234567890123” has 13."
    assert found.suggestion == "Shorten invoice.number."


def test_a_service_without_the_plugin_calls_the_document_unknown(bill):
    found = check(bill, on=DAY)

    assert [finding.rule_id for finding in found.findings] == ["XSD-UNKNOWN-DOCUMENT"]
    assert found.form is None


def test_a_rule_set_that_has_no_rules_for_the_syntax_calls_the_document_unknown(bill):
    """It is never green for lack of rules."""
    rule_sets = forms.of_plugins([toll]).rule_sets

    judged = judge(bill, on=DAY, rule_sets=rule_sets, asked="en16931")

    assert judged.light is Light.RED
    assert [error.code for error in judged.schema] == ["unknown-document"]


def test_a_document_of_a_syntax_without_a_schema_is_judged_by_its_rules(bill, monkeypatch):
    """It is not unknown: a rule set of a plugin knows its document element."""
    long = bill.replace(b"<Number>T-1<", b"<Number>1234567890123<").replace(
        b"<Vat>", b"<Tax/><Vat>"
    )
    monkeypatch.setattr(form.TOLL, "schema", None)

    judged = judge(long, on=DAY, rule_sets=forms.of_plugins([toll]).rule_sets)

    assert judged.schema == ()
    assert [finding.rule_id for finding in report_of(judged).findings] == ["TOLL-01"]
