"""DNS servers for tests: dnsmasq as SML, and a scripted one for answers that no server gives."""

from __future__ import annotations

import shutil
import socket
from contextlib import contextmanager
from threading import Thread

import dns.message
import dns.rcode
import dns.rrset
import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice_peppol import sml
from einvoice_peppol.practice import dns as practice_dns

ZONE = "sml.example"


def name_of(participant: ParticipantId, zone: str = ZONE) -> str:
    return sml.host_name(participant, zone)


def naptr(expression, order=100, preference=10, flags="U", service="Meta:SMP"):
    """The text of a NAPTR record."""
    quoted = expression.replace("\\", "\\\\")
    return f'{order} {preference} "{flags}" "{service}" "{quoted}" .'


@contextmanager
def dnsmasq(*options, address="127.0.0.1", port=None):
    """dnsmasq with these options, on a free port unless one is given; its address."""
    if shutil.which("dnsmasq", path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
        pytest.skip("dnsmasq is not installed (Debian: dnsmasq-base)")
    with practice_dns.serving(options, host=address, port=port) as resolver:
        yield resolver


class Script:
    """What the scripted server answers: a function from a query to a response or None."""

    def __init__(self, answer):
        self.answer, self.asked = answer, []


@contextmanager
def scripted(answer):
    """A server that answers with `answer(query)`: a message, bytes, or None for nothing."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 0))
    server.settimeout(0.05)
    script, running = Script(answer), True

    def serve():
        while running:
            try:
                data, remote = server.recvfrom(4096)
            except OSError:
                continue
            query = dns.message.from_wire(data)
            script.asked.append(query.question[0].name.to_text(omit_final_dot=True))
            response = script.answer(query)
            if response is not None:
                wire = response if isinstance(response, bytes) else response.to_wire()
                server.sendto(wire, remote)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.getsockname()[1]}", script
    finally:
        running = False
        thread.join(2)
        server.close()


def responding(*records, rcode=dns.rcode.NOERROR, authority=()):
    """An answer with records, each (name, kind, text)."""

    def answer(query):
        response = dns.message.make_response(query, recursion_available=True)
        response.set_rcode(rcode)
        for section, rows in ((response.answer, records), (response.authority, authority)):
            for name, kind, text in rows:
                section.append(dns.rrset.from_text(f"{name}.", 60, "IN", kind, text))
        return response

    return answer
