"""PDFs over HTTP, rendered in real child processes: one tenant's flood and everybody else."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

import pytest
from flask import Flask

from einvoice.documents.ubl.write import document_xml
from einvoice.services.computing.pool import Computing
from einvoice.services.computing.process import ProcessLimits
from einvoice.services.computing.sizes import is_large
from einvoice.web.admission import slots
from einvoice.web.runtime import runtime_of
from tests.builders import accepted
from tests.documents.pdf.samples import a_line, an_invoice
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

PREVIEW = "/api/tenant/branding/preview.pdf"
MEMORY = 2560 * 1024**2


@pytest.fixture
def serving(make_app: Callable[..., Flask]) -> Callable[..., Flask]:
    """`serving(cpu_seconds, **pool)`: the service with computing processes of its own."""

    def _serving(cpu_seconds: float = 60.0, **pool: Any) -> Flask:
        computing = Computing(
            ProcessLimits(MEMORY, cpu_seconds, 60.0, "CRITICAL"),
            slot=slots,
            **pool,
        )
        return make_app(computing=computing, limit_session_get=10_000)

    return _serving


def large_invoice(caller: Caller, number: str, lines: int = 500) -> str:
    """The path of the PDF of an invoice that takes most of a second to render."""
    invoice = an_invoice(
        number=number,
        lines=tuple(
            a_line(at, f"Item {at}", quantity=Decimal(1), extension=Decimal(99))
            for at in range(lines)
        ),
    )
    with caller.app.app_context():
        send = accepted(caller.tenant, number=number, document=document_xml(invoice))
    return f"/v1/invoices/{send.invoice_id}/pdf"


def test_a_flood_of_pdfs_delays_no_other_tenant(serving) -> None:
    """Eight large PDFs of one tenant: others get theirs, and short answers stay short."""
    app = serving(wait=60.0, waiting=8)
    greedy, other = Caller(app), Dashboard(app)
    assert other.get(f"{PREVIEW}?country=DE").status_code == 200  # starts a process
    paths = [large_invoice(greedy, f"F-{number}") for number in range(8)]
    slowest = 0.0
    with ThreadPoolExecutor(8) as clients:
        flood = [clients.submit(greedy.bearer, "GET", path) for path in paths]
        time.sleep(0.2)
        while not all(answer.done() for answer in flood):
            asked = time.monotonic()
            assert other.get("/api/tenant").status_code == 200
            slowest = max(slowest, time.monotonic() - asked)
            if len([one for one in flood if one.done()]) >= 4:
                break
            time.sleep(0.02)
        asked = time.monotonic()
        assert other.get(f"{PREVIEW}?country=FR").status_code == 200
        took = time.monotonic() - asked
        answers = [answer.result() for answer in flood]

    assert sorted(answer.status_code for answer in answers) == [200] * 5 + [503] * 3
    assert slowest < 1.0
    assert took < 4.0


def test_a_request_whose_turn_does_not_come_may_be_repeated(serving) -> None:
    app = serving(processes=1, wait=0.2)
    greedy, other = Caller(app), Dashboard(app)
    assert other.get(f"{PREVIEW}?country=DE").status_code == 200
    path = large_invoice(greedy, "L-1", lines=2_500)
    with ThreadPoolExecutor(1) as client:
        flood = client.submit(greedy.bearer, "GET", path)
        time.sleep(0.3)
        late = other.get(f"{PREVIEW}?country=FR")
        assert flood.result().status_code == 200

    assert (late.status_code, slug(late)) == (503, "computing-unavailable")
    assert late.headers["Retry-After"] == "5"
    assert other.get(f"{PREVIEW}?country=FR").status_code == 200


def test_a_preview_is_computed_once_for_the_same_look(serving) -> None:
    """The second request computes nothing: not even the only process could make it wait."""
    app = serving(processes=1, wait=0.0)
    one = Dashboard(app)
    first = one.get(PREVIEW).data
    with runtime_of(app).computing._turns.held("another"):
        again = one.get(PREVIEW)
        other_look = one.get(f"{PREVIEW}?country=FR")

    assert (again.status_code, again.data) == (200, first)
    assert other_look.status_code == 503


def test_a_large_document_is_judged_in_a_process(serving) -> None:
    """The one that a computing process gets has the verdict of the rules."""
    app = serving()
    invoice = an_invoice(lines=tuple(a_line(at) for at in range(600)))
    document = document_xml(invoice)
    assert is_large(document)
    answer = Caller(app).bearer(
        "POST", "/v1/invoices/validate", document, Content_Type="application/xml"
    )

    assert answer.status_code == 200, answer.text
    assert "BR-CO-10" in {finding["ruleId"] for finding in answer.json["findings"]}
    assert runtime_of(app).computing._idle[0].calls == 1


def test_a_document_that_takes_too_much_is_a_problem(serving) -> None:
    answer = Dashboard(serving(cpu_seconds=0.01)).get(PREVIEW)

    assert (answer.status_code, slug(answer)) == (413, "computation-too-large")
    assert answer.content_type == "application/problem+json"
