"""Mails of the whole service: out while its processes are killed, and in to stored bills.

    sudo .venv/bin/python -m bench.mail_service out [MAILS]
    sudo .venv/bin/python -m bench.mail_service in

`out`: sends over HTTP, by relay and workers, through the proxy of `bench.mail` to a Postfix of its
own, which refuses 2 % of the addresses; workers and the relay are killed with SIGKILL in turn. Each
Message-ID is counted in the mailbox of Postfix. `in`: the documents of the corpora as mails of five
clients, by LMTP to `einvoice mail receive`, until each is a stored bill, a further arrival of one,
or named to the tenant.
"""

from __future__ import annotations

import hashlib
import os
import random
import smtplib
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

import psycopg
import requests

from bench.mail import BOUNCES, Proxy, arrived
from bench.service import RunningService, await_port, running_service
from einvoice.app import create_app
from einvoice.cli.processes import einvoice
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import NewConnection
from einvoice.web.runtime import runtime_of
from einvoice_mail import reading
from tests.interop.mail import postfix
from tests.networks.mail.test_corpus import SHAPES, documents
from tests.ports import free_port

CLIENTS = 4
KILL_EVERY = 15.0  # above the start of a worker on a busy machine
ENVIRON = {
    "EINVOICE_MAIL_FROM": "invoices@operator.example",
    "EINVOICE_MAIL_BOUNCES": BOUNCES,
    "EINVOICE_MAIL_IN_DOMAIN": "in.example.com",
    "EINVOICE_MAIL_PER_HOUR": "1000000",
    "EINVOICE_MAIL_PER_MINUTE": "1000000",
    "EINVOICE_MAIL_IN_PER_SENDER": "1000000",
    # Above the time in which a worker computes the PDFs of four mails.
    "EINVOICE_QUEUE_LEASE": "30",
    "EINVOICE_LEASE_MARGIN": "2",
    "EINVOICE_RETRY_FOR_TEST": "3600",
    "EINVOICE_SEND_WAIT": "0.5",
}
WORKERS = {"waited": 1, "bulk": 3, "chores": 1, "plugins": 1, "webhooks": 1}
KILLED = ("relay", "worker-bulk")  # sends that answer at once go through the lane bulk
ACCOUNT = "BILLS-X7"
NOBODY = ""  # a mail needs no reference of a lookup


# -- out -------------------------------------------------------------------------------------------


def out(count: int) -> int:
    """Send; how many mails were lost or doubled, or are in a state that they may not have."""
    folder = Path(tempfile.mkdtemp(prefix="bench-mail-"))
    folder.chmod(0o755)
    with postfix.running(folder / "mx", free_port(), bounces=BOUNCES) as server:
        proxy = Proxy(server.port)
        environ = {**ENVIRON, "EINVOICE_MAIL_TEST_SMARTHOSTS": f"smtp://127.0.0.1:{proxy.port}"}
        with running_service(environ=environ, workers=WORKERS) as service:
            begun, killed = time.monotonic(), _while_killing(service, count)
            _until_empty(service, 120)
            took, found = time.monotonic() - begun, arrived(server, 0)
            return _counted(service, count, found, {**proxy.faults, **killed}, took)


def _while_killing(service: RunningService, count: int) -> Counter[str]:
    """Send all while one process after the other is killed; how often each was."""
    service.references[NOBODY] = NOBODY
    killed: Counter[str] = Counter()
    over = threading.Event()

    def kill() -> None:
        names = cycle(each for each in sorted(service.stack.commands) if each.startswith(KILLED))
        while not over.wait(KILL_EVERY):
            name = next(names)
            service.stack.children.kill(name)
            service.stack.command(name)
            killed[name] += 1

    killer = threading.Thread(target=kill)
    killer.start()
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(lambda number: _send(service, number), range(count)))
    # The kills go on while mails are repeated; a busy machine makes one PDF in a second.
    _until_empty(service, max(420, 3 * count))
    over.set()
    killer.join()
    return killed


def _send(service: RunningService, number: int) -> None:
    name = "unknown" if number % 50 == 0 else "buyer"
    body = service.body(f"M-{number}", NOBODY)
    body["routing"] = {
        "senderParticipantId": body["routing"]["senderParticipantId"],  # type: ignore[index]
        "network": "mail",
        "email": f"{name}{number}@{postfix.DOMAIN}",
    }
    headers = {
        "x-api-key": service.key,
        "Idempotency-Key": f"M-{number}",
        "Prefer": "respond-async",
    }
    url = f"{service.stack.url}/api/invoices/send"
    for _ in range(600):
        try:
            answer = requests.post(url, json=body, headers=headers, timeout=30)
        except requests.RequestException:
            time.sleep(0.2)
            continue
        if answer.status_code == 200:
            return
        assert answer.status_code >= 500 or answer.status_code in (409, 429), answer.text
        time.sleep(0.2)
    raise TimeoutError(f"M-{number} was not taken")


def _until_empty(service: RunningService, seconds: float) -> None:
    """Until no transmission is on its way but those whose outcome nobody knows."""
    query = "SELECT count(*) FROM transmissions WHERE status = 'Processing' AND NOT attention"
    with psycopg.connect(service.database, autocommit=True) as connection:
        for _ in range(int(seconds)):
            if not connection.execute(query).fetchone()[0]:  # type: ignore[index]
                return
            time.sleep(1)


def _counted(
    service: RunningService,
    count: int,
    found: Counter[str],
    faults: dict[str, int],
    took: float,
) -> int:
    with psycopg.connect(service.database) as connection:
        rows = connection.execute(
            "SELECT i.number, t.id, t.status, t.attention FROM transmissions t"
            " JOIN invoices i ON i.id = t.invoice_id WHERE i.direction = 'sent'"
        ).fetchall()
    ids = {each.partition("@")[0].strip("<").replace("-", "_", 1): n for each, n in found.items()}
    states = Counter((status, bool(waits)) for _, _, status, waits in rows)
    lost = [one for _, one, status, _ in rows if status == "Delivered" and one not in ids]
    wrong = [one for _, one, status, _ in rows if status == "Failed" and one in ids]
    open_ = [one for _, one, status, waits in rows if status == "Processing" and not waits]
    twice = [one for one, times in ids.items() if times > 1]
    missing = count - len({number for number, *_ in rows})
    print(f"{count} sends in {took:.0f} s; {dict(states)}; faults and kills {faults}")
    print(f"arrived {len(ids)}; lost {len(lost) + missing}, twice {len(twice)}, open {len(open_)},")
    print(f"Failed and arrived {len(wrong)}, transmissions {len(rows)}")
    return len(lost) + missing + len(twice) + len(wrong) + len(open_) + len(rows) - count


# -- in --------------------------------------------------------------------------------------------


def incoming() -> int:
    """Receive; how many mails became nothing that is named."""
    with running_service(environ=ENVIRON) as service:
        _address(service)
        port = free_port()
        listen = f"127.0.0.1:{port}"
        children, stack = service.stack.children, service.stack
        children.start(
            "mail", einvoice("mail", "receive", "--listen", listen), env=stack.environ,
            log=stack.data_dir / "mail.log",
        )  # fmt: skip
        await_port(port)
        _until_read(service)
        sent, begun = _handed_over(port), time.monotonic()
        _until_stored(service, sent)
        return _told(service, sent, time.monotonic() - begun)


def _address(service: RunningService) -> None:
    """An address of the tenant, opened as the API does it."""
    os.environ |= {**service.stack.environ, "EINVOICE_LOG_LEVEL": "ERROR"}  # plugins read it
    app = create_app(Settings.from_env(os.environ))
    with app.app_context():
        new = NewConnection(Environment.TEST, "mail-in-test", ACCOUNT)
        accounts.create(service.tenant, new, runtime_of(app))


def _until_read(service: RunningService) -> None:
    """Until a worker has read the address for the first time."""
    _await(service, "SELECT count(*) FROM mailboxes WHERE fetched_at IS NOT NULL", 1)


def _handed_over(port: int) -> list[tuple[str, str | None]]:
    """Each mail, and the digest of its document; None: it has none."""
    given: list[tuple[str, str | None]] = []
    shapes = cycle(SHAPES)
    with smtplib.LMTP("127.0.0.1", port, timeout=60) as client:
        for (name, content), shape in zip(documents(), shapes, strict=False):
            mail = shape(name, content)
            client.sendmail(f"{shape.__name__}@s.example", [f"{ACCOUNT}@in.example.com"], mail)
            # As the service reads it: LMTP ends lines with CR LF.
            found = reading.read(mail).invoices
            digest = hashlib.sha256(found[0].content).hexdigest() if found else None
            given.append((name, digest))
    return given


def _until_stored(service: RunningService, sent: list[tuple[str, str | None]]) -> None:
    spool = service.stack.data_dir / "mail-in"
    for _ in range(900):
        if not list(spool.rglob("*.eml")):
            return
        time.sleep(1)


def _told(service: RunningService, sent: list[tuple[str, str | None]], took: float) -> int:
    with psycopg.connect(service.database) as connection:
        bills = connection.execute(
            "SELECT r.instance_id, i.number IS NULL FROM received r"
            " JOIN invoices i ON i.id = r.invoice_id"
        ).fetchall()
        further = connection.execute("SELECT instance_id FROM bill_arrivals").fetchall()
        told = connection.execute(
            "SELECT count(*) FROM events WHERE type = 'mail.withoutInvoice'"
        ).fetchone()
    stored = {each.partition(":")[2] for each, _ in bills}
    later = {each.partition(":")[2] for (each,) in further}
    digests = {digest for _, digest in sent if digest}
    missing = [name for name, digest in sent if digest and digest not in stored | later]
    unread = sum(1 for _, is_unread in bills if is_unread)
    without = sum(1 for _, digest in sent if digest is None)
    print(f"{len(sent)} mails, {len(digests)} different documents, in {took:.0f} s")
    print(f"bills {len(bills)}, of which without a number {unread}; further arrivals {len(later)}")
    print(f"without an invoice {without}, told to the tenant {told[0] if told else 0}")
    print(f"missing {missing}")
    return len(missing) + abs(without - (told[0] if told else 0))


def _await(service: RunningService, query: str, least: int) -> None:
    with psycopg.connect(service.database, autocommit=True) as connection:
        for _ in range(300):
            if connection.execute(query).fetchone()[0] >= least:  # type: ignore[index]
                return
            time.sleep(0.5)
    raise TimeoutError(query)


if __name__ == "__main__":
    random.seed(39)
    if sys.argv[1:2] == ["in"]:
        sys.exit(incoming())
    sys.exit(out(int(sys.argv[2]) if len(sys.argv) > 2 else 1000))
