"""An SML of a practice network: the interface for SMPs, and DNS with what they have registered.

It is the part of a real SML that SMPs and lookups see. Whoever names the id of an SMP is taken for
it: nothing here is a model for production.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Final

import dns.exception
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset
from lxml import etree

from einvoice import xml
from einvoice.domain.identifiers import ParticipantId
from einvoice_peppol import sml
from einvoice_peppol.locator import IDS, LOCATOR, SOAP, envelope, is_key
from einvoice_peppol.xml_text import text

ZONE: Final = "sml.practice"
TTL: Final = 5
PAGE: Final = 100  # participants of a page of the list
_L, _I = f"{{{LOCATOR}}}", f"{{{IDS}}}"


class _Fault(Exception):
    """A request that is refused: kind of the fault, and words."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind = kind


class Registry:
    """The SMPs with their addresses, and the SMP of each participant."""

    def __init__(self) -> None:
        self.smps: dict[str, str] = {}
        self.participants: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self._names: dict[str, str] = {}  # DNS name → participant, also of former ones
        self._lock = Lock()

    def address_of(self, name: str) -> str | None:
        """The address of the SMP of the participant with this DNS name."""
        with self._lock:
            participant = self._names.get(name.lower().rstrip("."), "")
            return self.smps.get(self.participants.get(participant, ""))

    def register_name(self, participant: str) -> None:
        """Let DNS know the participant, `0208:0123456749`."""
        self._names[sml.host_name(ParticipantId.parse(participant), ZONE)] = participant

    def answer(self, request: etree._Element) -> str:
        """The body of the answer to the body of a request. Raises _Fault."""
        operation = etree.QName(request).localname
        smp = (request.findtext(f"{_L}ServiceMetadataPublisherID") or request.text or "").strip()
        with self._lock:
            return self._do(operation, smp, request)

    def _do(self, operation: str, smp: str, request: etree._Element) -> str:
        if operation == "CreateServiceMetadataPublisherService":
            if smp in self.smps:
                raise _Fault("BadRequestFault", f"The SMP {smp} already exists.")
            self.smps[smp] = _address(request)
            return ""
        if smp not in self.smps:
            raise _Fault("NotFoundFault", f"There is no SMP {smp}.")
        match operation:
            case "UpdateServiceMetadataPublisherService":
                self.smps[smp] = _address(request)
            case "ReadServiceMetadataPublisherService":
                return _smp(smp, self.smps[smp])
            case "ServiceMetadataPublisherID":
                del self.smps[smp]
                mine = [each for each, by in self.participants.items() if by == smp]
                for each in mine:
                    del self.participants[each]
            case "PageRequest":
                return self._page(smp, request.findtext(f"{_L}NextPageIdentifier") or "")
            case _:
                self._of_participants(operation, smp, request)
        return ""

    def _of_participants(self, operation: str, smp: str, request: etree._Element) -> None:
        key = (request.findtext(f"{_L}MigrationKey") or "").strip()
        names = [(each.text or "").lower() for each in request.iter(f"{_I}ParticipantIdentifier")]
        if operation in ("CreateParticipantIdentifier", "CreateList"):
            if taken := [each for each in names if each in self.participants]:
                words = f"The participant {taken[0]} is registered already."
                raise _Fault("BadRequestFault", words)
            for each in names:
                self.register_name(each)
            self.participants.update(dict.fromkeys(names, smp))
            return
        (name,) = names
        owner = self.participants.get(name)
        if owner is None:
            raise _Fault("NotFoundFault", f"The participant {name} is not registered.")
        if operation == "CompleteMigrationRecord":
            if not key or self.keys.get(name) != key:  # a wrong one ends no migration
                raise _Fault("NotFoundFault", "There is no migration with this key.")
            del self.keys[name]
            self.participants[name] = smp
            return
        if owner != smp:
            raise _Fault("UnauthorizedFault", f"The participant {name} is of another SMP.")
        if operation == "PrepareMigrationRecord":
            if not is_key(key):
                raise _Fault("BadRequestFault", "The migration key breaks the rules.")
            self.keys[name] = key
        elif operation == "DeleteParticipantIdentifier":
            del self.participants[name]
            self.keys.pop(name, None)
        else:
            raise _Fault("BadRequestFault", f"There is no operation {operation}.")

    def _page(self, smp: str, after: str) -> str:
        mine = sorted(each for each, by in self.participants.items() if by == smp and each > after)
        shown = "".join(
            f'<ns2:ParticipantIdentifier scheme="{sml.SCHEME}">{text(each)}'
            "</ns2:ParticipantIdentifier>"
            for each in mine[:PAGE]
        )
        following = mine[PAGE - 1] if len(mine) > PAGE else ""
        return (
            f'<ParticipantIdentifierPage xmlns="{LOCATOR}" xmlns:ns2="{IDS}">{shown}'
            f"<NextPageIdentifier>{text(following)}</NextPageIdentifier>"
            "</ParticipantIdentifierPage>"
        )


def _address(request: etree._Element) -> str:
    found = request.findtext(f"{_L}PublisherEndpoint/{_L}LogicalAddress") or ""
    return found.strip().rstrip("/")


def _smp(smp: str, address: str) -> str:
    return (
        f'<ServiceMetadataPublisherService xmlns="{LOCATOR}"><PublisherEndpoint>'
        f"<LogicalAddress>{text(address)}</LogicalAddress><PhysicalAddress>0.0.0.0"
        "</PhysicalAddress></PublisherEndpoint>"
        f"<ServiceMetadataPublisherID>{text(smp)}</ServiceMetadataPublisherID>"
        "</ServiceMetadataPublisherService>"
    )


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, registry: Registry) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.registry = registry


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one packet
    timeout = 10

    def do_POST(self) -> None:
        length = min(int(self.headers.get("content-length") or 0), 1 << 20)
        status, body = self._answer(self.rfile.read(length))
        self.send_response(status)
        self.send_header("content-type", "text/xml; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        with suppress(OSError):
            self.end_headers()
            self.wfile.write(body)

    def _answer(self, content: bytes) -> tuple[int, bytes]:
        try:
            body = xml.parse(content).find(f"{{{SOAP}}}Body")
            if body is None or not len(body):
                raise _Fault("BadRequestFault", "There is no request.")
            return 200, envelope(self.server.registry.answer(body[0]))
        except _Fault as fault:
            return 500, envelope(_fault(fault.kind, str(fault)))
        except (xml.NotXml, ValueError) as broken:
            return 500, envelope(_fault("BadRequestFault", str(broken)))

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def _fault(kind: str, words: str) -> str:
    return (
        f"<S:Fault><faultcode>S:Server</faultcode><faultstring>{text(words)}</faultstring>"
        f'<detail><{kind} xmlns="{LOCATOR}"><FaultMessage>{text(words)}</FaultMessage></{kind}>'
        "</detail></S:Fault>"
    )


@contextmanager
def serving(registry: Registry) -> Iterator[tuple[str, str]]:
    """Serve the interface and DNS until the block ends: (address, resolver)."""
    server, names = _Server(registry), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind(("127.0.0.1", 0))
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    Thread(target=_serve_names, args=(names, registry), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", f"127.0.0.1:{names.getsockname()[1]}"
    finally:
        server.shutdown()
        server.server_close()
        names.close()


def _serve_names(names: socket.socket, registry: Registry) -> None:
    """Answer questions for NAPTR records until the socket is closed."""
    while True:
        try:
            data, remote = names.recvfrom(4096)
        except OSError:
            return
        with suppress(dns.exception.DNSException, OSError):
            names.sendto(_records(data, registry), remote)


def _records(data: bytes, registry: Registry) -> bytes:
    query = dns.message.from_wire(data)
    response = dns.message.make_response(query, recursion_available=True)
    asked = query.question[0]
    address = registry.address_of(asked.name.to_text(omit_final_dot=True))
    if address is None:
        response.set_rcode(dns.rcode.NXDOMAIN)
    elif asked.rdtype == dns.rdatatype.NAPTR:
        record = f'100 10 "U" "Meta:SMP" "!.*!{address}!" .'
        response.answer.append(dns.rrset.from_text(asked.name, TTL, "IN", "NAPTR", record))
    return response.to_wire()
