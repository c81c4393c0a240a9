"""Content-Language names the languages that the findings of a response really have (20.14)."""

from __future__ import annotations

import pytest

from tests.web.submission.documents import request_of, two_lines

REASONS = {
    "de": "warum in der Kategorie E (steuerbefreit) keine Umsatzsteuer anfällt",
    "fr": "pourquoi la catégorie E (exonéré de TVA) ne porte pas de TVA",
    "nl": "waarom categorie E (vrijgesteld van btw) geen btw draagt",
    "pl": "dlaczego w kategorii E (zwolnienie z VAT) nie ma VAT",
    "ro": "de ce categoria E (scutit de TVA) nu poartă TVA",
}


def exempt_without_reason(caller) -> dict:
    """The body of a send with one line of 100.00."""
    line = {"description": "Course", "quantity": 1, "unitPrice": 100, "taxRate": 0}
    totals = {"subtotal": 100, "taxAmount": 0, "grandTotal": 100, "payableAmount": 100}
    return caller.body(lineItems=[line | {"taxCategory": "E"}], totals=totals)


@pytest.mark.parametrize("language", list(REASONS))
def test_an_exemption_without_a_reason_is_worded_in_the_language_of_the_reader(caller, language):
    """The language alone stands in the header; no finding is in another one."""
    body = exempt_without_reason(caller)
    answer = caller.bearer("POST", "/v1/invoices/validate", body, Accept_Language=language)
    [found] = [each for each in answer.json["findings"] if each["ruleId"] == "BR-E-10"]

    assert REASONS[language] in found["message"]
    assert "language" not in found
    assert answer.headers["Content-Language"] == language


def test_a_finding_without_words_in_the_language_says_that_it_is_english(caller):
    """And the header has both; in English neither says anything."""
    content = two_lines("CL-1").replace(b"</cbc:ID>", b"</cbc:ID><cbc:UUID>1</cbc:UUID>", 1)
    body = {"invoice": request_of(content)["invoice"]}
    german, english = (
        caller.bearer("POST", "/v1/invoices/validate", body, Accept_Language=language)
        for language in ("de", "en")
    )

    assert german.headers["Content-Language"] == "de, en"
    assert {each.get("language") for each in german.json["findings"]} == {"en"}
    assert english.headers["Content-Language"] == "en"
    assert all("language" not in each for each in english.json["findings"])
