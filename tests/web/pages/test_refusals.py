"""What a form is refused for, in the language of the page; the API says it in English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from markupsafe import escape
from marshmallow import ValidationError, fields

from einvoice.domain.errors import FieldError
from einvoice.web import refusal_messages
from einvoice.web.contract import Contract, Items, Labels
from einvoice.web.dashboard import refusals
from einvoice.web.dashboard.words import speaker, words_of
from einvoice.web.fields import Base64, Code, Count, Day, Flag, Number, Text
from einvoice.web.locales import LANGUAGES
from einvoice.web.paging import Moment, QueryInteger
from einvoice.web.pointers import invalid_field
from einvoice.web.refusal_messages import HINTS, MESSAGES, message_of
from einvoice.web.shared.invoice_list_schemas import QueryAmount
from einvoice.web.submission.encoded import Encoded
from tests.tables import each_row
from tests.web.pages.visitor import Visitor

CURRENCIES = [f"X{first}{second}" for first in "ABCDE" for second in "ABCDE"]
LABELS = Labels("", max_names=1, max_name_length=2, max_length=3, max_bytes=9)
LIST = Items(Text("", max_length=1), "", min_items=1, max_items=1)
NUMBER = Number("", minimum=1, maximum=2)
# Of each message: a field, and a value that it refuses so. None: made by no field.
REFUSED: dict[str, tuple[fields.Field[Any], Any] | None] = {
    "required": (Text("", max_length=1, required=True), None),
    "null": (LIST, [None]),
    "unknown": None,
    "parameter": None,
    "repeated": None,
    "blank": (Text("", max_length=1, required=True), " "),
    "blankParameter": None,
    "object": (LABELS, 1),
    "list": (LIST, 1),
    "string": (Text("", max_length=1), 1),
    "number": (NUMBER, True),
    "numberAsText": (NUMBER, "1"),
    "whole": (Count("", minimum=1, maximum=2), "1"),
    "digits": (QueryInteger("", minimum=1, maximum=2), "one"),
    "amount": (QueryAmount(""), "1,5"),
    "flag": (Flag(""), "yes"),
    "fewItems": (LIST, []),
    "manyItems": (LIST, ["a", "b"]),
    "manyNames": (LABELS, {"a": "", "b": ""}),
    "name": (LABELS, {"abc": ""}),
    "longLabel": (LABELS, {"a": "abcd"}),
    "large": (LABELS, {"a": "äää"}),
    "long": (Text("", max_length=1), "ab"),
    "notText": (LABELS, {"a": "\x00"}),
    "character": (Text("", max_length=1), "\x00"),
    "form": (Text("", max_length=9, form=(r"[a-z]+", "an e-mail address")), "1"),
    "code": (Code("", CURRENCIES, name="an ISO 4217 currency code"), "XYZ"),
    "choice": (Code("", ("test", "live"), name="test or live"), "both"),
    "least": (NUMBER, 0),
    "above": (Number("", exclusive_minimum=0), 0),
    "most": (NUMBER, 3),
    "range": (Count("", minimum=1, maximum=2), 3),
    "manyDigits": (Number(""), 10**15),
    "manyDecimals": (NUMBER, Decimal("1.0000000000000001")),
    "binaryNoise": (NUMBER, Decimal("1.2000000000000002")),
    "day": (Day(""), "2026-02-30"),
    "moment": (Moment(""), "now"),
    "base64": (Base64(""), ""),
    "dataUrl": (Base64(""), "data:text/plain;base64,YQ=="),
    "document": (Encoded(""), 1),
    "plainXml": (Encoded(""), "<a/>"),
    "foreign": (Encoded(""), "a?bc"),
    "cut": (Encoded(""), "abc"),
    "padding": (Encoded(""), "a=bc"),
}
PLACES = {"known": "limit"}


def error_of(name: str) -> FieldError:
    """The error of a message, as a contract makes it."""
    refused = REFUSED[name]
    messages: Any = [message_of(name, **(PLACES if name == "parameter" else {}))] if (
        refused is None
    ) else None  # fmt: skip
    if refused is not None:
        with pytest.raises(ValidationError) as found:
            refused[0].deserialize(refused[1])
        messages = found.value.messages
    (error,) = invalid_field(messages).errors
    assert error.phrase is not None
    assert error.phrase.name == name
    assert error.code == MESSAGES[name][0]
    return error


def test_every_message_has_an_example():
    assert set(REFUSED) == set(MESSAGES)


@each_row("language", LANGUAGES)
@each_row("name", MESSAGES)
def test_every_message_of_a_contract_is_said_in_every_language(name, language):
    """A place that the message has no value for would be an error here."""
    error = error_of(name)
    said = refusals.worded(error, speaker(language))

    assert "{" not in said
    if language != "en":
        assert said != refusals.worded(error, speaker("en"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", HINTS)
def test_every_hint_is_said_in_every_language(name, language):
    assert words_of(language)[f"refusals.{name}"]


def test_a_hint_follows_in_the_language_of_the_page():
    with pytest.raises(ValidationError) as found:
        Code("", ("EUR", "SEK"), name="a currency").deserialize("eur")
    (error,) = invalid_field(found.value.messages).errors

    assert error.message == "'eur' is not a currency; write it in capitals"
    assert refusals.worded(error, speaker("de")) == (
        "'eur' ist keines von EUR, SEK; bitte in Großbuchstaben schreiben"
    )


def contracts(above: type[Contract] = Contract) -> Iterator[type[Contract]]:
    """The contracts of the service; other tests make some of their own."""
    for contract in above.__subclasses__():
        if contract.__module__.startswith("einvoice"):
            yield contract
        yield from contracts(contract)


def expected(field: fields.Field[Any]) -> Iterator[str]:
    """What a field says that it expects, in English."""
    if isinstance(field, Items):
        yield from expected(field.inner)
    if isinstance(field, Text) and field.pattern:
        yield field.form_name
    if isinstance(field, Code) and not field.choices:
        yield field.code_name


def test_every_form_and_code_list_of_the_contracts_has_a_name(service):
    """By it the pages say in their language what is expected."""
    said = {
        word
        for contract in contracts()
        for field in contract().fields.values()
        for word in expected(field)
    }

    assert len(said) > 20
    assert {f"kinds.{refusals.kind_of(word)}" for word in said} - set(words_of("en")) == set()


def test_contracts_refuse_by_the_name_of_a_message():
    """`refusal` and `message_of` get names of MESSAGES, never texts."""
    folder = Path(refusal_messages.__file__).parent
    given = {
        node.args[0].value
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"refusal", "message_of"}
        and isinstance(node.args[0], ast.Constant)
    }

    assert len(given) > 30
    assert given - set(MESSAGES) == set()


LONG = "x" * 300
FORM = {"name": LONG * 10, "countryCode": "XX", "email": "no"}


def test_a_form_is_refused_in_the_language_of_the_page_and_the_api_in_english(service):
    visitor = Visitor(service)
    page = visitor.post("/dashboard/customers/new", FORM, Accept_Language="pl")
    answer = visitor.person.post("/api/customers", FORM)

    assert "liczba znaków: 3000; dozwolone najwyżej" in page.text
    assert "ma niewłaściwą postać; oczekiwano: adres e-mail" in page.text
    assert "characters; at most" not in page.text
    messages = [error["message"] for error in answer.json["errors"]]
    assert any(text.startswith("has 3000 characters; at most") for text in messages)
    assert "is not an e-mail address" in messages


KEY = {"name": "A", "scopes": "invoices:read"}


@pytest.mark.parametrize(
    ("page", "form", "phrase"),
    [
        ("settings", {"iban": "BE1", "name": "A"}, "iban"),
        ("settings", {"bic": "X", "name": "A"}, "bic"),
        ("developers/keys", {**KEY, "expiresAt": "2020-01-01T00:00:00Z"}, "past"),
        ("developers/keys", {**KEY, "allowedIps": "house"}, "network"),
        ("developers/keys", {**KEY, "allowedIps": "192.0.2.1/24"}, "networkOf"),
        ("developers/webhooks", {"url": "http://127.0.0.1/"}, "address"),
    ],
)
def test_what_services_refuse_is_said_in_the_language_of_the_page(service, page, form, phrase):
    visitor = Visitor(service)
    shown = visitor.post(f"/dashboard/{page}", form, Accept_Language="it").text
    before, place, _ = words_of("it")[f"refusals.{phrase}"].partition("{")
    value = escape(next(reversed(form.values()))) if place and not before else before

    assert re.search(rf'class="error"[^>]*>{re.escape(str(value))}', shown)


@pytest.mark.parametrize(("faults", "listed"), [("", 0), ("&totalFrom=many", 2)])
def test_the_page_of_a_problem_says_which_fields_are_wrong_in_its_language(service, faults, listed):
    """One fault stands in the text, several in a list as well."""
    visitor = Visitor(service)
    address = f"/dashboard/invoices/export.csv?currency=EURO{faults}"
    page = visitor.get(address, Accept_Language="de")

    assert page.status_code == 400
    assert "&#39;EURO&#39; gibt es nicht; erwartet wird ein Währungscode" in page.text
    assert page.text.count('<li dir="auto">') == listed
    assert "is not an" not in page.text
