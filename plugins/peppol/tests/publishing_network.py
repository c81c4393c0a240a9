"""A closed network with its SML and our own SMP, for tests."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote

from as4_server import network

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.http import Limits, Policy
from einvoice.network.endpoints import Request
from einvoice_peppol import publishing
from einvoice_peppol.configuration import SmpSettings
from einvoice_peppol.directory import Directory
from einvoice_peppol.identity import Identity
from einvoice_peppol.practice import sml as practice_sml
from einvoice_peppol.practice.sml import Registry
from einvoice_peppol.publishing import PublishingPeppol
from einvoice_peppol.revocation import RevocationLists, given_lists
from einvoice_peppol.sml import Sml
from einvoice_peppol.smp import Smp
from einvoice_peppol.trust import Anchors, Trust
from tests.memory_store import MemoryStore

OPEN = Policy(https_only=False, allow_private=True)
# Of calls on this machine, which may have much else to do: what is away refuses at once.
PATIENCE_SECONDS = 120.0
PATIENT = Limits(PATIENCE_SECONDS, PATIENCE_SECONDS, PATIENCE_SECONDS, answer_bytes=1 << 20)
ENDPOINT = "http://127.0.0.1:1/networks/peppol-test/"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one packet

    def do_GET(self):
        found = self.server.answer(Request(self.command, unquote(self.path)))
        self.send_response(found.status)
        self.send_header("content-type", found.content_type)
        self.send_header("content-length", str(len(found.body)))
        self.end_headers()
        self.wfile.write(found.body)

    def log_message(self, *_):
        pass


class SmpServer(ThreadingHTTPServer):
    """What the service does with an endpoint, below an address of its own."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = None
        self.url = f"http://127.0.0.1:{self.server_port}"
        Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Closed:
    """A network in which providers publish: `provider(name)`. Close it at the end."""

    def __init__(self, pki):
        self.pki, self.registry = pki, Registry()
        lists = given_lists([pki.revocation_list, pki.publishers.crl()])
        roots = (pki.root.certificate,)
        issuers = [
            Anchors((one.certificate,), roots) for one in (pki.access_points, pki.publishers)
        ]
        self.trusted = Trust(*issuers, Environment.TEST, RevocationLists(given=lists))
        self._open = ExitStack()
        self.locator, self.resolver = self._open.enter_context(practice_sml.serving(self.registry))

    def directory(self) -> Directory:
        """Lookups as anybody makes them, with nothing kept."""
        sml = Sml(practice_sml.ZONE, [self.resolver], PATIENCE_SECONDS)
        return Directory(sml, Smp(self.trusted, OPEN, limits=PATIENT))

    def provider(self, name: str, identity: Identity, store=None) -> PublishingPeppol:
        """An access point whose SMP has this id at the SML."""
        server = SmpServer()
        self._open.callback(server.server_close)
        self._open.callback(server.shutdown)
        smp = Identity(self.pki.smp.certificate, self.pki.smp.key)
        settings = SmpSettings(
            server.url, "mailto:ap@example.com", identity=smp, id=name, locator=self.locator
        )
        own = network(identity, trusted=self.trusted, directory=self.directory(), policy=OPEN)
        own = replace(own, publisher=settings, own_address=ENDPOINT, smp_policy=OPEN)
        entries = publishing.entries_of(own, MemoryStore() if store is None else store)
        server.answer = entries.answer
        entries.locator.create_smp(server.url)
        return PublishingPeppol(own, entries)

    def close(self):
        """End all servers."""
        self._open.close()


def participant(number: int) -> ParticipantId:
    return ParticipantId("0088", f"{9520000000000 + number}")
