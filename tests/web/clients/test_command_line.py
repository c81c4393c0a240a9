"""The command `einvoice-client` at a running service: what it prints, and its exit codes."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from einvoice_client import Client, verify
from einvoice_client.cli import main
from einvoice_client.cli.listening import Feed
from einvoice_client.cli.output import Output, plain

from tests.builders import RECEIVER, send_body
from tests.web.clients.test_python_client import Line, problem

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)

SELLER = "0088:9520000000127"  # answers each invoice with one
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    origin: str, caller: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs the command with the caller's key; returns exit code, output and errors."""
    monkeypatch.setenv("EINVOICE", origin)
    monkeypatch.setenv("KEY", caller.key)

    def _run(*arguments: str | Path) -> tuple[int, str, str]:
        code = main([str(each) for each in arguments])
        return code, *capsys.readouterr()

    return _run


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Writes the JSON of a send without a reference; keyword arguments change the invoice."""

    def _written(receiver: str = RECEIVER, **invoice: Any) -> Path:
        body = send_body("", **invoice)
        del body["routing"]["accessPointRef"]
        body["routing"]["receiverParticipantId"] = receiver
        path = tmp_path / f"{body['invoice']['number']}.json"
        path.write_text(json.dumps(body))
        return path

    return _written


def test_an_invoice_is_sent_once_however_often_its_file_is_sent(
    run: Run, written: Any, working: Any
) -> None:
    file = written(number="C-1")
    first = run("send", file, "--wait", "60")
    again = run("--json", "send", file)
    listed = json.loads(again[1])

    assert first == (0, f"{file}: {listed['invoiceId']} Delivered\n", "")
    assert run("status", listed["invoiceId"]) == (0, "C-1 Delivered\n", "")
    assert run("--json", "events")[1].count("transaction.sent") == 1


def test_a_check_sends_nothing(run: Run, written: Any) -> None:
    file = written()

    assert run("send", "--check", file)[:2] == (0, f"{file}: would be sent\n")
    assert run("events")[1] == ""


def test_a_refused_file_is_named_and_does_not_keep_the_others(run: Run, written: Any) -> None:
    wrong, right = written(currency="eur"), written()
    code, printed, said = run("send", wrong, right)

    assert code == 1
    assert printed.startswith(f"{right}: ")
    assert f"{wrong}:\nerror: invalid-field" in said
    assert "  /invoice/currency: " in said
    assert "  what to do: " in said


def test_bills_are_written_as_data_and_marked(
    run: Run, written: Any, tmp_path: Path, working: Any
) -> None:
    run("send", written(SELLER), "--wait", "60")
    bills: list[str] = []
    while not bills:
        bills = run("--json", "bills")[1].splitlines()
    bill = json.loads(bills[0])
    folder = tmp_path / "bills"
    code, printed, _ = run("bills", "--content", folder, "--mark")
    content = json.loads((folder / f"{bill['invoiceId']}.json").read_text())

    assert (code, printed.split()[:2]) == (0, [bill["invoiceId"], bill["number"]])
    assert content["invoice"]["number"] == bill["number"]
    assert run("bills") == (0, "", "")
    assert len(run("bills", "--all")[1].splitlines()) == 1


def test_documents_are_judged(run: Run, written: Any, tmp_path: Path) -> None:
    good, odd = written(), tmp_path / "odd.xml"
    odd.write_text("<a/>")

    assert run("validate", good)[0] == 0
    code, printed, _ = run("validate", good, odd)
    assert code == 1
    assert f"{odd}: red" in printed
    assert json.loads(run("--json", "validate", good)[1])["trafficLight"] == "green"


def test_exit_codes_say_who_can_do_something(
    run: Run, written: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written()
    found = {
        "unknown invoice": run("status", "0f0c")[0],
        "no file": run("send", tmp_path / "none.json")[0],
        "no JSON": run("send", Path(__file__))[0],
        "two files of one key": run("send", "--key", "k", file, file)[0],
        "still Processing": run("send", written("0088:9520000000011"), "--wait", "1")[0],
    }
    monkeypatch.setenv("KEY", "sk_test_unknown")
    found["unknown key"] = run("bills")[0]
    monkeypatch.setenv("EINVOICE", "einvoice.example")
    found["no address"] = run("bills")[0]
    monkeypatch.delenv("EINVOICE")
    found["no service"] = run("bills")[0]

    assert found == {
        "unknown invoice": 1, "no file": 2, "no JSON": 2, "two files of one key": 2,
        "still Processing": 3, "unknown key": 4, "no address": 2, "no service": 2,
    }  # fmt: skip


def test_an_error_is_json_if_results_are(run: Run) -> None:
    said = json.loads(run("--json", "status", "0f0c")[2])

    assert said["problem"]["status"] == 404


def test_the_key_of_a_file_is_read_only_where_nobody_else_can(
    run: Run, origin: str, caller: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KEY")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path / "einvoice-client" / "config.toml"
    code, _, said = run("bills")
    assert (code, str(file) in said) == (2, True)
    file.parent.mkdir()
    file.write_text(f'url = "{origin}"\nkey = "{caller.key}"\n')
    file.chmod(0o640)
    code, _, said = run("bills")
    assert (code, f"chmod 600 {file}" in said, caller.key in said) == (2, True, False)
    file.chmod(0o600)

    assert run("bills")[0] == 0
    assert run("--config", file, "bills")[0] == 0
    assert run("--url", "http://127.0.0.1:9", "bills")[0] == 2  # the key is not for this service
    file.write_text("key =")
    assert run("bills")[0] == 2


class Hook(ThreadingHTTPServer):
    """An address of the integrator's that records what it is posted."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receiver)
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.url = f"http://127.0.0.1:{self.server_port}/hook"


class _Receiver(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:  # the name is http.server's
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.got.append((dict(self.headers), body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join(30)


def test_events_are_forwarded_with_the_signature_of_webhooks(
    run: Run, written: Any, hook: Hook, working: Any
) -> None:
    run("send", written(number="L-1"), "--wait", "60")
    signing = "whsec_" + "QUJD" * 8
    code, printed, said = run(
        "listen", "--forward", hook.url, "--signing-secret", signing, "--since",
        "2020-01-01T00:00:00Z", "--count", "1",
    )  # fmt: skip
    ((headers, body),) = hook.got
    secret = said.splitlines()[0].removeprefix("secret: ")

    assert (code, printed.endswith(" → 204\n")) == (0, True)
    assert verify(headers, body, signing, secret=secret)["eventType"] == "transaction.sent"


def test_a_listener_says_what_was_not_taken_and_refuses_what_is_no_address(
    run: Run, written: Any, working: Any
) -> None:
    run("send", written(), "--wait", "60")
    listen = ("listen", "--since", "2020-01-01T00:00:00Z", "--count", "1", "--forward")

    assert " → no answer: " in run(*listen, "http://127.0.0.1:9/hook")[1]
    assert run(*listen, "localhost:3000")[0] == 2
    assert run(*listen, "http://localhost", "--signing-secret", "abc")[0] == 2


def test_a_feed_goes_on_where_it_was_when_the_service_comes_back(
    origin: str, caller: Any, written: Any, run: Run, working: Any
) -> None:
    line, pauses = Line(), list[float]()
    run("send", written(), "--wait", "60")
    with Client(origin, caller.key, transport=line, sleep=lambda _: None) as client:
        feed = Feed(client, Output(as_json=True), {"limit": 1}, sleep=pauses.append)
        events = feed.events()
        first = next(events)
        line.faults = [httpx.Response(502, html="<h1>Bad Gateway</h1>")] * 5
        run("send", written(), "--wait", "60")
        second = next(events)

        assert first["eventId"] != second["eventId"]
        line.faults = [problem("invalid-api-key", 401)]
        with pytest.raises(Exception, match="invalid-api-key"):
            next(events)
    assert 4 in pauses


def test_text_of_others_does_not_reach_the_terminal_as_commands(build: Any) -> None:
    assert plain("a\x1b[2J\x9bb\tc\nd") == "a\ufffd[2J\ufffdb\tc\nd"
    assert len(plain("x" * 100_000)) == 300
