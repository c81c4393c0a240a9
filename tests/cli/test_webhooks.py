"""`einvoice webhooks`."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from einvoice import clock
from einvoice.cli import application
from einvoice.cli.webhooks import webhooks
from tests.services.webhooks.fixtures import TENANT, happen, work


@pytest.fixture
def run(app_with_tenants, monkeypatch):
    """Run a command on the test's application; its output. `code` is the expected exit code."""
    monkeypatch.setattr(application, "application", lambda: app_with_tenants)

    def _run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(webhooks, words)
        assert result.exit_code == code, result.output
        return result.output

    return _run


def test_an_operator_registers_tests_and_rotates(run, receiver, settings):
    """From a URL to a verified delivery with five commands."""
    shown = dict(line.split() for line in run("add", TENANT, receiver.url).splitlines())
    webhook = shown["webhookId"]
    assert shown["signingSecret"].startswith("whsec_")
    assert f"{receiver.url}  default" in run("list", TENANT)

    delivery = run("test", TENANT, webhook).strip()
    work(settings)
    assert f"{delivery}  webhook.test  test     delivered" in run("deliveries", TENANT, webhook)

    rotated = run("rotate-secret", TENANT, webhook)
    assert shown["secret"] not in rotated


def test_an_operator_recovers_missed_events(run, receiver, settings):
    """disable, enable, recover, redeliver, remove."""
    webhook = run("add", TENANT, receiver.url, "--event", "transaction.sent").split()[1]
    run("disable", TENANT, webhook)
    happen()
    run("enable", TENANT, webhook)
    assert run("recover", TENANT, webhook, "--since", "2020-01-01", code=1).startswith(
        "Error: --since"
    )
    since = clock.today().isoformat()
    assert run("recover", TENANT, webhook, "--since", since) == "1\n"
    work(settings)
    delivery = run("deliveries", TENANT, webhook, "--status", "delivered").split("\n")[1].split()[0]
    run("redeliver", TENANT, webhook, delivery)
    work(settings)
    assert len(receiver.received) == 2

    run("remove", TENANT, webhook)
    assert run("list", TENANT) == run("list") == "none\n"


@pytest.mark.parametrize(
    "words",
    [
        ("add", "unknown", "https://receiver.example/"),
        ("add", TENANT, "ftp://receiver.example/"),
        ("add", TENANT, "http://receiver.example/", "--environment", "live"),
        ("add", TENANT, "https://receiver.example/", "--event", "no.such"),
        ("test", TENANT, "no-such-webhook"),
        ("deliveries", TENANT, "no-such-webhook"),
    ],
)
def test_a_refusal_is_one_line(words, run):
    """Errors that an operator can fix have no traceback."""
    output = run(*words, code=1)

    assert output.startswith("Error: ")
    assert output.count("\n") == 1
