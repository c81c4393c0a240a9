"""An SMP of a practice network: documents signed by a certificate of the network, served by path.

Source: Peppol SMP 1.4.0. The documents are written as text, in the form that common SMPs have.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final, TypeVar
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_INVOICE,
    DocumentTypeId,
    ParticipantId,
    ProcessId,
)
from einvoice_peppol.practice.authorities import Leaf
from einvoice_peppol.sbdh import PARTICIPANT_SCHEME
from einvoice_peppol.smp_documents import AS4_TRANSPORT
from einvoice_peppol.smp_signature import C14N, DSIG, ENVELOPED, RSA_SHA256, SHA256
from einvoice_peppol.xml_text import text

SMP: Final = "http://busdox.org/serviceMetadata/publishing/1.0/"
IDS: Final = "http://busdox.org/transport/identifiers/1.0/"
_ADDRESSING: Final = "http://www.w3.org/2005/08/addressing"

Answer = tuple[int, bytes, dict[str, str]]


class Publisher(ThreadingHTTPServer):
    """A server of `answers` by path, on a free port of 127.0.0.1."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.answers: dict[str, Answer] = {}

    def put(self, path: str, body: bytes, status: int = 200, **headers: str) -> None:
        """Answer requests for the path with this."""
        self.answers[path] = (status, body, headers)

    def answer(self, path: str) -> Answer:
        """Status, body and headers of the answer to a request for the path."""
        return self.answers.get(path, (404, b"", {}))


class _Handler(BaseHTTPRequestHandler):
    server: Publisher
    protocol_version = "HTTP/1.1"
    timeout = 10

    def do_GET(self) -> None:
        status, body, headers = self.server.answer(self.path)
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        with suppress(OSError):  # the client closes what is too long
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


Server = TypeVar("Server", bound=Publisher)


@contextmanager
def served(publisher: Server) -> Iterator[Server]:
    """Serve in a thread of this process."""
    Thread(target=publisher.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield publisher
    finally:
        publisher.shutdown()
        publisher.server_close()


# -- documents -------------------------------------------------------------------------------------


def path_of(participant: ParticipantId | str, document_type: DocumentTypeId | None = None) -> str:
    """The path of a participant's ServiceGroup, or of its metadata for one document type."""
    group = "/" + quote(f"{PARTICIPANT_SCHEME}::{participant}", safe="")
    return group if document_type is None else f"{group}/services/{quote(str(document_type), '')}"


def group(
    participant: ParticipantId | str, *types: DocumentTypeId, base: str = "http://smp.example"
) -> bytes:
    """The ServiceGroup of a participant with these document types. `base`: address of the SMP."""
    references = "".join(
        f'<ServiceMetadataReference href="{base}{path_of(participant, each)}"/>' for each in types
    )
    return (
        f'<ServiceGroup xmlns="{SMP}">{_participant(participant)}'
        f"<ServiceMetadataReferenceCollection>{references}</ServiceMetadataReferenceCollection>"
        "</ServiceGroup>"
    ).encode()


def endpoint(
    certificate: x509.Certificate,
    url: str = "https://ap.example/as4",
    transport: str = AS4_TRANSPORT,
    dates: str = "",
    armour: bool = False,
) -> str:
    """An Endpoint at an access point. `armour`: its certificate in PEM."""
    content = certificate.public_bytes(Encoding.PEM if armour else Encoding.DER)
    encoded = content.decode() if armour else base64.b64encode(content).decode()
    return (
        f"<Endpoint transportProfile={quoteattr(transport)}>"
        f'<EndpointReference xmlns="{_ADDRESSING}"><Address>{text(url)}</Address>'
        "</EndpointReference><RequireBusinessLevelSignature>false</RequireBusinessLevelSignature>"
        f"{dates}<Certificate>{encoded}</Certificate><ServiceDescription>Sample</ServiceDescription>"
        "<TechnicalContactUrl>mailto:ap@smp.example</TechnicalContactUrl></Endpoint>"
    )


def information(
    participant: ParticipantId | str,
    *endpoints: str,
    document_type: DocumentTypeId = BIS_INVOICE,
    process: ProcessId = BIS_BILLING_PROCESS,
) -> str:
    """The ServiceInformation of a participant for one document type and process."""
    return (
        f"<ServiceInformation>{_participant(participant)}"
        f'<DocumentIdentifier xmlns="{IDS}" scheme="{document_type.scheme}">'
        f"{text(document_type.value)}</DocumentIdentifier><ProcessList><Process>"
        f'<ProcessIdentifier xmlns="{IDS}" scheme="{process.scheme}">{text(process.value)}'
        f"</ProcessIdentifier><ServiceEndpointList>{''.join(endpoints)}</ServiceEndpointList>"
        "</Process></ProcessList></ServiceInformation>"
    )


def _participant(participant: ParticipantId | str) -> str:
    return (
        f'<ParticipantIdentifier xmlns="{IDS}" scheme="{PARTICIPANT_SCHEME}">'
        f"{text(str(participant))}</ParticipantIdentifier>"
    )


def signed(
    content: str,
    signer: Leaf,
    algorithm: str = RSA_SHA256,
    uri: str = "",
    digest: str = SHA256,
) -> bytes:
    """SignedServiceMetadata around the content, signed as SMPs do.

    algorithm, uri, digest  what the signature says of itself; it is always made with SHA-256
    """
    start = f'<SignedServiceMetadata xmlns="{SMP}"><ServiceMetadata>{content}</ServiceMetadata>'
    root = etree.fromstring(f"{start}</SignedServiceMetadata>")
    value = base64.b64encode(hashlib.sha256(_c14n(root)).digest()).decode()
    info = (
        f'<SignedInfo xmlns="{DSIG}"><CanonicalizationMethod Algorithm="{C14N}"/>'
        f'<SignatureMethod Algorithm="{algorithm}"/><Reference URI="{uri}"><Transforms>'
        f'<Transform Algorithm="{ENVELOPED}"/></Transforms><DigestMethod Algorithm="{digest}"/>'
        f"<DigestValue>{value}</DigestValue></Reference></SignedInfo>"
    )
    made = signer.key.sign(_c14n(etree.fromstring(info)), padding.PKCS1v15(), hashes.SHA256())
    der = base64.b64encode(signer.der).decode()
    signature = (
        f'<Signature xmlns="{DSIG}">{info}<SignatureValue>{base64.b64encode(made).decode()}'
        f"</SignatureValue><KeyInfo><X509Data><X509Certificate>{der}</X509Certificate></X509Data>"
        "</KeyInfo></Signature>"
    )
    return f"{start}{signature}</SignedServiceMetadata>".encode()


def _c14n(root: etree._Element) -> bytes:
    return etree.tostring(root, method="c14n", with_comments=False)
