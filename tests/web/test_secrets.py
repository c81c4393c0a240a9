"""Nothing secret reaches the log. What real processes write is looked through in
tests/web/test_processes.py; here are the ways in that only accidents open."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
import structlog

from einvoice.observability import logging
from einvoice.services.send import send as sends
from einvoice.store.sending.new_sends import NewSend
from tests.web.caller import Caller

NAME = "Very Private\n\nHINT: Supplier BV"


@pytest.fixture
def said(monkeypatch) -> io.StringIO:
    """The log of an unexpected error, in the format of production."""
    out = io.StringIO()
    before = structlog.get_config()
    monkeypatch.setattr("sys.stderr", out)
    logging.configure("DEBUG", "json")
    yield out
    structlog.configure(**before)


def fail_in_the_database(monkeypatch) -> None:
    """The database refuses the statement that stores an invoice, with all its values."""
    real = sends.new_send

    def _without_kind(*arguments: object) -> NewSend:
        send = real(*arguments)
        return replace(send, head=replace(send.head, kind=None))

    monkeypatch.setattr(sends, "new_send", _without_kind)


def test_a_failed_statement_is_logged_without_what_it_was_to_store(service, said, monkeypatch):
    """Neither SQLAlchemy's parameters nor PostgreSQL's "Failing row contains"."""
    caller = Caller(service)
    supplier = {"name": NAME, "taxId": "BE0123456749", "address": {"countryCode": "BE"}}
    body = caller.body(supplier=supplier, number="SECRET-1")
    monkeypatch.setattr("einvoice.web.problems.log", structlog.get_logger())
    fail_in_the_database(monkeypatch)
    answer = caller.send(body)

    assert answer.status_code == 500
    assert "unforeseen" in said.getvalue()
    assert "invoices" in said.getvalue()
    for secret in ("Private", "Supplier BV", "SECRET-1", caller.key):
        assert secret not in said.getvalue()


def test_log_fields_with_names_of_secrets_are_redacted():
    event = {"event": "x", "api_key": "k", "signingSecret": "s", "body": b"b", "transmission": "t"}

    assert logging.redact(None, "", event) == {
        "event": "x", "api_key": "[redacted]", "signingSecret": "[redacted]",
        "body": "[redacted]", "transmission": "t",
    }  # fmt: skip
