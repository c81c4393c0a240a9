"""Documents of an SMP, written: the group of a participant, metadata, and the business card.

Source: Peppol SMP 1.4.0, and the business card of the Peppol Directory (20180621). They are written
as text, in the form that common SMPs have.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Final, Protocol
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
from einvoice.network.publishing import BusinessCard
from einvoice_peppol.identity import PrivateKey
from einvoice_peppol.sbdh import PARTICIPANT_SCHEME
from einvoice_peppol.smp_documents import AS4_TRANSPORT
from einvoice_peppol.smp_signature import C14N, DSIG, ENVELOPED, RSA_SHA256, SHA256
from einvoice_peppol.xml_text import text

SMP: Final = "http://busdox.org/serviceMetadata/publishing/1.0/"
IDS: Final = "http://busdox.org/transport/identifiers/1.0/"
CARDS: Final = "http://www.peppol.eu/schema/pd/businesscard/20180621/"
CONTACT: Final = "mailto:ap@smp.example"
_ADDRESSING: Final = "http://www.w3.org/2005/08/addressing"


class Signer(Protocol):
    """The certificate of an SMP with its key."""

    @property
    def certificate(self) -> x509.Certificate: ...

    @property
    def der(self) -> bytes: ...

    @property
    def key(self) -> PrivateKey: ...


@dataclass(frozen=True, slots=True)
class Target:
    """Where documents of our participants are sent: address and certificate of our access point.

    contact  a URL of people who can be asked, such as mailto:peppol@example.com
    """

    address: str
    certificate: x509.Certificate
    contact: str = CONTACT

    @property
    def form(self) -> str:
        """A text that changes with it."""
        der = self.certificate.public_bytes(Encoding.DER)
        parts = (self.address.encode(), der, self.contact.encode())
        return hashlib.sha256(b"\0".join(parts)).hexdigest()


# -- addresses -------------------------------------------------------------------------------------


def segment(identifier: ParticipantId | DocumentTypeId | str) -> str:
    """A participant or document type as one segment of a path."""
    if isinstance(identifier, DocumentTypeId):
        return quote(str(identifier), safe="")
    shown = identifier.canonical if isinstance(identifier, ParticipantId) else identifier
    return quote(f"{PARTICIPANT_SCHEME}::{shown}", safe="")


def quoted(value: str) -> str:
    """A text as one segment of a path."""
    return quote(value, safe="")


def path_of(participant: ParticipantId | str, document_type: DocumentTypeId | None = None) -> str:
    """The path of a participant's ServiceGroup, or of its metadata for one document type."""
    group = f"/{segment(participant)}"
    return group if document_type is None else f"{group}/services/{segment(document_type)}"


# -- documents -------------------------------------------------------------------------------------


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
    contact: str = CONTACT,
) -> str:
    """An Endpoint at an access point. `armour`: its certificate in PEM."""
    content = certificate.public_bytes(Encoding.PEM if armour else Encoding.DER)
    encoded = content.decode() if armour else base64.b64encode(content).decode()
    return (
        f"<Endpoint transportProfile={quoteattr(transport)}>"
        f'<EndpointReference xmlns="{_ADDRESSING}"><Address>{text(url)}</Address>'
        "</EndpointReference><RequireBusinessLevelSignature>false</RequireBusinessLevelSignature>"
        f"{dates}<Certificate>{encoded}</Certificate>"
        "<ServiceDescription>Peppol access point</ServiceDescription>"
        f"<TechnicalContactUrl>{text(contact)}</TechnicalContactUrl></Endpoint>"
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


def metadata_of(
    participant: ParticipantId, document_type: DocumentTypeId, process: ProcessId, target: Target
) -> str:
    """The ServiceInformation of a participant of ours."""
    reached = endpoint(target.certificate, target.address, contact=target.contact)
    return information(participant.canonical, reached, document_type=document_type, process=process)


def unsigned(content: str) -> bytes:
    """ServiceMetadata around the content, as it is given to an SMP."""
    return f'<ServiceMetadata xmlns="{SMP}">{content}</ServiceMetadata>'.encode()


def redirection(address: str, certificate_uid: str) -> str:
    """The Redirect of a document type to another SMP."""
    return (
        f"<Redirect href={quoteattr(address)}>"
        f"<CertificateUID>{text(certificate_uid)}</CertificateUID></Redirect>"
    )


def card_of(participant: ParticipantId, card: BusinessCard) -> bytes:
    """The business card of a participant."""
    return (
        f'<BusinessCard xmlns="{CARDS}">'
        f'<ParticipantIdentifier scheme="{PARTICIPANT_SCHEME}">{text(participant.canonical)}'
        f"</ParticipantIdentifier><BusinessEntity><Name>{text(card.name)}</Name>"
        f"<CountryCode>{text(card.country)}</CountryCode></BusinessEntity></BusinessCard>"
    ).encode()


def _participant(participant: ParticipantId | str) -> str:
    return (
        f'<ParticipantIdentifier xmlns="{IDS}" scheme="{PARTICIPANT_SCHEME}">'
        f"{text(str(participant))}</ParticipantIdentifier>"
    )


# -- signature -------------------------------------------------------------------------------------


def signed(
    content: str,
    signer: Signer,
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
    subject = text(signer.certificate.subject.rfc4514_string())
    signature = (
        f'<Signature xmlns="{DSIG}">{info}<SignatureValue>{base64.b64encode(made).decode()}'
        f"</SignatureValue><KeyInfo><X509Data><X509SubjectName>{subject}</X509SubjectName>"
        f"<X509Certificate>{der}</X509Certificate></X509Data></KeyInfo></Signature>"
    )
    return f"{start}{signature}</SignedServiceMetadata>".encode()


def _c14n(root: etree._Element) -> bytes:
    return etree.tostring(root, method="c14n", with_comments=False)
