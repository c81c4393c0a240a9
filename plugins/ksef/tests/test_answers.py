"""The table of answers has every code that is officially published."""

from __future__ import annotations

import csv
import json

import pytest

from einvoice.http import Response
from einvoice_ksef.answers import (
    EXCEPTIONS,
    STATUSES,
    Area,
    Kind,
    blames_account,
    fault_of,
    status_of,
)
from plugins.ksef.tests import official


def rows(name):
    with (official.FOLDER / name).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@official.needed
def test_every_exception_has_a_row_with_its_text():
    published = {int(row["code"]): row["text"] for row in rows("exception-codes.csv")}

    assert len(published) == 51
    assert {code: text for code, (text, _) in EXCEPTIONS.items()} == published


@official.needed
def test_every_status_has_a_row_with_its_text():
    published = {(int(r["code"]), r["text"], r["details"]) for r in rows("status-codes.csv")}

    assert len(published) == 63
    assert {(row.code, row.text, row.details) for row in STATUSES} == published


@official.needed
def test_every_published_status_is_found_by_its_answer():
    """With the text of the row as details, in the area of the row."""
    for row in STATUSES:
        details = None if row.details == "-" else [row.details]
        given = {"code": row.code, "description": row.text, "details": details}

        assert status_of(row.area, given).kind is row.kind, row


def test_no_status_of_an_invoice_but_those_of_its_content_fails_it():
    """A fault of the network or of the session never fails a document."""
    final = {row.code for row in STATUSES if row.area is Area.INVOICE and row.kind is Kind.DOCUMENT}

    assert final == {410, 415, 430, 450}


@pytest.mark.parametrize(
    ("code", "detail", "kind"),
    [
        (450, "Invalid token encoding.", Kind.OPERATOR),
        (450, "Invalid timestamp", Kind.RETRY),
        (450, "Invalid challenge.", Kind.RETRY),
        (450, "INVALID TOKEN", Kind.CONNECTION),
        (450, "Token revoked.", Kind.CONNECTION),
        (450, "Token cannot be used in the context 1111111111", Kind.CONNECTION),
        (450, "Something else", Kind.RETRY),
        (460, "Certificate revoked.", Kind.CONNECTION),
        (460, "Certificate chain verification error", Kind.RETRY),
        (460, "Untrusted certificate chain", Kind.CONNECTION),
        (500, "Token revoked.", Kind.RETRY),
    ],
)
def test_reasons_of_logins_are_known_in_english(code, detail, kind):
    given = {"code": code, "description": "-", "details": [detail]}

    assert status_of(Area.LOGIN, given).kind is kind


@pytest.mark.parametrize(
    "given", [None, "200", {}, {"code": "200"}, {"code": 999}, {"code": None}, [200]]
)
def test_a_status_of_another_form_is_unknown(given):
    assert status_of(Area.INVOICE, given).kind is Kind.UNKNOWN


def test_a_code_means_what_it_means_in_its_area():
    given = {"code": 415, "description": "-", "details": []}

    assert status_of(Area.INVOICE, given).kind is Kind.DOCUMENT
    assert status_of(Area.SESSION, given).kind is Kind.RETRY
    assert status_of(Area.LOGIN, given).kind is Kind.CONNECTION


def answer(status, values, **headers):
    return Response(status, headers, json.dumps(values).encode())


EXCEPTION = {"exceptionCode": 21180, "exceptionDescription": "Status sesji", "details": ["a"]}
PROBLEM = {"code": 21180, "description": "Status sesji", "details": ["a"]}


@pytest.mark.parametrize(
    "values",
    [{"exception": {"exceptionDetailList": [EXCEPTION]}}, {"errors": [PROBLEM], "new": {"a": 1}}],
)
def test_both_formats_of_errors_are_read(values):
    fault = fault_of(answer(400, values))

    assert (fault.kind, fault.code, fault.text) == (Kind.SESSION, 21180, "Status sesji a")


def test_of_several_errors_the_first_known_one_counts():
    fault = fault_of(answer(400, {"errors": [{"code": 7}, PROBLEM]}))

    assert fault.code == 21180


@pytest.mark.parametrize(
    ("status", "values", "kind"),
    [
        (400, {}, Kind.UNKNOWN),
        (400, {"errors": [{"code": 99999, "description": "new"}]}, Kind.UNKNOWN),
        (400, {"errors": [{"code": 21184}]}, Kind.SESSION),
        (400, {"exception": None}, Kind.UNKNOWN),
        (400, {"exception": {"exceptionDetailList": None}}, Kind.UNKNOWN),
        (401, {}, Kind.TOKEN),
        (403, {}, Kind.UNKNOWN),
        (403, {"reasonCode": "of-tomorrow"}, Kind.UNKNOWN),
        (403, {"reasonCode": "missing-permissions"}, Kind.CONNECTION),
        (404, {}, Kind.OPERATOR),
        (410, {}, Kind.MISSING),
        (429, {}, Kind.LIMIT),
        (500, {}, Kind.UNKNOWN),
        (502, [], Kind.UNKNOWN),
        (200, {}, Kind.UNKNOWN),
        (302, {}, Kind.UNKNOWN),
    ],
)
def test_answers_by_their_http_status(status, values, kind):
    assert fault_of(answer(status, values)).kind is kind


def test_rights_that_are_missing_are_named():
    security = {
        "requiredAnyOfPermissions": ["InvoiceWrite", "Introspection"],
        "presentPermissions": ["InvoiceRead"],
    }
    values = {"reasonCode": "missing-permissions", "detail": "Brak", "security": security}
    fault = fault_of(answer(403, values))

    assert fault.missing == ("InvoiceWrite", "Introspection")
    assert fault.present == ("InvoiceRead",)


@pytest.mark.parametrize(
    ("header", "seconds"), [("30", 30.0), ("0", 1.0), ("soon", 60.0), (None, 60.0)]
)
def test_the_pause_after_too_many_calls_is_read(header, seconds):
    headers = {} if header is None else {"retry-after": header}

    assert fault_of(answer(429, {}, **headers)).retry_after == seconds


@pytest.mark.parametrize(
    ("values", "own"),
    [
        ({"reasonCode": "missing-permissions"}, True),
        ({"reasonCode": "security-service-blocked"}, True),
        ({"exception": {"exceptionDetailList": [{"exceptionCode": 21301}]}}, True),
        ({"reasonCode": "of-tomorrow"}, False),
        ({"reasonCode": ["missing-permissions"]}, False),
        ({"title": "Request blocked", "status": 403, "security": {"incidentId": "1"}}, False),
        ({"errors": [{"code": 99999, "details": 5}]}, False),
        ({"errors": 5, "exception": "x"}, False),
        ([], False),
    ],
)
def test_a_403_blames_the_account_if_it_has_a_reason_of_ksef(values, own):
    assert blames_account(answer(403, values)) is own
