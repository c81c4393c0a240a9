"""GET /v1/invoices/{id}/pdf."""

from __future__ import annotations

import pytest

from tests.web.caller import Caller, slug
from tests.web.submission.documents import CII_SENDER, cii, request_of, two_lines

FROM_CII = {"format": "cii", "sender": {"peppolId": CII_SENDER}}


@pytest.mark.parametrize(
    "body", [request_of(two_lines("P 1")), request_of(cii(), **FROM_CII)], ids=["ubl", "cii"]
)
def test_a_submitted_invoice_can_be_read_on_paper(caller, body):
    """And is the same file the second time."""
    accepted = caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")
    path = f"/v1/invoices/{accepted.json['id']}/pdf"
    first, second = caller.bearer("GET", path), caller.bearer("GET", path)

    assert (first.status_code, first.content_type) == (200, "application/pdf")
    assert first.data.startswith(b"%PDF-")
    assert second.data == first.data
    assert first.headers["Content-Disposition"].startswith('inline; filename="invoice-')


def test_nobody_elses_invoice_is_rendered(service, caller):
    invoice = caller.sent()
    answer = Caller(service).bearer("GET", f"/v1/invoices/{invoice}/pdf")

    assert (answer.status_code, slug(answer)) == (404, "not-found")
