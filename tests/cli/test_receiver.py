"""The demo's webhook receiver, over HTTP."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from einvoice import clock
from einvoice.cli.receiver import Receiver, main
from einvoice.webhooks import signing

BODY = (
    b'{"eventType":"transaction.sent","eventId":"evt_1","transactionId":"txn_1",'
    b'"invoiceId":"inv_1","status":"Delivered"}'
)
KEY = signing.new_signing_secret()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver("127.0.0.1", 0, "whk_1", (KEY,)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join(5)


def post(receiver, body=BODY, **changed):
    headers = signing.headers(
        body, event_id="evt_1", attempt=2, at=clock.now(), secret="whk_1", signing_secrets=[KEY]
    )
    url = f"http://127.0.0.1:{receiver.server_address[1]}/"
    request = urllib.request.Request(url, body, headers | changed, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        with refusal:
            return refusal.code


def test_a_port_in_use_is_an_error_of_one_line(receiver):
    """The demo has a receiver of its own at port 9000."""
    port = receiver.server_address[1]
    words = ["--port", str(port), "--secret", "whk_1", "--signing-secret", KEY]
    result = CliRunner().invoke(main, words)

    assert result.exit_code == 1
    assert result.output == f"Error: 127.0.0.1:{port}: Address already in use; give --port\n"


def test_a_verified_webhook_is_one_line(receiver, capfd):
    """Event, ids, status and attempt."""
    assert post(receiver) == 200
    assert capfd.readouterr().out == (
        "verified: transaction.sent transactionId=txn_1 invoiceId=inv_1 status=Delivered "
        "eventId=evt_1 attempt=2\n"
    )


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"x-webhook-secret": "other"}, "X-Webhook-Secret"),
        ({"webhook-signature": "v1,AAAA"}, "signature"),
        ({"webhook-timestamp": "1"}, "timestamp"),
    ],
)
def test_a_request_that_fails_the_verification_is_refused(changed, why, receiver, capfd):
    """The reason is printed."""
    assert post(receiver, **changed) == 401
    assert capfd.readouterr().out.startswith("refused: ")


def test_a_body_larger_than_20_kb_is_not_read(receiver):
    """Webhooks of the service are smaller."""
    assert post(receiver, b"{" + b" " * 20_000) == 413
