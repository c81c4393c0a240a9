"""Documents of an SMP, read: the group of a participant, and the metadata of a document type.

Source: Peppol SMP 1.4.0 (`http://busdox.org/serviceMetadata/publishing/1.0/`). They come from
anybody's server: nothing is taken that was not checked.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import unquote

from cryptography import x509
from lxml import etree

from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice_peppol import certificates
from einvoice_peppol.sml import SCHEME

AS4_TRANSPORT: Final = "peppol-transport-as4-v2_0"
TYPE_ABSENT: Final = "the receiver is not registered for this document type"
MAX_TYPES: Final = 1000  # of one participant; the further ones are left out
_SMP: Final = "{http://busdox.org/serviceMetadata/publishing/1.0/}"
_ID: Final = "{http://busdox.org/transport/identifiers/1.0/}"
_WSA: Final = "{http://www.w3.org/2005/08/addressing}"
_ARMOUR = re.compile(r"-----[A-Z ]+-----|\s")


class InvalidDocument(ValueError):
    """A document that is not what was asked for. The message says why."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where documents of a participant are sent: the address and certificate of an access point."""

    address: str
    certificate: x509.Certificate


@dataclass(frozen=True, slots=True)
class Redirect:
    """The metadata is at another SMP, whose certificate has this id in its subject."""

    address: str
    certificate_uid: str


@dataclass(frozen=True, slots=True)
class NotOffered:
    """The participant takes no such documents over Peppol's AS4; `reason` is for people.

    may_return  not believed yet: it took them before, or the answer may not be the publisher's
    """

    reason: str
    may_return: bool = False


def document_types(root: etree._Element, participant: ParticipantId) -> tuple[DocumentTypeId, ...]:
    """The document types in a ServiceGroup. Raises InvalidDocument."""
    if root.tag != f"{_SMP}ServiceGroup":
        raise InvalidDocument("it is not a ServiceGroup")
    _check_participant(root, participant)
    path = f"{_SMP}ServiceMetadataReferenceCollection/{_SMP}ServiceMetadataReference"
    references = root.findall(path)[:MAX_TYPES]
    found = (_type_in(each.get("href") or "") for each in references)
    return tuple(dict.fromkeys(each for each in found if each))


def _type_in(href: str) -> DocumentTypeId | None:
    """The document type that a reference names, after /services/; None for another form."""
    _, found, last = href.partition("/services/")
    scheme, separator, value = unquote(last).partition("::")
    return DocumentTypeId(scheme, value) if found and separator and value else None


def metadata(
    root: etree._Element,
    participant: ParticipantId,
    document_type: DocumentTypeId,
    process: ProcessId,
    now: datetime,
) -> Endpoint | Redirect | NotOffered:
    """The SignedServiceMetadata of a document type. Raises InvalidDocument.

    The document must be for this participant and type: some SMPs answer with another one.
    """
    if root.tag != f"{_SMP}SignedServiceMetadata":
        raise InvalidDocument("it is not SignedServiceMetadata")
    body = _child(root, f"{_SMP}ServiceMetadata")
    redirect = body.find(f"{_SMP}Redirect")
    if redirect is not None:
        return Redirect(redirect.get("href") or "", _text(redirect, f"{_SMP}CertificateUID"))
    information = _child(body, f"{_SMP}ServiceInformation")
    _check_participant(information, participant)
    _check_type(information, document_type)
    return _endpoint(information, process, now)


def _check_participant(parent: etree._Element, participant: ParticipantId) -> None:
    element = _child(parent, f"{_ID}ParticipantIdentifier")
    value = (element.text or "").strip().lower()
    if (element.get("scheme") or "").lower() != SCHEME or value != participant.canonical:
        raise InvalidDocument(f"it is about the participant {value[:140]!r}")


def _check_type(information: etree._Element, document_type: DocumentTypeId) -> None:
    element = _child(information, f"{_ID}DocumentIdentifier")
    found = DocumentTypeId(element.get("scheme") or "", (element.text or "").strip())
    if found != document_type:
        raise InvalidDocument(f"it is about the document type {str(found)[:300]!r}")


def _endpoint(
    information: etree._Element, process: ProcessId, now: datetime
) -> Endpoint | NotOffered:
    """The endpoint of the process that is active now."""
    endpoints = [*_endpoints(information, process)]
    if not endpoints:
        return NotOffered(f"the receiver does not take this document in the process {process}")
    over_as4 = [each for each in endpoints if each.get("transportProfile") == AS4_TRANSPORT]
    if not over_as4:
        return NotOffered(f"the receiver's access point does not offer {AS4_TRANSPORT}")
    for each in over_as4:
        if _is_active(each, now):
            return _read(each)
    return NotOffered("the registration of the receiver's access point is not in force")


def _endpoints(information: etree._Element, process: ProcessId) -> Iterator[etree._Element]:
    for each in information.iterfind(f"{_SMP}ProcessList/{_SMP}Process"):
        element = _child(each, f"{_ID}ProcessIdentifier")
        if ProcessId(element.get("scheme") or "", (element.text or "").strip()) == process:
            yield from each.iterfind(f"{_SMP}ServiceEndpointList/{_SMP}Endpoint")


def _is_active(endpoint: etree._Element, now: datetime) -> bool:
    since = _moment(endpoint, "ServiceActivationDate")
    until = _moment(endpoint, "ServiceExpirationDate")
    return (since is None or since <= now) and (until is None or now < until)


def _moment(endpoint: etree._Element, name: str) -> datetime | None:
    text = (endpoint.findtext(f"{_SMP}{name}") or "").strip()
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as fault:
        raise InvalidDocument(f"{name} is not a date and time") from fault
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _read(endpoint: etree._Element) -> Endpoint:
    address = _text(endpoint, f"{_WSA}EndpointReference/{_WSA}Address")
    return Endpoint(address, certificate_in(_text(endpoint, f"{_SMP}Certificate")))


def certificate_in(text: str) -> x509.Certificate:
    """A certificate in base64, with or without PEM armour, line breaks and spaces."""
    try:
        return certificates.read(base64.b64decode(_ARMOUR.sub("", text)))
    except ValueError as fault:
        raise InvalidDocument("the certificate of the access point cannot be read") from fault


def _child(parent: etree._Element, tag: str) -> etree._Element:
    found = parent.findall(tag)
    if len(found) != 1:
        raise InvalidDocument(f"it has {len(found)} elements {etree.QName(tag).localname}")
    return found[0]


def _text(parent: etree._Element, path: str) -> str:
    text = (parent.findtext(path) or "").strip()
    if not text:
        raise InvalidDocument(f"it lacks {path.rpartition('}')[2]}")
    return text
