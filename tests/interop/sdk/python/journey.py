"""The journey of an integrator with the generated Python client. Prints a line for each step."""

from __future__ import annotations

import hashlib
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from uuid import UUID

from einvoice_client import (
    ApiClient,
    Configuration,
    CustomerChanges,
    CustomersApi,
    InvoicesApi,
    KeysApi,
    NewApiKey,
    NewClaim,
    NewCustomer,
    NewIdentification,
    NewPlatformTenant,
    NewWebhook,
    PlatformsApi,
    TransactionSentEvent,
    WebhooksApi,
)
from einvoice_client.exceptions import ApiException
from receiver import Receiver
from sending import (
    connect,
    connect_with_token,
    explain,
    invoice,
    look_up,
    send,
    wait,
    with_retries,
)

RECEIVER = "0088:9520000000004"
BILLER = "0088:9520000000127"  # sends a bill back
URL = os.environ["EINVOICE"]


def first_send(client: ApiClient) -> UUID:
    reference = look_up(client, RECEIVER)
    sent = send(client, invoice("PY-1", RECEIVER, reference), key="PY-1")
    delivered = wait(client, sent)
    assert sent.network_status == "Processing"
    assert delivered.network_status == "Delivered"
    assert delivered.grand_total == 121.0
    return delivered.invoice_id


def retry(client: ApiClient, first: UUID) -> None:
    """A repetition with the same key returns the first result."""
    body = invoice("PY-1", RECEIVER, look_up(client, RECEIVER))
    again = with_retries(lambda: send(client, body, key="PY-1"))
    assert again.invoice_id == first
    answer = InvoicesApi(client).send_invoice_with_http_info(body, idempotency_key="PY-1")
    assert answer.headers is not None
    assert answer.headers["idempotency-replay"] == "true"


def refusal(request: Callable[[], object]) -> ApiException:
    try:
        request()
    except ApiException as refused:
        return refused
    raise AssertionError("The request was not refused.")


def refusals(client: ApiClient) -> None:
    """Each problem has its class, with its own members."""
    body = invoice("PY-2", RECEIVER, look_up(client, RECEIVER))
    body.invoice.currency = "ABC"
    refused = refusal(lambda: send(client, body, key="PY-2"))
    assert refused.status == 400
    assert explain(refused) == "/invoice/currency: 'ABC' is not an ISO 4217 currency code"
    body.invoice.currency, body.invoice.totals.grand_total = "EUR", 120.0
    refused = refusal(lambda: send(client, body, key="PY-2"))
    assert explain(refused) == "the lines add up to 121.0"
    unknown = connect(URL, "sk_test_unknown")
    refused = refusal(lambda: look_up(unknown, RECEIVER))
    assert explain(refused).startswith("invalid-api-key: ")


def listed(client: ApiClient, sent: UUID) -> None:
    page = InvoicesApi(client).list_invoices(number="PY-1", limit=10)
    assert [item.invoice_id for item in page.items] == [sent]
    assert not page.has_more


def artefact(client: ApiClient, sent: UUID) -> None:
    invoices = InvoicesApi(client)
    receipt = next(i for i in invoices.list_artefacts(str(sent)).items if i.type == "RECEIPT")
    content = invoices.download_artefact(str(sent), receipt.artefact_id)
    assert hashlib.sha256(content).hexdigest() == receipt.sha256


def customer(session: ApiClient) -> None:
    customers = CustomersApi(session)
    made = customers.create_customer(NewCustomer(name="Buyer BV", tax_id="BE0403019261"))
    path = str(made.customer_id)
    changed = customers.update_customer(path, CustomerChanges(email="ap@example.com"))
    read = customers.get_customer(path)
    assert (read.name, read.email, read.address) == ("Buyer BV", "ap@example.com", None)
    assert changed.email == read.email
    assert made.customer_id in [item.customer_id for item in customers.list_customers().items]
    customers.delete_customer(path)
    assert explain(refusal(lambda: customers.get_customer(path))).startswith("not-found: ")


def with_a_token(number: str) -> None:
    """An OAuth client sends and follows an invoice as a key does."""
    with connect_with_token(URL, os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]) as client:
        sent = send(client, invoice(number, RECEIVER, look_up(client, RECEIVER)), key=number)
        delivered = wait(client, sent)
        assert delivered.network_status == "Delivered"
        artefact(client, delivered.invoice_id)


def status_of(request: urllib.request.Request) -> int:
    try:
        with urllib.request.urlopen(request, timeout=15) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def webhook(client: ApiClient) -> None:
    """A verified event names the invoice; a forged request is refused."""
    with Receiver() as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        webhooks = WebhooksApi(client)
        made = webhooks.create_webhook(NewWebhook(url=receiver.url))
        assert made.secret is not None  # null only in the answer to a repetition
        assert made.signing_secret is not None
        receiver.secret, receiver.signing_secret = made.secret, made.signing_secret
        sent = send(client, invoice("PY-5", RECEIVER, look_up(client, RECEIVER)), key="PY-5")
        event = receiver.events.get(timeout=60)
        assert isinstance(event, TransactionSentEvent)
        assert (event.invoice_id, event.transaction_id) == (sent.invoice_id, sent.transaction_id)
        forged = urllib.request.Request(
            receiver.url, b"{}", {"X-Webhook-Secret": made.secret, "webhook-timestamp": "1"}
        )
        assert status_of(forged) == 401
        webhooks.delete_webhook(str(made.webhook_id))
        receiver.shutdown()


def bill_of(platform: ApiClient, customer: str) -> float:
    """The amount of the first bill of a customer, as its platform sees it."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        bills = InvoicesApi(platform).list_invoices(direction="received", x_tenant=customer).items
        if bills:
            return float(bills[0].grand_total or 0)
        time.sleep(0.5)
    raise AssertionError("The customer has no bill.")


def onboarding(platform: ApiClient) -> None:
    """A platform brings a customer onto the network: tenant, identification, participant id, key,
    first invoice and first bill. A second run changes nothing."""
    me, mine = "py-customer", "9915:py-customer"
    platforms = PlatformsApi(platform)
    found: list[tuple[object, object, str]] = []
    said = NewIdentification(
        method="register-extract",
        numbers=["BE0403019261"],
        identified_at="2026-11-20",
        identified_by="ERP",
    )
    for _ in range(2):
        made = platforms.create_platform_tenant(NewPlatformTenant(external_id=me, name="Brewery"))
        identified = platforms.add_tenant_identification(me, said)
        claimed = platforms.claim_tenant_participant(me, NewClaim(participant_id=mine))
        found.append((made.tenant_id, identified.identification_id, claimed.status))
    assert found[0] == found[1]
    assert found[0][2] == "verified"
    wanted = NewApiKey(name="ERP of the customer", environment="test")
    key = KeysApi(platform).create_key(wanted, x_tenant=me, idempotency_key=f"key-{me}").key
    assert key is not None
    with connect(URL, key) as own:
        body = invoice("PY-6", BILLER, look_up(own, BILLER))
        body.routing.sender_participant_id = mine
        assert wait(own, send(own, body, key="PY-6")).network_status == "Delivered"
    assert bill_of(platform, me) == 100.0  # what the simulator bills
    refused = refusal(lambda: InvoicesApi(platform).list_invoices(x_tenant="nobody"))
    assert explain(refused).startswith("not-found: ")


def main() -> None:
    # The document distinguishes the routes of platforms from those of keys.
    keys = dict.fromkeys(("apiKey", "platform"), os.environ["PLATFORM_KEY"])
    with (
        connect(URL, os.environ["KEY"]) as client,
        ApiClient(Configuration(host=URL, api_key=keys)) as platform,
        ApiClient(Configuration(host=URL, access_token=os.environ["SESSION"])) as session,
    ):
        sent = first_send(client)
        print("first send", flush=True)
        retry(client, sent)
        print("retry", flush=True)
        refusals(client)
        print("refusals", flush=True)
        listed(client, sent)
        print("list", flush=True)
        artefact(client, sent)
        print("artefact", flush=True)
        customer(session)
        print("customer", flush=True)
        with_a_token("PY-4")
        print("OAuth", flush=True)
        webhook(client)
        print("webhook", flush=True)
        onboarding(platform)
        print("onboarding", flush=True)


if __name__ == "__main__":
    main()
