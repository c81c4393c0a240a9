"""An SMP for tests: documents signed by a key of the test, served by path."""

from __future__ import annotations

import base64
import hashlib
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import quote

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from einvoice.domain.identifiers import BIS_BILLING_PROCESS, BIS_INVOICE
from einvoice_peppol.smp_signature import C14N, DSIG, ENVELOPED, RSA_SHA256, SHA256

SMP = "http://busdox.org/serviceMetadata/publishing/1.0/"
IDS = "http://busdox.org/transport/identifiers/1.0/"
AS4 = "peppol-transport-as4-v2_0"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append(self.path)
        status, body, headers = self.server.answers.get(self.path, (404, b"", {}))
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        with suppress(OSError):  # the client closes what is too long
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def serving():
    """A server with `put(path, body)`, `url` and `asked`, the paths that were requested."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.answers, server.asked = {}, []
    server.url = f"http://127.0.0.1:{server.server_port}"
    server.put = lambda path, body, status=200, **headers: server.answers.__setitem__(
        path, (status, body, headers)
    )
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def path_of(participant, document_type=None):
    group = "/" + quote(f"iso6523-actorid-upis::{participant}", safe="")
    return group if document_type is None else f"{group}/services/{quote(str(document_type), '')}"


def group(participant, *types, base="http://smp.example"):
    references = "".join(
        f'<ServiceMetadataReference href="{base}{path_of(participant, each)}"/>' for each in types
    )
    return (
        f'<ServiceGroup xmlns="{SMP}"><ParticipantIdentifier xmlns="{IDS}" '
        f'scheme="iso6523-actorid-upis">{participant}</ParticipantIdentifier>'
        f"<ServiceMetadataReferenceCollection>{references}</ServiceMetadataReferenceCollection>"
        "</ServiceGroup>"
    ).encode()


def endpoint(certificate, url="https://ap.example/as4", transport=AS4, dates="", armour=False):
    encoding = Encoding.PEM if armour else Encoding.DER
    content = certificate.public_bytes(encoding)
    text = content.decode() if armour else base64.b64encode(content).decode()
    return (
        f'<Endpoint transportProfile="{transport}"><EndpointReference '
        f'xmlns="http://www.w3.org/2005/08/addressing"><Address>{url}</Address>'
        f"</EndpointReference><RequireBusinessLevelSignature>false</RequireBusinessLevelSignature>"
        f"{dates}<Certificate>{text}</Certificate><ServiceDescription>Sample</ServiceDescription>"
        "<TechnicalContactUrl>mailto:ap@smp.example</TechnicalContactUrl></Endpoint>"
    )


def information(participant, *endpoints, document_type=BIS_INVOICE, process=BIS_BILLING_PROCESS):
    return (
        f'<ServiceInformation><ParticipantIdentifier xmlns="{IDS}" '
        f'scheme="iso6523-actorid-upis">{participant}</ParticipantIdentifier>'
        f'<DocumentIdentifier xmlns="{IDS}" scheme="{document_type.scheme}">{document_type.value}'
        f'</DocumentIdentifier><ProcessList><Process><ProcessIdentifier xmlns="{IDS}" '
        f'scheme="{process.scheme}">{process.value}</ProcessIdentifier><ServiceEndpointList>'
        f"{''.join(endpoints)}</ServiceEndpointList></Process></ProcessList></ServiceInformation>"
    )


def redirect(address, uid):
    return f'<Redirect href="{address}"><CertificateUID>{uid}</CertificateUID></Redirect>'


def signed(content, signer, algorithm=RSA_SHA256, uri="", digest=SHA256):
    """SignedServiceMetadata around the content, signed as SMPs do."""
    text = f'<SignedServiceMetadata xmlns="{SMP}"><ServiceMetadata>{content}</ServiceMetadata>'
    root = etree.fromstring(f"{text}</SignedServiceMetadata>")
    value = base64.b64encode(hashlib.sha256(_c14n(root)).digest()).decode()
    info = (
        f'<SignedInfo xmlns="{DSIG}"><CanonicalizationMethod Algorithm="{C14N}"/>'
        f'<SignatureMethod Algorithm="{algorithm}"/><Reference URI="{uri}"><Transforms>'
        f'<Transform Algorithm="{ENVELOPED}"/></Transforms><DigestMethod Algorithm="{digest}"/>'
        f"<DigestValue>{value}</DigestValue></Reference></SignedInfo>"
    )
    made = signer.key.sign(_c14n(etree.fromstring(info)), padding.PKCS1v15(), hashes.SHA256())
    der = base64.b64encode(signer.certificate.public_bytes(Encoding.DER)).decode()
    signature = (
        f'<Signature xmlns="{DSIG}">{info}<SignatureValue>{base64.b64encode(made).decode()}'
        f"</SignatureValue><KeyInfo><X509Data><X509Certificate>{der}</X509Certificate></X509Data>"
        "</KeyInfo></Signature>"
    )
    return f"{text}{signature}</SignedServiceMetadata>".encode()


def _c14n(root):
    return etree.tostring(root, method="c14n", with_comments=False)
