"""Findings are in the language of Accept-Language on every route that shows them (20.14)."""

from __future__ import annotations

import json
import shutil

import pytest

from einvoice.validation import texts, warnings
from tests.web.caller import Caller
from tests.web.legacy_sends import BODY
from tests.web.submission.documents import request_of, two_lines

UNIT, RATE, UNUSED = "Keine Einheit.", "Kein Satz.", "Unbekannt."
GERMAN = f"""
[rules.BR-CL-23]
message = "{UNIT}"
[rules.BR-E-05]
message = "{RATE}"
[kinds.absence]
message = "{UNUSED}"
explanation = "Es steht da."
suggestion = "Weglassen."
"""


def forget_words() -> None:
    """The words are read from their files again."""
    for kept in (texts.languages, texts.language, warnings._templates):
        kept.cache_clear()


@pytest.fixture(autouse=True)
def with_german(tmp_path, monkeypatch):
    """The English texts as German ones, three of them translated."""
    for code in ("en", "de"):
        shutil.copytree(texts._FOLDER / "en", tmp_path / code)
    (tmp_path / "de" / "zz.toml").write_text(GERMAN)
    monkeypatch.setattr(texts, "_FOLDER", tmp_path)
    forget_words()
    yield
    forget_words()


def faulty(number: str) -> bytes:
    return two_lines(number).replace(b'unitCode="C62"', b'unitCode="ZZZ9"')


def amber(number: str) -> bytes:
    """A document with an element that the core invoice does not know."""
    return two_lines(number).replace(b"</cbc:ID>", b"</cbc:ID><cbc:UUID>1</cbc:UUID>", 1)


def exempt(caller: Caller) -> dict:
    """The body of a send with a rate in category E, which BR-E-05 refuses."""
    body = caller.body()
    body["invoice"]["lineItems"][0]["taxCategory"] = "E"
    return body


def refused_send(caller: Caller, **headers: str):
    return caller.send(exempt(caller), **headers)


def refused_dry_run(caller: Caller, **headers: str):
    return caller.send(exempt(caller) | {"options": {"dryRun": True}}, **headers)


def refused_submission(caller: Caller, **headers: str):
    return caller.bearer("POST", "/v1/invoices", request_of(faulty("L-1")), **headers)


def refused_in_batch(caller: Caller, **headers: str):
    body = {"invoices": [request_of(faulty("L-1"))]}
    return caller.bearer("POST", "/v1/invoices/batch", body, **headers)


def converted(caller: Caller, **headers: str):
    body = {"invoice": request_of(faulty("L-1"))["invoice"]}
    return caller.bearer("POST", "/v1/invoices/convert?to=cii", body, **headers)


def accepted(caller: Caller, **headers: str):
    headers = {"Prefer": "respond-async", **headers}  # no worker runs here
    return caller.bearer("POST", "/v1/invoices", request_of(amber("L-2")), **headers)


def accepted_in_batch(caller: Caller, **headers: str):
    body = {"invoices": [request_of(amber("L-2"))]}
    return caller.bearer("POST", "/v1/invoices/batch", body, **headers)


def tracked(caller: Caller, **headers: str):
    sent = accepted(caller, Accept_Language="en").json["id"]
    return caller.bearer("GET", f"/v1/invoices/{sent}", **headers)


def report(caller: Caller, **headers: str):
    path = f"/api/invoices/{accepted(caller, Accept_Language='en').json['id']}/artefacts"
    listed = caller.get(f"{path}?type=VALIDATION_REPORT", **headers).json["items"][0]
    found = caller.get(f"{path}/{listed['artefactId']}", **headers)
    assert listed["sizeBytes"] == len(found.data)
    return found


@pytest.mark.parametrize(
    ("call", "german"),
    [
        (refused_send, RATE),
        (refused_dry_run, RATE),
        (refused_submission, UNIT),
        (refused_in_batch, UNIT),
        (converted, UNIT),
        (accepted, UNUSED),
        (accepted_in_batch, UNUSED),
        (tracked, UNUSED),
        (report, UNUSED),
    ],
)
def test_findings_are_in_the_language_of_the_caller(caller, call, german):
    """English is the default; the response names its language."""
    for accept, language in (("de-AT, en;q=0.5", "de"), ("en", "en"), ("", "en")):
        answer = call(Caller(caller.app), Accept_Language=accept)

        assert (german in answer.text) is (language == "de")
        named = f"{language}, en" if '"language":"en"' in answer.text else language
        assert answer.headers["Content-Language"] == named
        assert "Accept-Language" in answer.headers["Vary"]


def test_what_is_stored_does_not_depend_on_the_language_of_the_sender(caller):
    sent = accepted(caller, Accept_Language="de").json["id"]
    answer = caller.bearer("GET", f"/v1/invoices/{sent}")

    assert answer.json["validation"]["trafficLight"] == "amber"
    assert UNUSED not in answer.text


def test_a_refusal_of_the_deprecated_send_keeps_its_names_of_fields(caller):
    """In every language."""
    body = BODY | {"lineItems": [BODY["lineItems"][0] | {"unitCode": "ZZZ9"}]}
    answers = [
        caller.call(
            "POST", "/v1/invoices/send", json.dumps(body).encode(),
            Content_Type="application/json", Accept_Language=accept,
        )
        for accept in ("de", "en")
    ]  # fmt: skip

    assert [answer.status_code for answer in answers] == [400, 400]
    assert all("invoice.lineItems" not in answer.text for answer in answers)


def test_a_response_without_findings_names_no_language(caller):
    answer = caller.get("/api/balance")

    assert "Content-Language" not in answer.headers
