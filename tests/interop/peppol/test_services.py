"""Two of our services with phase4 and Oxalis: statuses in both directions, then kills.

All processes are those of production: web, relay and workers of both services, and the servers of
the counterparts. 500 documents are exchanged while each is killed with SIGKILL in random order, and
started again: 400 are sent through the API of the first service to phase4, Oxalis and the second
service; phase4 sends 100 to the second service, and repeats a message until it has a receipt.
"""

from __future__ import annotations

import random
import sqlite3
import threading
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

import pytest
import requests
from lxml import etree

from bench.service import await_port
from einvoice.cli.processes import Children
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice_peppol import mls, sbdh
from plugins.peppol.tests import smp_servers, two_services
from tests.interop.peppol import documents, foreign
from tests.ports import free_port
from tests.sandbox import a_body

pytestmark = pytest.mark.interop

BY_PHASE4, BY_OXALIS, OURS = (
    ParticipantId("0208", value) for value in ("0403019261", "0848934496", "0403170701")
)
SENT = {BY_PHASE4: 160, BY_OXALIS: 160, OURS: 80}
FROM_PHASE4 = 100
CLIENTS, PAUSE_SECONDS = 4, 1.0
SECONDS_BETWEEN_KILLS = (1.0, 4.0)
SENDING_SECONDS, SETTLING_SECONDS = 600.0, 600.0
VARIABLES = {
    "EINVOICE_QUEUE_LEASE": "5",
    "EINVOICE_LEASE_MARGIN": "2",
    "EINVOICE_RETRY_FOR_TEST": "3600",
    "EINVOICE_MAX_QUEUE_AGE": "3600",
}


@dataclass
class Foreign:
    """A foreign receiver as a child process, with the folder that it keeps documents in."""

    part: str
    command: list[str]
    port: int
    children: Children
    documents: str  # a pattern below the folder
    folder: object

    def start(self):
        self.children.start(self.part, self.command, log=self.folder / f"{self.part}.log")
        await_port(self.port)

    def restart(self):
        self.children.kill(self.part)
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/as4"

    def envelopes(self):
        """What it has taken, each as often as it was delivered."""
        return [etree.parse(file).getroot() for file in self.folder.glob(self.documents)]

    def numbers(self):
        """The numbers of its invoices, each as often as it was delivered."""
        found = (each.findtext("{*}Invoice/{*}ID") for each in self.envelopes())
        return Counter(number for number in found if number)

    def instance_of(self, number):
        """The instance id of the envelope with the invoice of this number."""
        (envelope,) = [e for e in self.envelopes() if e.findtext("{*}Invoice/{*}ID") == number]
        return envelope.findtext(".//{*}DocumentIdentification/{*}InstanceIdentifier")

    def first(self, name):
        """The first document with this root, once it has one."""
        until = time.monotonic() + two_services.PATIENCE_SECONDS
        while time.monotonic() < until:
            found = [each.find(f"{{*}}{name}") for each in self.envelopes()]
            for document in found:
                if document is not None:
                    return etree.tostring(document)
            time.sleep(0.5)
        raise AssertionError(f"there is no {name}")


@dataclass
class Sendings:
    """Sends through the API of a service by several clients, each repeated until it is answered."""

    side: two_services.Side
    references: dict[ParticipantId, str]
    accepted: dict[str, ParticipantId] = field(default_factory=dict)

    def __post_init__(self):
        wanted = [receiver for receiver, count in SENT.items() for _ in range(count)]
        random.Random(1).shuffle(wanted)
        self._left = iter(enumerate(wanted))
        self._lock = threading.Lock()

    def run(self, until):
        while time.monotonic() < until:
            with self._lock:
                one = next(self._left, None)
            if one is None:
                return
            number, receiver = one
            self._send(f"torture-{number}", receiver, until)
            time.sleep(random.uniform(0, 2 * PAUSE_SECONDS))

    def _send(self, key, receiver, until):
        body = a_body(str(receiver), self.references[receiver])
        headers = {"Prefer": "respond-async", "Idempotency-Key": key}
        while time.monotonic() < until:
            try:
                answer = self.side.call("POST", "/api/invoices/send", json=body, headers=headers)
            except requests.RequestException:
                answer = None
            if answer is not None and answer.status_code == 200:
                self.accepted[body["invoice"]["number"]] = receiver
                return
            assert answer is None or answer.status_code in {409, 429, 500, 502, 503}, answer.text
            time.sleep(0.2)


@dataclass
class FromPhase4:
    """Invoices of phase4 for our second service, each repeated until phase4 has a receipt."""

    sender: foreign.Sender
    url: str
    file: object
    confirmed: list[str] = field(default_factory=list)

    def run(self, until):
        for number in range(FROM_PHASE4):
            envelope = samples.envelope(number=f"P4-{number}", receiver=OURS)
            self.file.write_bytes(envelope.document)
            given = {
                "url": self.url, "doc": self.file, "receiver": OURS,
                "message": f"torture-{number}@phase4", "instance": envelope.instance_id,
            }  # fmt: skip
            while self.sender.send(**given) != "SUCCESS":
                assert time.monotonic() < until
            self.confirmed.append(envelope.number)


@pytest.fixture(scope="module")
def receivers(folder, tmp_path_factory):
    """The foreign receivers, which can be killed."""
    children = Children()
    given = {"phase4": ("out", "taken/*.xml"), "oxalis": ("home", "inbound/*/*/*.doc.xml")}
    try:
        made = {}
        for part, (name, pattern) in given.items():
            port, kept = free_port(), tmp_path_factory.mktemp(part)
            words = [f"port={port}", f"{name}={kept}"]
            command = foreign.command(part, foreign.RECEIVERS[part], folder, *words)
            made[part] = Foreign(part, command, port, children, pattern, kept)
            made[part].start()
        yield made
    finally:
        children.stop()


@pytest.fixture(scope="module")
def sides(receivers, pki, tmp_path_factory):
    """The service that sends, and the one that receives."""
    with ExitStack() as running:
        folder = tmp_path_factory.mktemp("network")
        smp, shared = running.enter_context(
            two_services.closed_network(pki, folder, *SENT, documents.C2_PROVIDER)
        )
        made = [
            running.enter_context(
                two_services.running(tmp_path_factory.mktemp("service"), leaf, shared, **VARIABLES)
            )
            for leaf in (pki.c2, pki.c3)
        ]
        words = ("participants", "add", made[1].tenant, str(OURS), "--environment", "test")
        two_services.command(made[1].stack, *words)
        urls = {BY_PHASE4: receivers["phase4"].url, BY_OXALIS: receivers["oxalis"].url}
        for participant, url in {**urls, OURS: made[1].endpoint}.items():
            two_services.register(smp, participant, pki.c3, url, pki)
        content = smp_servers.information(
            documents.C2_PROVIDER,
            smp_servers.endpoint(pki.c3.certificate, receivers["phase4"].url),
            document_type=mls.DOCUMENT_TYPE,
            process=mls.PROCESS,
        )
        path = smp_servers.path_of(documents.C2_PROVIDER, mls.DOCUMENT_TYPE)
        smp.put(path, smp_servers.signed(content, pki.smp))
        yield made


# -- statuses --------------------------------------------------------------------------------------


def test_phase4_gets_the_status_that_it_asked_for(sides, receivers, folder, tmp_path):
    """Within the twenty minutes of the network policy; it is valid by the official rules."""
    envelope = samples.envelope(receiver=OURS)
    (tmp_path / "document.xml").write_bytes(envelope.document)
    given = {"url": sides[1].endpoint, "doc": tmp_path / "document.xml", "receiver": OURS}
    with foreign.java("phase4", "Phase4Sender", folder) as java:
        said = foreign.Sender(java).send(
            **given, instance=envelope.instance_id, mls=sbdh.ALWAYS_SEND
        )
    assert said == "SUCCESS"
    status = receivers["phase4"].first("ApplicationResponse")

    (tmp_path / "status.xml").write_bytes(status)
    (valid,) = foreign.said_by("Verify", folder, f"mls={tmp_path / 'status.xml'}")
    assert valid.startswith("valid "), valid
    found = mls.read(status)
    assert (found.code, found.instance_id) == (mls.PASSED_ON, envelope.instance_id)


def test_a_status_of_phase4_is_shown_with_the_invoice_that_it_refuses(
    sides, receivers, folder, tmp_path
):
    sender, _ = sides
    reference = sender.get(f"/api/participants/lookup?participantId={BY_PHASE4}")["accessPointRef"]
    body = a_body(str(BY_PHASE4), reference)
    path = (
        f"/api/invoices/{sender.call('POST', '/api/invoices/send', json=body).json()['invoiceId']}"
    )
    sender.when(path, lambda one: one["networkStatus"] == "Delivered")
    instance = receivers["phase4"].instance_of(body["invoice"]["number"])
    refusal = documents.status(instance, documents.C3_PROVIDER, documents.C2_PROVIDER)
    (tmp_path / "status.xml").write_bytes(refusal["document"])
    with foreign.java("phase4", "Phase4Sender", folder) as java:
        said = foreign.Sender(java).send(
            url=sender.endpoint, doc=tmp_path / "status.xml", key="c3", to="c2",
            sender=documents.C3_PROVIDER, receiver=documents.C2_PROVIDER,
        )  # fmt: skip
    assert said == "SUCCESS"
    items = sender.get(f"{path}/artefacts")["items"]

    assert [item["type"] for item in items].count("MLS") == 1


# -- kills -----------------------------------------------------------------------------------------


def killing(sides, receivers, stopped):
    """Kill all processes in random order, repeatedly until `stopped` is set; how many kills."""
    dice, killed = random.Random(1), Counter()
    victims = {
        f"{role} {name}": (lambda side=side, name=name: side.restart(name))
        for role, side in zip(("sending", "receiving"), sides, strict=True)
        for name in side.stack.commands
    }
    victims |= {part: each.restart for part, each in receivers.items()}
    while not stopped.is_set():
        for name in dice.sample(sorted(victims), len(victims)):
            if stopped.wait(dice.uniform(*SECONDS_BETWEEN_KILLS)):
                break
            victims[name]()
            killed[name.split()[-1]] += 1
    return killed


def rows_of(side):
    """Number, status and attention of each invoice that a service sends."""
    with closing(
        sqlite3.connect(f"file:{side.stack.data_dir}/einvoice.sqlite3?mode=ro", uri=True)
    ) as db:
        return db.execute(
            "SELECT i.number, t.status, t.attention FROM transmissions t"
            " JOIN invoices i ON i.id = t.invoice_id"
        ).fetchall()


def settled(side):
    """The rows, once all are final or wait for an operator."""
    until = time.monotonic() + SETTLING_SECONDS
    while True:
        rows = rows_of(side)
        if all(status != "Processing" or attention for _, status, attention in rows):
            return rows
        assert time.monotonic() < until, [row for row in rows if row[1] == "Processing"]
        time.sleep(1.0)


def test_kills_on_both_ends_lose_and_repeat_nothing(sides, receivers, folder, tmp_path):
    """Each accepted document is at its receiver once, and so is each that phase4 has a receipt of.

    phase4 reports a repeated message as an error: what it has taken without that we got its receipt
    waits for an operator here. If it was killed between its record of the message and its store, it
    does not have the document; such a one waits for an operator too.
    """
    sender, receiver = sides
    path = "/api/participants/lookup?participantId="
    references = {each: sender.get(f"{path}{each}")["accessPointRef"] for each in SENT}
    until, stopped = time.monotonic() + SENDING_SECONDS, threading.Event()
    with foreign.java("phase4", "Phase4Sender", folder) as java:
        ours = Sendings(sender, references)
        theirs = FromPhase4(foreign.Sender(java), receiver.endpoint, tmp_path / "document.xml")
        runs = [threading.Thread(target=ours.run, args=(until,)) for _ in range(CLIENTS)]
        runs.append(threading.Thread(target=theirs.run, args=(until,)))
        for each in runs:
            each.start()
        ended = threading.Thread(target=lambda: ([each.join() for each in runs], stopped.set()))
        ended.start()
        killed = killing(sides, receivers, stopped)
    rows = [row for row in settled(sender) if row[0] in ours.accepted]
    bills = Counter(receiver.bills())
    taken = receivers["phase4"].numbers() + receivers["oxalis"].numbers() + bills
    status = Counter(row[1] for row in rows)
    attention = {number for number, _, waits in rows if waits}
    delivered = {number for number, state, _ in rows if state == "Delivered"}
    print(f"{dict(killed)}, {dict(status)}, attention {len(attention)}"
          f" of which not taken {len(attention - taken.keys())}")  # fmt: skip

    assert len(ours.accepted) == sum(SENT.values()) == len(rows)
    assert len(theirs.confirmed) == FROM_PHASE4
    assert Counter(taken.values()).keys() == {1}, "delivered twice"
    assert delivered - taken.keys() == set()
    assert ours.accepted.keys() - taken.keys() - attention == set(), "lost"
    assert set(theirs.confirmed) - bills.keys() == set(), "lost"
    assert status["Failed"] == 0
    assert {ours.accepted[number] for number in attention} <= {BY_PHASE4}
