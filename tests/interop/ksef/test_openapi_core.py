"""openapi-core agrees with the judge of the daily tests about requests and answers.

Not part of `make test`: `make ksef-interop` makes the environment, then runs this.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest

from plugins.ksef.tests import company
from tests.interop.ksef import foreign
from tests.networks import ksef
from tests.networks.ksef import Exchange, judging, samples
from tests.networks.ksef.authority import Authority
from tests.networks.ksef.client import Client

pytestmark = [
    pytest.mark.interop,
    pytest.mark.skipif(
        not judging.DOCUMENT.exists(), reason=f"no {judging.DOCUMENT} (set EINVOICE_NETWORKS)"
    ),
]


@pytest.fixture(scope="module")
def exchanges():
    """Those of the plugin: logins, a sent invoice, a package, purchases, refusals."""
    authority = Authority()
    with ksef.running(authority) as service:
        point = company.point_at(service.url)
        seller = company.connected(point, company.in_pem(*samples.seal_of()))
        bound = company.bound(point, seller)
        company.sent(bound, company.envelope())
        many = [company.envelope() for _ in range(12)]
        for envelope, outcome in zip(many, outcomes(bound, many), strict=True):
            company.settled(bound, envelope, outcome)
        token = {"token": authority.issue_token(company.BUYER)}
        buyer = company.connected(point, token, company.BUYER, "c2")
        point.fetch(buyer, None)
        Client(service).open()
        Client(service).sign_in().open(formCode={})
        return [each for each in service.exchanges if each.route is not None]


def outcomes(bound, envelopes):
    prepared = [(each, bound.prepare(each)) for each in envelopes]
    found = {}
    for group in bound.submit_as_completed(prepared):
        found |= dict(group)
    return [found[place] for place in range(len(envelopes))]


def based(content: bytes) -> str:
    return base64.b64encode(content).decode()


def shown(exchange: Exchange):
    assert exchange.route is not None
    request, answer = exchange.request, exchange.answer
    return {
        "name": exchange.name,
        "request": {
            "method": request.method,
            "path": exchange.route.template,
            "params": dict(request.params),
            "query": dict(request.query),
            "headers": dict(request.headers),
            "body": based(request.body),
        },
        "answer": {
            "status": answer.status,
            "type": answer.type,
            "headers": dict(answer.headers),
            "body": based(answer.body),
        },
    }


def judged(folder, exchanges):
    (folder / "interface.json").write_bytes(judging.DOCUMENT.read_bytes())
    (folder / "exchanges.json").write_text(json.dumps([shown(each) for each in exchanges]))
    return json.loads(foreign.python("judge.py", folder))


def test_requests_and_answers_keep_the_published_interface(tmp_path, exchanges):
    calls = {each.name for each in exchanges}
    statuses = {each.answer.status for each in exchanges}
    # Two requests of the test itself: without a token, and with an empty form.
    wrong = [each for each in exchanges if each.answer.status in (400, 401)]
    right = [each for each in exchanges if each not in wrong]

    assert calls >= {"POST /sessions/batch", "POST /invoices/exports", "POST /auth/ksef-token"}
    assert statuses >= {200, 201, 202, 204, 400, 401}
    assert judged(tmp_path, right) == judging.faults(right) == []
    assert len(judged(tmp_path, wrong)) == len(wrong) == 2
    assert judging.faults(wrong, requests=False) == []


@pytest.mark.parametrize("change", ["request", "answer"])
def test_a_damaged_exchange_is_a_fault_for_both(tmp_path, exchanges, change):
    name = "POST /sessions/online/{referenceNumber}/invoices"
    exchange = next(each for each in exchanges if each.name == name)
    if change == "request":
        values = exchange.request.json() | {"invoiceSize": "12"}
        request = replace(exchange.request, body=json.dumps(values).encode())
        damaged = exchange._replace(request=request)
    else:
        damaged = exchange._replace(answer=replace(exchange.answer, body=b"{}"))

    assert judged(tmp_path, [exchange]) == judging.faults([exchange]) == []
    assert len(judged(tmp_path, [damaged])) == 1
    assert len(judging.faults([damaged])) == 1
