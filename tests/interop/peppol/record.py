"""Record exchanges with phase4 and Oxalis for the daily tests.

`python -m tests.interop.peppol.record`, after `prepare`, writes raw requests and responses to
plugins/peppol/tests/vectors/foreign, which plugins/peppol/tests/test_as4_vectors.py reads.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

ROOT = Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "plugins/peppol"), str(ROOT / "plugins/peppol/tests")]

from as4_server import network, serving  # noqa: E402 found by the path above
from throwaway_pki import Pki  # noqa: E402

from einvoice.domain.environments import Environment  # noqa: E402
from einvoice.domain.identifiers import ParticipantId  # noqa: E402
from einvoice.http import Client, Limits, Policy  # noqa: E402
from einvoice.network import samples  # noqa: E402
from einvoice.network.endpoints import Request, Response  # noqa: E402
from einvoice.network.testing import MemoryInbox  # noqa: E402
from einvoice_peppol import sending  # noqa: E402
from einvoice_peppol.identity import Identity  # noqa: E402
from einvoice_peppol.receiving import Receiver  # noqa: E402
from einvoice_peppol.trust import Anchors, Trust  # noqa: E402
from tests.interop.peppol import foreign  # noqa: E402

FOLDER = ROOT / "plugins/peppol/tests/vectors/foreign"
VERSIONS = {
    "phase4": "phase4 4.4.1",
    "oxalis": "Oxalis-AS4 7.2.0-RC3",
    "peppol-py": "peppol-py 1.2.5",
}


class Recorder:
    def __init__(self, pki: Pki) -> None:
        self.pki, self.index = pki, []
        (FOLDER / "pki").mkdir(parents=True, exist_ok=True)
        key = pki.c3.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (FOLDER / "pki" / "c3.key").write_bytes(key)
        pem = pki.c3.certificate.public_bytes(Encoding.PEM)
        (FOLDER / "pki" / "c3.pem").write_bytes(pem)

    def keep(self, name: str, sender: str, receiver: str, request: Request, response: Response):
        content_type = request.headers["content-type"]
        head = f"POST /as4 HTTP/1.1\r\nContent-Type: {content_type}\r\n\r\n".encode()
        (FOLDER / f"{name}.request").write_bytes(head + request.body)
        given = "".join(f"{key}: {value}\r\n" for key, value in response.headers.items())
        first = f"HTTP/1.1 {response.status} -\r\n{given}\r\n".encode()
        (FOLDER / f"{name}.response").write_bytes(first + response.body)
        self.index.append({"name": name, "sender": sender, "receiver": receiver})

    def end(self) -> None:
        (FOLDER / "index.json").write_text(json.dumps(self.index, indent=1) + "\n")

    # -- they send -----------------------------------------------------------------------------

    def from_phase4(self, folder: Path, document: Path) -> None:
        with foreign.java("phase4", "Phase4Sender", folder) as process, self._ours() as server:
            given = {"url": server.url, "doc": document, "receiver": "0208:0123456749"}
            for name, more in (("phase4-invoice", {}), ("phase4-uncompressed", {"plain": "yes"})):
                said = foreign.Sender(process).send(**given, **more)
                assert said == "SUCCESS", said
                self._received(name, "phase4", server)

    def from_oxalis(self, folder: Path, envelope: Path) -> None:
        java = foreign.java("oxalis", "OxalisSender", folder, "c2")
        with java as process, self._ours() as server:
            said = foreign.Sender(process).send(url=server.url, doc=envelope)
            assert said == "SUCCESS", said
            self._received("oxalis-invoice", "oxalis", server)

    def from_peppol_py(self, folder: Path, document: Path) -> None:
        with self._ours() as server:
            parties = ("0208:0848934496", "0208:0123456749")
            said = foreign.by_peppol_py(folder, "c2", server.url, document, *parties)
            assert said == "SUCCESS", said
            self._received("peppol-py-invoice", "peppol-py", server)

    def _ours(self):
        roots = (self.pki.root.certificate,)
        issuers = (self.pki.access_points, self.pki.publishers)
        trusted = Trust(*(Anchors((i.certificate,), roots) for i in issuers), Environment.TEST)
        receiver = Receiver(network(self._identity("c3"), trusted=trusted), MemoryInbox())

        def answer(request: Request) -> Response:
            self.answered = receiver.answer(request)
            return self.answered

        return serving(answer)

    def _received(self, name: str, part: str, server) -> None:
        self.keep(name, VERSIONS[part], "einvoice", server.requests[-1], self.answered)

    def _identity(self, name: str) -> Identity:
        leaf = getattr(self.pki, name)
        return Identity(leaf.certificate, leaf.key)

    # -- they receive --------------------------------------------------------------------------

    def to(self, part: str, folder: Path) -> None:
        unserved = ParticipantId("0208", "0000000097")
        with foreign.receiver(part, folder) as url:
            invoice = samples.envelope()
            self._sent(f"to-{part}-invoice", part, url, invoice)
            self._sent(f"to-{part}-foreign-signer", part, url, samples.envelope(), "foreign")
            if part == "phase4":
                self._sent(f"to-{part}-repeat", part, url, invoice)
                other = samples.envelope(receiver=unserved)
                self._sent(f"to-{part}-not-serviced", part, url, other)

    def _sent(self, name: str, part: str, url: str, envelope, key: str = "c2") -> None:
        sender = self._identity(key)
        prepared = sending.prepared(envelope, sender.seat)
        made = sending.message(envelope, prepared, sender, self.pki.c3.certificate).content
        headers = {"content-type": made.content_type}
        client = Client(Policy(False, True), limits=Limits(total=60, read=60))
        answer = client.send("POST", url, headers=headers, body=made.body)
        client.close()
        request = Request("POST", "/as4", made.body, headers=headers)
        response = Response(answer.status, answer.body)
        self.keep(name, "einvoice", VERSIONS[part], request, response)


def main() -> None:
    pki = Pki("TEST")
    recorder = Recorder(pki)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        foreign.write_pki(pki, folder)
        envelope = samples.envelope(number="FOREIGN-1")
        (folder / "document.xml").write_bytes(envelope.document)
        prepared = sending.prepared(envelope, "POP000001")
        (folder / "envelope.xml").write_bytes(gzip.decompress(prepared.content))
        recorder.from_phase4(folder, folder / "document.xml")
        recorder.from_oxalis(folder, folder / "envelope.xml")
        recorder.from_peppol_py(folder, folder / "document.xml")
        for part in foreign.RECEIVERS:
            recorder.to(part, folder)
    recorder.end()


if __name__ == "__main__":
    main()
