"""`einvoice peppol smp`, and the duty that publishes our provider id."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner
from publishing_network import ENDPOINT, OPEN, Closed, SmpServer, participant

from einvoice.domain.identifiers import BIS_INVOICE
from einvoice.network.publishing import NotYet
from einvoice_peppol import mls, provider_entry, publishing, smp_commands
from einvoice_peppol.configuration import SmpSettings
from einvoice_peppol.identity import Identity
from einvoice_peppol.provider_entry import NotListed
from einvoice_peppol.smp_documents import Endpoint
from plugins.peppol.tests.as4_server import network
from tests.memory_store import MemoryStore


@pytest.fixture
def closed(pki):
    made = Closed(pki)
    yield made
    made.close()


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def own(closed, c2, pki, store):
    """A network with our own SMP, which the SML does not know yet."""
    server = SmpServer()
    smp = Identity(pki.smp.certificate, pki.smp.key)
    settings = SmpSettings(
        server.url, "mailto:ap@example.com", identity=smp, id="OURS", locator=closed.locator
    )
    made = network(c2, trusted=closed.trusted, directory=closed.directory(), policy=OPEN)
    made = replace(made, publisher=settings, own_address=ENDPOINT, smp_policy=OPEN)
    server.answer = publishing.entries_of(made, store).answer
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(own, store):
    """A function from words to exit code and output."""

    def _run(*words, networks=None):
        given = {own.stage.name: own} if networks is None else networks
        found = CliRunner().invoke(smp_commands.group(given, store), words)
        return found.exit_code, found.output

    return _run


def test_registering_makes_us_a_provider_that_others_find(run, closed, own):
    assert run("register") == (0, f"{own.publisher.address}: registered\n0242:000001: published\n")
    again = f"{own.publisher.address}: the SML has it\n0242:000001: is published already\n"
    assert run("register") == (0, again)

    found = closed.directory().endpoint(mls.spid_of("POP000001"), mls.DOCUMENT_TYPE, mls.PROCESS)
    assert isinstance(found, Endpoint)


def test_a_new_address_is_registered_for_the_old_one(run, closed, own):
    run("register")
    closed.registry.smps["OURS"] = "http://127.0.0.1:1"
    code, output = run("register")

    assert code == 0
    assert f"{own.publisher.address}: registered for http://127.0.0.1:1" in output
    assert closed.registry.smps["OURS"] == own.publisher.address


def test_without_an_sml_the_command_says_why(run, closed):
    closed.close()
    code, output = run("register")

    assert code == 1
    assert output.startswith("Error: the SML does not answer: ")


def test_without_an_smp_the_command_says_what_to_set(run):
    code, output = run("register", networks={})

    assert (code, output) == (
        1, "Error: no Peppol network has an SMP: set EINVOICE_PEPPOL_LIVE_SMP\n",
    )  # fmt: skip


def test_a_redirect_is_set_for_a_published_participant(run, own, store):
    entries = publishing.entries_of(own, store)
    run("register")
    name = participant(1)
    given = ("redirect", str(name), str(BIS_INVOICE), "https://smp.example/x", "POP000009")
    assert run(*given) == (1, f"Error: {name} has no entry in our SMP\n")
    entries.publish(name, (BIS_INVOICE,), None)
    assert run(*given) == (0, "")

    assert dict(entries.entry(name).redirects) == {
        str(BIS_INVOICE): ("https://smp.example/x", "POP000009")
    }
    assert run("redirect", str(name), "no type", "https://x", "y")[0] == 2


def test_the_duty_publishes_what_is_missing_and_says_why_it_cannot(own, store, run, monkeypatch):
    entries = publishing.entries_of(own, store)
    with pytest.raises(NotListed):
        provider_entry.settle(own, entries)
    run("register")
    assert provider_entry.duty(own, entries).run() is False
    monkeypatch.setattr(entries, "status", lambda *_: publishing.EntryStatus(False))
    monkeypatch.setattr(entries, "publish", lambda *_: NotYet("away"))
    with pytest.raises(NotListed, match="0242:000001 is not published: away"):
        provider_entry.settle(own, entries)
