"""DNS servers for tests: dnsmasq as SML, and a scripted one for answers that no server gives."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from threading import Thread

import dns.message
import dns.rcode
import dns.rrset
import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice_peppol import sml
from tests.ports import free_port

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
    program = shutil.which("dnsmasq", path="/usr/sbin:/usr/bin:/sbin:/bin")
    if program is None:
        pytest.skip("dnsmasq is not installed (Debian: dnsmasq-base)")
    process, port = _started(program, options, address, port)
    try:
        yield f"{address}:{port}"
    finally:
        process.terminate()
        process.wait(10)


def _started(program, options, address, wanted):
    """The process and its port; another port is tried where the first is taken meanwhile."""
    fixed = f"-k -C /dev/null --listen-address={address} --bind-interfaces"
    more = "--no-resolv --no-hosts --pid-file= --user="
    for _ in range(5):
        port = wanted or free_port()
        command = [program, *fixed.split(), *more.split(), f"--port={port}", *options]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        if _answers(process, address, port):
            return process, port
        process.kill()
        process.wait(10)
    raise AssertionError("dnsmasq does not start")


def _answers(process, address, port):
    for _ in range(200):
        if process.poll() is not None:
            return False
        try:
            socket.create_connection((address, port), 0.2).close()
        except OSError:
            time.sleep(0.05)
        else:
            return process.poll() is None
    return False


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
            response = answer(query)
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
