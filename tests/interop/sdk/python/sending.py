"""Send an invoice with the generated client: first send, refusals, retries, OAuth."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from typing import TypeVar

from einvoice_client import (
    Address,
    ApiClient,
    Configuration,
    DeclaredTotalsMismatchProblem,
    InvalidFieldProblem,
    Invoice,
    InvoiceResponse,
    InvoicesApi,
    LineItem,
    OAuthApi,
    ParticipantsApi,
    Party,
    Problem,
    RoutingIds,
    SendRequest,
    SendResponse,
    SupplierParty,
    Totals,
)
from einvoice_client.exceptions import ApiException
from urllib3.exceptions import HTTPError

Answer = TypeVar("Answer")


def connect(url: str, key: str) -> ApiClient:
    return ApiClient(Configuration(host=url, api_key={"apiKey": key}))


def look_up(client: ApiClient, receiver: str) -> str:
    found = ParticipantsApi(client).lookup_participant(receiver, _request_timeout=30.0)
    if found.access_point_ref is None:
        raise LookupError(f"{receiver} is not registered")
    return str(found.access_point_ref)


def invoice(number: str, receiver: str, reference: str) -> SendRequest:
    belgium = Address(country_code="BE")
    return SendRequest(
        invoice=Invoice(
            number=number,
            issue_date=date(2026, 11, 21),
            due_date=date(2026, 12, 21),
            currency="EUR",
            buyer_reference="PO-1",
            supplier=SupplierParty(name="Example NV", tax_id="BE0123456749", address=belgium),
            buyer=Party(name="Sandbox Buyer", address=belgium),
            line_items=[
                LineItem(description="Consulting", quantity=2, unit_price=50.0, tax_rate=21.0)
            ],
            totals=Totals(subtotal=100.0, tax_amount=21.0, grand_total=121.0),
        ),
        routing=RoutingIds(
            sender_participant_id="0208:0123456749",
            receiver_participant_id=receiver,
            access_point_ref=reference,
        ),
    )


def send(client: ApiClient, body: SendRequest, key: str) -> SendResponse:
    return InvoicesApi(client).send_invoice(body, idempotency_key=key, _request_timeout=30.0)


def wait(client: ApiClient, sent: SendResponse, seconds: float = 60) -> InvoiceResponse:
    """The invoice, once it is Delivered or Failed."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = InvoicesApi(client).get_invoice(str(sent.invoice_id), _request_timeout=30.0)
        if found.network_status != "Processing":
            return found
        time.sleep(0.5)
    raise TimeoutError(f"{sent.invoice_id} is still Processing")


def slug(problem: Problem) -> str:
    """The last part of `type`, which never changes."""
    return problem.type.rpartition("/")[2]


def explain(refused: ApiException) -> str:
    """The faults of a refused request."""
    problem = refused.data
    if isinstance(problem, InvalidFieldProblem):
        return "; ".join(f"{error.pointer}: {error.message}" for error in problem.errors)
    if isinstance(problem, DeclaredTotalsMismatchProblem):
        return f"the lines add up to {problem.computed_grand_total}"
    if isinstance(problem, Problem):
        return f"{slug(problem)}: {problem.detail}"
    return f"{refused.status}: {refused.body}"


def with_retries(request: Callable[[], Answer], attempts: int = 5) -> Answer:
    """Repeat what may be repeated: no answer, 409 idempotency-in-progress, 429 and 5xx."""
    pause = 1.0
    for _ in range(attempts - 1):
        try:
            return request()
        except HTTPError:
            asked = None
        except ApiException as refused:
            if not _may_be_repeated(refused):
                raise
            asked = (refused.headers or {}).get("Retry-After")
        time.sleep(float(asked) if asked else pause)
        pause *= 2
    return request()


def _may_be_repeated(refused: ApiException) -> bool:
    if refused.status == 409:
        return isinstance(refused.data, Problem) and slug(refused.data) == "idempotency-in-progress"
    return refused.status == 429 or (refused.status or 0) >= 500


def connect_with_token(url: str, client_id: str, client_secret: str) -> ApiClient:
    """A client with an access token of one hour; request the next one a minute before its end."""
    answer = OAuthApi(ApiClient(Configuration(host=url))).issue_token(
        "client_credentials", client_id=client_id, client_secret=client_secret
    )
    return ApiClient(Configuration(host=url, access_token=answer.access_token))
