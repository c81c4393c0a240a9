"""Batches of documents, and submitting them."""

from __future__ import annotations

from tests.web.caller import Caller
from tests.web.submission.documents import request_of, two_lines

PATH = "/v1/invoices/batch"


def entry(number: str, key: str | None = None, **fields):
    body = request_of(two_lines(number), **fields)
    return body | {"idempotencyKey": key} if key else body


def submit(caller: Caller, entries: list, **headers: str):
    return caller.bearer("POST", PATH, {"invoices": entries}, **headers)
