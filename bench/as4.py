"""The cost of a message of Peppol: `python -m bench.as4`.

CPU to sign and encrypt, to decrypt and verify, and to sign a receipt, beside what RSA alone takes;
bytes on the wire; and messages a second from our sender to our receiver, which is another process
(two web threads of granian) and stores nothing. Keys are made in the run. With --foreign also
between phase4 and ours (`tests/interop/peppol/prepare` first).
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.http import Policy
from einvoice.network import samples
from einvoice.network.endpoints import Request
from einvoice.network.testing import MemoryInbox, prepared_exchange
from einvoice.network.types import Delivered, Inbound, InboundVerdict, Stored
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT / "plugins/peppol"), str(ROOT / "plugins/peppol/tests")]

from throwaway_pki import Pki  # noqa: E402

from einvoice_peppol import sending  # noqa: E402 found by the path above
from einvoice_peppol.access_point import Peppol  # noqa: E402
from einvoice_peppol.as4 import encryption, incoming, signals  # noqa: E402
from einvoice_peppol.configuration import Network  # noqa: E402
from einvoice_peppol.identity import Identity  # noqa: E402
from einvoice_peppol.receiving import Receiver  # noqa: E402
from einvoice_peppol.smp_documents import Endpoint  # noqa: E402
from einvoice_peppol.stages import TEST  # noqa: E402
from einvoice_peppol.trust import Anchors, Trust  # noqa: E402
from tests.interop.peppol import foreign  # noqa: E402

FOLDER = "AS4_BENCH_PKI"  # where the receiving process finds its certificates
OPEN = Policy(https_only=False, allow_private=True)
DOCUMENT_BYTES = 9 * 1024


class Discarding(MemoryInbox):
    """An inbox that keeps nothing."""

    def deliver_inbound(self, inbound: Inbound) -> InboundVerdict:
        return Stored(inbound.instance_id, inbound.receipt)


class One:
    """A directory that names one endpoint for everybody."""

    def __init__(self, url: str, certificate: x509.Certificate) -> None:
        self._found = Endpoint(url, certificate)

    def endpoint(self, *_: object) -> Any:
        return self._found


# -- certificates, shared by the two processes -----------------------------------------------------


def write_pki(folder: Path) -> None:
    pki = Pki("TEST")
    foreign.write_pki(pki, folder)
    for name in ("c2", "c3"):
        leaf = getattr(pki, name)
        key = leaf.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (folder / f"{name}.key").write_bytes(key)
        (folder / f"{name}.pem").write_bytes(leaf.certificate.public_bytes(Encoding.PEM))
    for name in ("root", "access_points", "publishers"):
        authority = getattr(pki, name).certificate
        (folder / f"{name}.pem").write_bytes(authority.public_bytes(Encoding.PEM))


def certificate(folder: Path, name: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / f"{name}.pem").read_bytes())


def network(folder: Path, name: str, directory: Any = None) -> Network:
    key: Any = load_pem_private_key((folder / f"{name}.key").read_bytes(), None)
    own = Identity(certificate(folder, name), key)
    roots = (certificate(folder, "root"),)
    issuers = [Anchors((certificate(folder, n),), roots) for n in ("access_points", "publishers")]
    trusted = Trust(*issuers, Environment.TEST)
    return Network(TEST, (own,), trusted, directory, OPEN, key_files=())


# -- the receiving process -------------------------------------------------------------------------


def application() -> Callable[[dict[str, Any], Any], Iterable[bytes]]:
    """A WSGI application of our receiver."""
    receiver = Receiver(network(Path(os.environ[FOLDER]), "c3"), Discarding())

    def answer(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        headers = {"content-type": environ["CONTENT_TYPE"]}
        found = receiver.answer(Request(environ["REQUEST_METHOD"], "/", body, headers=headers))
        length = ("Content-Length", str(len(found.body)))
        start(f"{found.status} -", [("Content-Type", found.content_type), length])
        return [found.body]

    return answer


@contextmanager
def receiving(folder: Path) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--port", str(port)]
    command += ["--blocking-threads", "2", "--no-access-log", "--factory", "bench.as4:application"]
    environ = os.environ | {FOLDER: str(folder), "EINVOICE_LOG_LEVEL": "ERROR"}
    process = subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"http://127.0.0.1:{port}/as4"
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("the receiver did not start")


# -- figures ---------------------------------------------------------------------------------------


def cpu_ms(function: Callable[[], object], times: int) -> float:
    """CPU of one call in ms: the best of five rounds."""
    best = float("inf")
    for _ in range(5):
        begun = time.thread_time()
        for _ in range(times):
            function()
        best = min(best, (time.thread_time() - begun) / times)
    return best * 1000


def document() -> bytes:
    """An invoice of 9 KiB, most of it lines that compress as those of invoices do."""
    sample = samples.envelope(number="BENCH").document
    start, end = sample.index(b"  <cac:InvoiceLine>"), sample.index(b"</Invoice>")
    line = sample[start:end]
    count = -(-(DOCUMENT_BYTES - len(sample)) // len(line))
    numbered = (line.replace(b">1<", b">%d<" % number, 1) for number in range(2, count + 2))
    return sample[:end] + b"".join(numbered) + sample[end:]


def crypto(folder: Path, times: int) -> None:
    own, other = network(folder, "c2"), network(folder, "c3")
    sender, receiver = own.identity, other.identity
    envelope = samples.envelope(document=document())
    prepared = sending.prepared(envelope, own.seat)

    def made() -> Any:
        return sending.message(envelope, prepared, sender, receiver.certificate)

    message = made()

    def opened() -> Any:
        received = incoming.received(message.content.content_type, message.content.body)
        return incoming.opened(
            received,
            [receiver],
            lambda signer: other.trust.check_access_point(signer, clock.now()),
            max_bytes=1 << 20,
        )

    found = opened()
    info = signals.Info("r@test", "2026-11-22T12:00:00.000Z", prepared.message_id)
    receipt = signals.receipt(info, found.references, receiver)
    wrapped = sender.certificate.public_key().encrypt(bytes(16), encryption.OAEP)
    figures = {
        "prepare (envelope, gzip)": lambda: sending.prepared(envelope, own.seat),
        "sign and encrypt": made,
        "decrypt and verify": opened,
        "sign a receipt": lambda: signals.receipt(info, found.references, receiver),
        "RSA signature alone": lambda: sender.key.sign(b"x", padding.PKCS1v15(), hashes.SHA256()),
        "RSA decryption alone": lambda: sender.key.decrypt(wrapped, encryption.OAEP),
    }
    for name, function in figures.items():
        print(f"{name:28} {cpu_ms(function, times):8.3f} ms")
    print(f"{'document':28} {len(envelope.document):8} bytes")
    print(f"{'message':28} {len(message.content.body):8} bytes")
    print(f"{'receipt':28} {len(receipt):8} bytes, 1 round trip for each message")


def rate(folder: Path, count: int) -> None:
    with receiving(folder) as url:
        peppol = Peppol(network(folder, "c2", One(url, certificate(folder, "c3"))))
        content = document()
        peppol.submit_many(exchanges(peppol, content, 50))
        batches = [exchanges(peppol, content, 50) for _ in range(count // 50)]
        begun, cpu = time.monotonic(), time.process_time()
        outcomes = [one for batch in batches for one in peppol.submit_many(batch)]
        seconds, used = time.monotonic() - begun, time.process_time() - cpu
    delivered = sum(isinstance(one, Delivered) for one in outcomes)
    print(
        f"{delivered} of {len(outcomes)} delivered in {seconds:.1f} s: {delivered / seconds:.0f}/s"
    )
    print(f"{'CPU of the sender':28} {used / len(outcomes) * 1000:8.3f} ms")


def foreign_rate(folder: Path, count: int) -> None:
    """Messages a second of phase4 to our receiver (one thread), and of ours to phase4."""
    document_file = folder / "document.xml"
    document_file.write_bytes(document())
    with receiving(folder) as url, foreign.java("phase4", "Phase4Sender", folder) as process:
        given = {"url": url, "doc": document_file, "receiver": "0208:0123456749"}
        sender = foreign.Sender(process)
        results = [sender.send(**given) for _ in range(20)]  # what Java compiles
        begun = time.monotonic()
        results += [sender.send(**given) for _ in range(count)]
        seconds = time.monotonic() - begun
    good = sum(one == "SUCCESS" for one in results[20:])
    print(f"phase4 to ours: {good} of {count} in {seconds:.1f} s: {good / seconds:.1f}/s")
    with foreign.receiver("phase4", folder) as url:
        peppol = Peppol(network(folder, "c2", One(url, certificate(folder, "c3"))))
        peppol.submit_many(exchanges(peppol, document(), 50))
        batch = exchanges(peppol, document(), 50)
        begun = time.monotonic()
        outcomes = peppol.submit_many(batch)
        seconds = time.monotonic() - begun
    good = sum(isinstance(one, Delivered) for one in outcomes)
    print(f"ours to phase4: {good} of 50 in {seconds:.1f} s: {good / seconds:.1f}/s")


def exchanges(peppol: Peppol, content: bytes, count: int) -> list[Any]:
    return [prepared_exchange(peppol, samples.envelope(document=content)) for _ in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50, help="calls in a round")
    parser.add_argument("--messages", type=int, default=500)
    parser.add_argument("--foreign", action="store_true", help="also with phase4")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_pki(Path(folder))
        crypto(Path(folder), given.times)
        rate(Path(folder), given.messages)
        if given.foreign:
            foreign_rate(Path(folder), 50)


if __name__ == "__main__":
    main()
