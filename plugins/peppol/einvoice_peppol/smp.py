"""The client of SMPs: which documents a participant takes, and where they are sent.

Source: Peppol SMP 1.4.0. Addresses come from DNS and from other SMPs: the policy says where the
client may connect. At most one redirect of the metadata is followed, and at most one of HTTP, to
the same host over https: some publishers have moved so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urljoin, urlsplit

from cryptography import x509
from cryptography.x509.oid import NameOID

from einvoice import clock, xml
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.http import Client, HttpFault, Limits, Policy, Response
from einvoice.network.types import DirectoryUnavailable, NotRegistered
from einvoice_peppol import smp_documents
from einvoice_peppol.sml import SCHEME
from einvoice_peppol.smp_documents import (
    TYPE_ABSENT,
    Endpoint,
    InvalidDocument,
    NotOffered,
    Redirect,
)
from einvoice_peppol.smp_signature import InvalidSignatureOfDocument, verified
from einvoice_peppol.trust import Trust, Untrusted, seat_id, subject

MAX_BYTES: Final = 1 << 20
_LIMITS: Final = Limits(connect=3.0, read=4.0, total=5.0, answer_bytes=MAX_BYTES)
_ABSENT: Final = (404, 410)
_MOVED: Final = (301, 302, 303, 307, 308)
_PAGES: Final = (b"<!doctype html", b"<html")
_REFUSALS: Final = (xml.NotXml, InvalidDocument, InvalidSignatureOfDocument, Untrusted)


class InvalidMetadata(DirectoryUnavailable):
    """The SMP's answer is refused: it is unsigned, not trusted, or not what was asked for."""


class Smp:
    """Asks SMPs of one network. Safe to share between threads."""

    def __init__(
        self, trust: Trust, policy: Policy, *, limits: Limits = _LIMITS, ca_file: str | None = None
    ) -> None:
        self._trust = trust
        self._policy = policy
        self._https_only = policy.https_only
        self._http = Client(policy, limits=limits, ca_file=ca_file)

    def document_types(
        self, base: str, participant: ParticipantId
    ) -> tuple[DocumentTypeId, ...] | NotRegistered:
        """The document types that a participant takes.

        Raises DirectoryUnavailable, also as InvalidMetadata.
        """
        content = self._content(f"{base}/{_segment(participant)}")
        if isinstance(content, _Absent):
            return NotRegistered()
        try:
            root = xml.parse(content, max_bytes=MAX_BYTES)
            return smp_documents.document_types(root, participant)
        except (xml.NotXml, InvalidDocument) as fault:
            raise InvalidMetadata(f"the answer of the SMP is refused: {fault}") from fault

    def endpoint(
        self,
        base: str,
        participant: ParticipantId,
        document_type: DocumentTypeId,
        process: ProcessId,
    ) -> Endpoint | NotOffered:
        """Where documents of a type are sent; the certificate there is checked.

        document_type  as it is registered: a wildcard is not resolved here

        Raises DirectoryUnavailable, also as InvalidMetadata.
        """
        address = f"{base}/{_segment(participant)}/services/{quote(str(document_type), safe='')}"
        try:
            found, _ = self._metadata(address, participant, document_type, process)
            if isinstance(found, Redirect):
                found = self._redirected(found, participant, document_type, process)
            if isinstance(found, Endpoint):
                self._check(found)
        except _REFUSALS as fault:
            raise InvalidMetadata(f"the answer of the SMP is refused: {fault}") from fault
        return found

    def _redirected(
        self,
        redirect: Redirect,
        participant: ParticipantId,
        document_type: DocumentTypeId,
        process: ProcessId,
    ) -> Endpoint | NotOffered:
        found, signer = self._metadata(redirect.address, participant, document_type, process)
        if isinstance(found, Redirect):
            raise InvalidDocument("it redirects a second time")
        if signer is not None and redirect.certificate_uid not in _uids(signer):
            raise InvalidDocument(
                f"the SMP of the redirect is {subject(signer)}, "
                f"not {redirect.certificate_uid[:100]!r}"
            )
        return found

    def _metadata(
        self,
        address: str,
        participant: ParticipantId,
        document_type: DocumentTypeId,
        process: ProcessId,
    ) -> tuple[Endpoint | Redirect | NotOffered, x509.Certificate | None]:
        """The signed metadata at an address, and its signer."""
        content = self._content(address)
        if isinstance(content, _Absent):
            return NotOffered(TYPE_ABSENT, may_return=content.is_page), None
        now = clock.now()
        root, signer = verified(content, MAX_BYTES, lambda each: self._trust.check_smp(each, now))
        found = smp_documents.metadata(root, participant, document_type, process, now)
        return found, signer

    def _check(self, endpoint: Endpoint) -> None:
        try:
            self._policy.check_url(endpoint.address)
        except HttpFault as fault:
            raise InvalidDocument(f"the address of the access point is refused: {fault}") from fault
        self._trust.check_access_point(endpoint.certificate, clock.now())

    def _content(self, address: str) -> bytes | _Absent:
        """The body at an address, or that there is nothing."""
        try:
            address = self._secured(address)
            response = self._response(address)
            if response.status in _MOVED:
                response = self._response(self._moved_to(address, response))
        except ValueError as fault:  # what is no URL, as http://[::
            raise DirectoryUnavailable(f"the address of the SMP is refused: {fault}") from fault
        if response.status in _ABSENT:
            return _Absent(_is_page(response))
        if response.status != 200:
            raise DirectoryUnavailable(f"the SMP answers with HTTP status {response.status}")
        return response.body

    def _response(self, address: str) -> Response:
        try:
            return self._http.send("GET", address, headers={"accept": "application/xml"})
        except HttpFault as fault:
            raise DirectoryUnavailable(f"the SMP does not answer: {fault}") from fault

    def _secured(self, address: str) -> str:
        """The address; where only https is allowed, that of the same host over https."""
        parts = urlsplit(address)
        if not self._https_only or parts.scheme != "http":
            return address
        return parts._replace(scheme="https", netloc=parts.netloc.removesuffix(":80")).geturl()

    def _moved_to(self, address: str, response: Response) -> str:
        """Where a redirect of HTTP leads. Raises DirectoryUnavailable for another host."""
        here = urlsplit(address)
        target = self._secured(urljoin(address, response.headers.get("location", "").strip()))
        there = urlsplit(target)
        is_secured = (here.scheme, there.scheme) == ("http", "https")
        is_same = there.hostname == here.hostname if is_secured else there[:2] == here[:2]
        if not is_same or target == address:
            raise DirectoryUnavailable(
                f"the SMP answers with HTTP status {response.status}, to another host"
            )
        return target


@dataclass(frozen=True, slots=True)
class _Absent:
    """404 or 410. `is_page`: with a page for people, which may be of a proxy before the SMP."""

    is_page: bool


def _is_page(response: Response) -> bool:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind == "text/html" or response.body.lstrip()[:20].lower().startswith(_PAGES)


def _segment(participant: ParticipantId) -> str:
    """A participant as one segment of a path, for example iso6523-actorid-upis%3A%3A0208%3A01."""
    return quote(f"{SCHEME}::{participant.canonical}", safe="")


_UID_ATTRIBUTES: Final = (NameOID.COMMON_NAME, NameOID.USER_ID, NameOID.SERIAL_NUMBER)


def _uids(certificate: x509.Certificate) -> set[str]:
    """The names of a CertificateUID: SMPs write the seat id, a UID, or the whole subject."""
    name = certificate.subject
    single = {
        str(each.value) for kind in _UID_ATTRIBUTES for each in name.get_attributes_for_oid(kind)
    }
    return single | {seat_id(certificate), name.rfc4514_string()}
