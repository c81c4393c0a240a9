"""One POST to a real receiver on loopback, and the result as a type."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from einvoice.http import Request, Response
from einvoice.webhooks import sending
from einvoice.webhooks.sending import Delivered, Failed, Gone, Retry
from tests.loopback import answering, silent

NOW = datetime(2026, 11, 21, 4, 0, 0, tzinfo=UTC)
SANDBOX = sending.policy(live=False, allow_private=True)


def posted(url, rules=SANDBOX, seconds=60.0):
    sender = sending.client(rules, seconds=seconds, user_agent="eInvoice-Webhooks")
    request = Request("POST", url, {"webhook-id": "evt-1"}, b"{}")
    began = time.monotonic()
    [[(_, outcome)]] = sender.send_all([request], excerpt=True)
    return sending.result(outcome, round(1000 * (time.monotonic() - began)), now=NOW)


def answer(status, *headers, body="noted"):
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers, "", body]
    return answering("\r\n".join(lines))


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (200, Delivered),
        (202, Delivered),
        (299, Delivered),
        (300, Failed),
        (302, Failed),
        (400, Failed),
        (404, Failed),
        (410, Gone),
        (429, Failed),
        (500, Failed),
        (503, Failed),
    ],
)
def test_the_result_depends_on_the_status(status, kind, serve):
    """Any 2xx is success, 410 ends the deliveries, anything else may be tried again."""
    result = posted(serve(answer(status)).url())

    assert type(result) is kind
    assert (result.reply.status_code, result.reply.excerpt) == (status, "noted")
    assert result.reply.duration_ms >= 0
    assert (result.reply.error is None) is (kind is Delivered)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("value", "after"), [("120", 120), ("Sat, 21 Nov 2026 04:02:00 GMT", 120), ("0", 0)]
)
def test_retry_after_is_read(status, value, after, serve):
    """As seconds or as a date (RFC 9110, 10.2.3)."""
    result = posted(serve(answer(status, f"Retry-After: {value}")).url())

    assert isinstance(result, Retry)
    assert result.after == after


@pytest.mark.parametrize(
    ("value", "after"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("9" * 12, None),
        ("Sat, 21 Nov 2026 04:02:00", None),
        ("Sat, 21 Nov 2026 03:00:00 GMT", 0),
        ("Sat, 99 Nov 2026 04:02:00 GMT", None),
        ("Sat, 21 Nov 99999999999 04:02:00 GMT", None),
        ("Sat, 21 Nov 2026 04:02:00 +99999999999999999999", None),
    ],
)
def test_an_unreadable_retry_after_is_ignored(value, after):
    """Without an exception."""
    assert sending.retry_after(value, NOW) == after


def test_retry_after_is_used_with_429_and_503_only(serve):
    """After a 500 the schedule applies."""
    assert isinstance(posted(serve(answer(500, "Retry-After: 60")).url()), Failed)


def test_the_excerpt_is_a_kilobyte_of_text(serve):
    """Longer responses are cut; bytes that a database refuses are replaced."""
    result = posted(serve(answer(200, body="\0" + "x" * 5_000)).url())

    assert len(result.reply.excerpt) == 1024
    assert "\0" not in result.reply.excerpt


def test_a_private_address_is_never_posted_to_in_live():
    """EINVOICE_WEBHOOK_ALLOW_PRIVATE is for the sandbox only."""
    rules = sending.policy(live=True, allow_private=True)

    result = posted("https://127.0.0.1:8443/", rules)

    assert isinstance(result, Failed)
    assert "not a public address" in result.reply.error


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://receiver.example/", "https://"),
        ("https://receiver.example:22/", "port 22"),
        ("https://receiver.example:25/", "port 25"),
    ],
)
def test_live_posts_to_web_servers_over_tls_only(url, why):
    """Ports of mail servers, shells and the like are refused."""
    result = posted(url, sending.policy(live=True, allow_private=False))

    assert isinstance(result, Failed)
    assert why in result.reply.error


def test_a_receiver_that_does_not_respond_fails_at_the_deadline(serve):
    """The log has a text and no status."""
    result = posted(serve(silent).url(), seconds=0.3)

    assert isinstance(result, Failed)
    assert result.reply.status_code is None
    assert 250 <= result.reply.duration_ms < 30_000


def dripping(text):
    """A receiver that sends the text, then a byte every tenth of a second without end."""

    def drip(connection):
        connection.sendall(text.encode())
        while True:
            connection.sendall(b"x")
            time.sleep(0.1)

    return drip


@pytest.mark.parametrize(
    "text",
    ["", "HTTP/1.1 200 OK\r\nX-Endless: "],
    ids=["the first line", "a header"],
)
def test_a_response_that_drips_fails_at_the_deadline(text, serve):
    """Bytes that keep coming do not prolong the time of a post."""
    result = posted(serve(dripping(text)).url(), seconds=0.8)

    assert isinstance(result, Failed)
    assert result.timed_out
    assert 700 <= result.reply.duration_ms < 30_000


@pytest.mark.parametrize(
    "head", ["Content-Length: 1000", "Transfer-Encoding: chunked"], ids=["plain", "in a chunk"]
)
def test_a_body_that_drips_is_cut_at_the_deadline(head, serve):
    """The status arrived in time; the rest of the response does not matter."""
    chunk = "ff\r\n" if "chunked" in head else ""
    script = dripping(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n{chunk}")
    result = posted(serve(script).url(), seconds=0.8)

    assert isinstance(result, Delivered)
    assert set(result.reply.excerpt) == {"x"}
    assert 700 <= result.reply.duration_ms < 30_000


def test_a_header_without_end_is_refused(serve):
    """Before it has filled the memory of the worker."""
    server = serve(answering("HTTP/1.1 200 OK\r\nX-Endless: " + "x" * 1_000_000))
    result = posted(server.url())

    assert isinstance(result, Failed)
    assert "too long" in result.reply.error
    assert not result.timed_out


@pytest.mark.parametrize(("milliseconds", "timed_out"), [(5_000, False), (5_001, True)])
def test_a_failure_that_took_long_counts_as_a_timeout(milliseconds, timed_out):
    """It kept the worker as busy; a success is a success."""
    refused, taken = Response(500, {}, b""), Response(200, {}, b"")

    assert sending.result(refused, milliseconds, now=NOW).timed_out is timed_out
    assert isinstance(sending.result(taken, milliseconds, now=NOW), Delivered)
