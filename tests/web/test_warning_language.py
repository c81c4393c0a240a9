"""Warnings are in the language of Accept-Language, on every route that shows them."""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa

from einvoice.store.core import db
from einvoice.store.tables import Invoice
from tests.web.caller import Caller
from tests.web.legacy_sends import BODY
from tests.web.submission.documents import request_of, two_lines, ubl

ENGLISH = "Neither a buyer reference nor an order reference was sent"
GERMAN = "Weder eine Käufer- noch eine Bestellreferenz wurde gesendet"
FRENCH = "Ni référence de l’acheteur ni référence de commande n’a été envoyée"


def worded(answer, code="buyer-reference-defaulted") -> str:
    assert answer.status_code in (200, 202), answer.text
    return next(w["message"] for w in answer.json["warnings"] if w["code"] == code)


def bare(caller: Caller) -> dict:
    """A body without a reference of the buyer."""
    body = caller.body()
    body["invoice"].pop("buyerReference", None)
    return body


def test_a_send_its_replay_and_its_invoice_have_the_reader_s_words(caller):
    """Stored once, without words."""
    body = bare(caller)
    sent = caller.send(body, Idempotency_Key="k-1", Accept_Language="de")
    replay = caller.send(body, Idempotency_Key="k-1", Accept_Language="fr")
    path = f"/api/invoices/{sent.json['invoiceId']}"
    shown = [caller.get(path, Accept_Language=accept) for accept in ("de", "en", "pt")]
    tracked = caller.bearer(
        "GET", f"/v1/invoices/{sent.json['invoiceId']}", Accept_Language="fr-CH"
    )

    assert worded(sent).startswith(GERMAN)
    assert worded(replay).startswith(FRENCH)
    assert [worded(each)[:10] for each in shown] == [GERMAN[:10], ENGLISH[:10], ENGLISH[:10]]
    assert [each.headers["Content-Language"] for each in shown] == ["de", "en", "en"]
    assert worded(tracked).startswith(FRENCH)
    with caller.app.app_context(), db.reading() as connection:
        query = sa.select(Invoice.warnings).where(Invoice.id == sent.json["invoiceId"])
        stored = connection.execute(query).scalar_one()
    assert all("message" not in each for each in stored)


def test_a_dry_run_and_a_validation_have_the_reader_s_words(caller):
    body = bare(caller)
    dry = caller.send(body | {"options": {"dryRun": True}}, Accept_Language="de")
    judged = caller.bearer("POST", "/v1/invoices/validate", body, Accept_Language="de")

    assert worded(dry).startswith(GERMAN)
    assert worded(judged).startswith(GERMAN)


def test_a_duplicate_is_reported_in_the_reader_s_words(caller):
    first, second = bare(caller), bare(caller)
    second["invoice"]["number"] = first["invoice"]["number"]
    caller.send(first)
    answer = caller.send(second, Accept_Language="de")

    number = first["invoice"]["number"]
    assert worded(answer, "possible-duplicate") == f"Eine Rechnung {number} wurde schon gesendet."


def test_warnings_of_rules_have_the_reader_s_words(caller):
    """Where the language lists the rule; else they are in English, as before."""
    document = two_lines("W-1").replace(b"</cbc:ID>", b"</cbc:ID><cbc:UUID>1</cbc:UUID>", 1)
    sent = caller.bearer("POST", "/v1/invoices", request_of(document), Accept_Language="de")

    assert sent.status_code in (200, 202), sent.text
    assert [w["code"] for w in sent.json["warnings"]] == ["UBL-CR-005"]
    assert "UUID" in sent.json["warnings"][0]["message"]


def test_a_batch_has_the_reader_s_words(caller):
    document = ubl(number="W-2", paymentMeans={"iban": "BE68539007547035"})
    body = {"invoices": [request_of(document)]}
    answer = caller.bearer("POST", "/v1/invoices/batch", body, Accept_Language="fr")
    [result] = answer.json["results"]

    [warning] = result["warnings"]
    assert warning["message"].startswith(
        "Les chiffres de contrôle de l’IBAN BE68539007547035 sont faux"
    )


def test_the_deprecated_send_has_its_field_names_and_the_reader_s_words(caller):
    raw = json.dumps(BODY).encode()
    given = {"Content_Type": "application/json", "Prefer": "respond-async"}
    answer = caller.call("POST", "/v1/invoices/send", raw, Accept_Language="de", **given)

    [warning] = [w for w in answer.json["warnings"] if w["code"] == "buyer-reference-defaulted"]
    assert warning["message"].startswith(GERMAN)
    assert warning["field"] == "invoice.buyerReference"


def test_a_conversion_has_the_reader_s_words(caller):
    document = two_lines("W-3").replace(b"</cbc:ID>", b"</cbc:ID><cbc:UUID>1</cbc:UUID>", 1)
    body = {"invoice": request_of(document)["invoice"]}
    answer = caller.bearer("POST", "/v1/invoices/convert?to=cii", body, Accept_Language="de")

    messages = [w["message"] for w in answer.json["warnings"]]
    assert any("wird nicht übernommen: CII hat keinen Platz dafür." in each for each in messages)


@pytest.mark.parametrize("accept", ["de", "en"])
def test_a_warning_of_an_earlier_release_is_shown_as_it_is_stored(caller, accept):
    invoice = caller.sent()
    old = [{"code": "due-date-missing", "message": "Old words.", "field": "invoice.dueDate"}]
    with caller.app.app_context(), db.writing() as connection:
        connection.execute(sa.update(Invoice).where(Invoice.id == invoice).values(warnings=old))

    shown = caller.get(f"/api/invoices/{invoice}", Accept_Language=accept).json["warnings"]
    said = {} if accept == "en" else {"language": "en"}
    assert shown == [old[0] | said]
