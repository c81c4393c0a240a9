"""The second act of `einvoice demo --peppol`: an invoice from one service to another over AS4.

The network between the two is the practice network of plugins/peppol, served by its command
`einvoice peppol practice`. All of it is in a directory of its own, which is removed at the end.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import click
import requests

from einvoice.app import create_app
from einvoice.cli.demo_countries import BELGIAN, STORIES, Story
from einvoice.cli.processes import ChildExited, Children, einvoice
from einvoice.cli.serve import address_of
from einvoice.cli.stack import Stack, StackNotReady
from einvoice.cli.walkthrough import Account, DemoFailed, Steps, command_name
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import claims, credentials, tenants
from einvoice.services.caches import Caches
from einvoice.store.installation import schema_revisions

START_SECONDS = 300.0
Done = subprocess.CompletedProcess[str]
REGISTER = ("peppol", "smp", "register")
COMMAND_SECONDS = PUBLISHED_SECONDS = 600.0  # a few seconds, and minutes on a busy machine


@dataclass(frozen=True, slots=True)
class _Party:
    """One of the two businesses: its service, which is an access point, and its participant id."""

    seat: str
    name: str
    participant: str
    stack: Stack


@contextmanager
def prepared(
    data_dir: Path, listen: str, port: int, country: str | None = None
) -> Iterator[_SecondAct]:
    """The network of the second act; the services are started when it is played.

    listen, port  address of the seller's service, and port of the buyer's
    country       of the parties of the invoice, whose tax authority gets reports; None: none

    Raises ClickException where something is missing.
    """
    if not any(each.name == "peppol" for each in entry_points(group="einvoice")):
        raise click.ClickException("the second act needs einvoice-peppol (plugins/peppol)")
    host, _, _ = address_of(listen)
    with _folder(data_dir) as folder:
        story = STORIES[country] if country else BELGIAN
        stacks = Stack(folder / "seller", listen), Stack(folder / "buyer", f"{host}:{port}")
        seller = _Party("POP000001", "Seller NV", story.seller, stacks[0])
        buyer = _Party("POP000002", "Buyer NV", story.buyer, stacks[1])
        children = Children()
        try:
            _serve_network(children, folder, (seller, buyer), country)
            yield _SecondAct(folder, seller, buyer, story, country)
        finally:
            children.stop()


@contextmanager
def _folder(data_dir: Path) -> Iterator[Path]:
    """A new directory, removed at the end; kept for its logs where a service or a step failed."""
    data_dir.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="peppol-", dir=data_dir.resolve()))
    try:
        yield folder
    except (StackNotReady, ChildExited, DemoFailed):
        click.echo(f"The logs are in {folder}.", err=True)
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _serve_network(
    children: Children, folder: Path, parties: tuple[_Party, ...], country: str | None
) -> None:
    message = ["peppol", "practice", "--publish", "--dir", str(folder / "network")]
    for each in parties:
        message += ["--access-point", f"{each.seat}={each.stack.url}"]
    message += ["--country", country] if country else []
    log = folder / "network.log"
    environ = {**parties[0].stack.environ, "EINVOICE_DATA_DIR": str(folder)}
    child = children.start("network", einvoice(*message), env=environ, log=log)
    until = time.monotonic() + START_SECONDS
    while (lines := log.read_text().splitlines())[-1:] != ["ready"]:
        if child.poll() is not None or time.monotonic() > until:
            why = (lines or ["it did not start"])[-1].removeprefix("Error: ")
            raise click.ClickException(f"the second act cannot start: {why}")
        time.sleep(0.1)


class _SecondAct:
    """Two services, and the steps of the invoice between them."""

    def __init__(
        self, folder: Path, seller: _Party, buyer: _Party, story: Story, country: str | None
    ) -> None:
        self._folder, self._seller, self._buyer = folder, seller, buyer
        self._story, self._country = story, country
        self._steps = Steps()
        self._tenants: dict[str, str] = {}

    def play(self, *, oneshot: bool, quiet: bool) -> None:
        """Start both services, and walk through the steps unless `quiet`.

        Then they run until the command is stopped; with `oneshot` they are stopped at once.
        """
        click.echo("Starting two services, each an access point of a practice network …")
        started = time.monotonic()
        with ExitStack() as running:
            seller, buyer = (self._start(each, running) for each in (self._seller, self._buyer))
            click.echo(f"Ready after {time.monotonic() - started:.1f} s.\n")
            if not quiet:
                self._walk(seller, buyer)
            if not oneshot:
                self._leave_running(seller, buyer)

    def _start(self, party: _Party, running: ExitStack) -> Account:
        """Register a party's SMP in the network, and start its service; its key there.

        The service publishes itself and the party's participant id then.
        """
        tenant, key = _tenant_of(party)
        self._tenants[party.seat] = tenant
        lines = (self._folder / "network" / f"{party.seat}.env").read_text().splitlines()
        party.stack.environ |= dict(line.split("=", 1) for line in lines)
        party.stack.environ["EINVOICE_WEB_WORKERS"] = "1"
        done = self._done(party, *REGISTER)
        if done.returncode != 0:
            raise DemoFailed(f"the SMP of {party.seat} was not registered: {done.stderr}")
        running.enter_context(party.stack)
        return Account(party.stack.url, key)

    def _walk(self, seller: Account, buyer: Account) -> None:
        for party in (self._seller, self._buyer):
            self._until_published(party)
        self._directory()
        found = self._steps.call(
            seller, "The same for programs.", "GET",
            f"/api/participants/lookup?participantId={self._buyer.participant}",
        )  # fmt: skip
        body = self._story.send(found["accessPointRef"])
        sent = self._steps.call(seller, "Send an invoice.", "POST", "/api/invoices/send", body)
        path = f"/api/invoices/{sent['invoiceId']}"
        self._steps.until_delivered(seller, sent["invoiceId"])
        self._steps.call(seller, "What became of it at the seller?", "GET", path)
        self._receipt(seller, path)
        bill = self._bill(buyer)
        self._status(seller, path)
        if self._country:
            self._reports(seller, path, buyer, bill)
        else:
            self._move()

    def _until_published(self, party: _Party) -> None:
        """Wait until a party's participant id is in its SMP, and the SML names that."""
        self._steps.title(f"{party.seat} is registered with an SMP of its own:")
        self._command(party, *REGISTER)
        self._steps.title(f"Its SMP has {party.participant}, which a tenant owns:")
        words = ("participants", "list", self._tenants[party.seat])
        until = time.monotonic() + PUBLISHED_SECONDS
        while "published" not in self._run(party, *words):
            if time.monotonic() > until:
                raise DemoFailed(f"{party.participant} was not published")
            time.sleep(1)
        self._command(party, *words)

    def _reports(self, seller: Account, path: str, buyer: Account, bill: str) -> None:
        """The reports of both access points, and what the authority has in its book."""
        for who, account, document in (("seller", seller, path), ("buyer", buyer, bill)):
            self._steps.title(f"The {who}'s access point reports it to {self._country}:")
            self._steps.wait(account, document, _is_reported, "the answer of the authority")
            click.secho(" accepted\n", fg="green", bold=True)
            found = self._steps.request(account, "GET", f"{document}/artefacts")
            report = f"{document}/artefacts/{_id_of('TDD', found)}"
            self._steps.request(account, "GET", report)
        self._steps.title("The book of the authority, of which this is a stand-in:")
        book = self._authority()
        self._steps.command(f"curl {book}")
        shown = requests.get(book, timeout=30).text
        self._steps.output(shown)
        if shown.count("accepted") != len((self._seller, self._buyer)):
            raise DemoFailed("the authority has not accepted one report of each access point")

    def _authority(self) -> str:
        """The address of the stand-in, as the practice network announced it."""
        lines = (self._folder / "network.log").read_text().splitlines()
        return next(line.split()[1].rstrip(",") for line in lines if "tax authority" in line)

    def _move(self) -> None:
        """The buyer changes its provider: a migration key takes it from one SMP to the other."""
        seller, buyer, place = self._seller, self._buyer, ("--environment", "test")
        self._steps.title("The buyer goes to the seller's provider: the old one makes a key.")
        moved = buyer.participant
        words = ("participants", "move-out", self._tenants[buyer.seat], moved, *place)
        key = self._command(buyer, *words).strip()
        self._steps.title("The new provider has a tenant for it, and takes it over by the key.")
        tenant = self._command(seller, "tenants", "add", buyer.name).strip()
        self._command(seller, "participants", "add", tenant, moved, *place)
        takes_over = ("participants", "move-in", tenant, moved, *place, f"--key={key}")
        until = time.monotonic() + PUBLISHED_SECONDS
        while (done := self._done(seller, *takes_over)).returncode and time.monotonic() < until:
            time.sleep(1)  # the worker is finding out that another provider has it
        self._show(seller, takes_over, done)
        self._steps.title("Where does the network deliver to the buyer now?")
        if seller.stack.url not in self._command(seller, "lookup", moved):
            raise DemoFailed("the network names the former provider")

    def _directory(self) -> None:
        """DNS, SMP and certificate of the buyer, by the command for operators."""
        self._steps.title("Where does the network deliver to the buyer?")
        self._command(self._seller, "lookup", self._buyer.participant)

    def _receipt(self, seller: Account, path: str) -> None:
        listed = self._steps.call(seller, "Which proofs are there?", "GET", f"{path}/artefacts")
        self._steps.title("The receipt, signed by the buyer's access point:")
        url = f"{seller.url}{path}/artefacts/{_id_of('RECEIPT', listed)}"
        file = self._folder / "receipt.xml"
        self._steps.command(f"curl -o {file} -H 'x-api-key: {seller.key}' '{url}'")
        answer = requests.get(url, headers={"x-api-key": seller.key}, timeout=30)
        file.write_bytes(answer.content)
        self._command(self._seller, "peppol", "verify", str(file))

    def _bill(self, buyer: Account) -> str:
        """The path of the bill."""
        listed = self._steps.call(
            buyer, "The bill at the buyer:", "GET", "/api/invoices?direction=received"
        )
        if len(listed["items"]) != 1:
            raise DemoFailed(f"the buyer has {len(listed['items'])} bills")
        bill = f"/api/invoices/{listed['items'][0]['invoiceId']}"
        self._steps.call(buyer, "What the buyer knows of it:", "GET", bill)
        return bill

    def _status(self, seller: Account, path: str) -> None:
        self._steps.title("The Message Level Status that comes back (AB: passed on to the buyer):")
        listed = self._steps.wait(
            seller, f"{path}/artefacts", lambda seen: _id_of("MLS", seen) is not None, "the status"
        )
        click.secho(" there\n", fg="green", bold=True)
        self._steps.request(seller, "GET", f"{path}/artefacts/{_id_of('MLS', listed)}")

    def _command(self, party: _Party, *words: str) -> str:
        """Show and run a command for operators of a party's service; what it prints."""
        return self._show(party, words, self._done(party, *words))

    def _show(self, party: _Party, words: Sequence[str], done: Done) -> str:
        """Show a command that was run; what it printed. Raises DemoFailed if it failed."""
        self._steps.command(
            f"set -a; . {self._folder / 'network' / party.seat}.env; set +a",
            f"EINVOICE_DATA_DIR={party.stack.data_dir} {command_name()} {shlex.join(words)}",
        )
        self._steps.output(done.stdout + done.stderr)
        if done.returncode != 0:
            raise DemoFailed(f"einvoice {words[0]} ended with {done.returncode}")
        return done.stdout

    def _run(self, party: _Party, *words: str) -> str:
        """The output of a command, which is not shown."""
        return self._done(party, *words).stdout

    def _done(self, party: _Party, *words: str) -> Done:
        try:
            return subprocess.run(  # noqa: S603 - our own command
                einvoice(*words), env=party.stack.environ, capture_output=True, text=True,
                check=False, timeout=COMMAND_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            command = " ".join(words)
            raise DemoFailed(f"einvoice {command} took more than {COMMAND_SECONDS:.0f} s") from late

    def _leave_running(self, seller: Account, buyer: Account) -> None:
        click.secho("Both services are running. Try next:", bold=True)
        click.echo(f"   export EINVOICE={seller.url} KEY={seller.key}   # the seller")
        click.echo(f"   export EINVOICE={buyer.url} KEY={buyer.key}   # the buyer")
        click.echo(f"   settings of the access points, certificates and logs: {self._folder}")
        click.echo("Ctrl-C stops everything and removes them.")
        while True:
            time.sleep(1)
            for each in (self._seller, self._buyer):
                each.stack.children.check()


def _tenant_of(party: _Party) -> tuple[str, str]:
    """Create the database of a party's service, its tenant with participant id, and a key."""
    settings = Settings(
        data_dir=str(party.stack.data_dir), base_url=party.stack.url, log_level="ERROR"
    )
    with create_app(settings).app_context():
        schema_revisions.upgrade()
        tenant = tenants.create(party.name)
        owned = ParticipantId.parse(party.participant)
        claims.assign(tenant, Environment.TEST, owned, Caches())
        return tenant, credentials.create(API_KEY, tenant, "demo", Environment.TEST).secret


def _is_reported(invoice: Any) -> bool:
    """Whether the authority has taken the report of an invoice. Raises DemoFailed if it refuses."""
    states = [each["status"] for each in invoice["reports"]]
    if "Failed" in states:
        raise DemoFailed(f"the authority refuses the report: {invoice['reports'][0]['reason']}")
    return states == ["Delivered"]


def _id_of(kind: str, listed: Any) -> str | None:
    """The id of the artefact of this kind; None if there is none yet."""
    return next((each["artefactId"] for each in listed["items"] if each["type"] == kind), None)
