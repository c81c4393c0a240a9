"""Errors that networks name: our words and field where the rule is known, theirs otherwise."""

from __future__ import annotations

import json

import pytest

from einvoice.rules import built_in
from einvoice.validation import refusal, refusal_in_words

TEXT = "E: validari globale  SCHEMATRON   eroare: [BR-RO-110]-Subdiviziunea tarii vanzatorului"


def worded(language="en", **given):
    data = json.loads(json.dumps(refusal(**{"rule": "BR-RO-110", "text": TEXT} | given)))
    return refusal_in_words(data, language)


def test_an_error_of_a_known_rule_has_its_field_and_advice():
    """And the text of the network beside our words."""
    assert worded() == {
        "ruleId": "BR-RO-110",
        "message": "A Romanian address of the supplier must have a county of ISO 3166-2:RO as its "
        "region.",
        "suggestion": "Write RO- and the code of the county, such as RO-CJ, or RO-B for "
        "Bucharest: invoice.supplier.address.region.",
        "field": "invoice.supplier.address.region",
        "location": None,
        "networkText": TEXT,
    }


@pytest.mark.parametrize("language", ["de", "fr", "nl", "pl", "ro"])
def test_an_error_of_a_known_rule_is_in_the_language_of_the_reader(language):
    found, english = worded(language), worded()

    assert found["field"] == english["field"]
    if language == "ro":
        assert found["message"] != english["message"]
        assert found["suggestion"] != english["suggestion"]
    assert found.get("language") == (None if language == "ro" else "en")
    assert found["networkText"] == TEXT


@pytest.mark.parametrize("language", ["en", "de", "fr", "nl", "pl", "ro"])
def test_no_words_of_a_known_rule_have_gaps(language):
    """The network names no values: sentences that need them are left out."""
    rules = {each.id for book in built_in()["cius-ro"].packs[0].books for each in book.rules}
    assert len(rules) > 250

    for rule in rules:
        found = worded(language, rule=rule)
        said = f"{found['message']} {found['suggestion'] or ''}"
        assert found["message"], rule
        assert found["message"] != rule
        assert "{" not in said, said
        assert "None" not in said, said


def test_an_error_of_an_unknown_rule_is_in_the_words_of_the_network():
    found = worded(rule="R_CUI_7", text="CUI vanzator gresit", field="invoice.supplier.taxId")

    assert (found["message"], found["suggestion"]) == ("CUI vanzator gresit", None)
    assert (found["ruleId"], found["field"]) == ("R_CUI_7", "invoice.supplier.taxId")


def test_an_error_without_a_rule_has_the_field_of_its_place():
    place = "/Invoice[1]/InvoiceLine[2]/Item[1]/Name[1]"
    found = worded(rule="", place=place, text="cvc-type.3.1.3", advice="Name the item.")

    assert found["field"] == "invoice.lineItems[1].description"
    assert (found["location"], found["suggestion"]) == (place, "Name the item.")
    assert (found["ruleId"], found["message"]) == (None, "cvc-type.3.1.3")


def test_an_error_without_rule_and_place_has_no_field():
    assert worded(rule="")["field"] is None
