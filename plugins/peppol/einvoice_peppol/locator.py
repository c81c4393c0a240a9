"""The client of the SML: registers an SMP and its participants (BDMSL).

Source: Peppol SML 1.3.0 (`http://busdox.org/serviceMetadata/locator/1.0/`, SOAP 1.1) and requests
of peppol-sml-client. The SML knows an SMP by its TLS client certificate.

>>> is_key("AbCdEf12#%"), is_key("abcdef12#%")
(True, False)
"""

from __future__ import annotations

import os
import secrets
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from lxml import etree

from einvoice import xml
from einvoice.domain.identifiers import ParticipantId
from einvoice.http import Client, HttpFault, Limits, Policy, Response
from einvoice_peppol.identity import Identity
from einvoice_peppol.sml import SCHEME
from einvoice_peppol.xml_text import text

LOCATOR: Final = "http://busdox.org/serviceMetadata/locator/1.0/"
IDS: Final = "http://busdox.org/transport/identifiers/1.0/"
SOAP: Final = "http://schemas.xmlsoap.org/soap/envelope/"
SMPS: Final = "manageservicemetadata"
PARTICIPANTS: Final = "manageparticipantidentifier"
# The second one has the blanks of the WSDL, which the SML compares.
ACTIONS: Final = {
    SMPS: "http://busdox.org/serviceMetadata/ManageServiceMetadataService/1.0/:",
    PARTICIPANTS: "http://busdox.org/serviceMetadata/ManageBusinessIdentifierService/1.0/"
    "         :",
}
MAX_BYTES: Final = 4 << 20
MAX_PAGES: Final = 10_000
_LIMITS: Final = Limits(connect=5.0, read=15.0, total=15.0, answer_bytes=MAX_BYTES)

# The rules of the SML for a migration key.
SPECIAL: Final = "@#$%()[]{}*^-!~|+="
KEY_LENGTHS: Final = range(8, 25)


class LocatorAway(Exception):
    """The SML gave no answer that can be used. The message says why."""


class LocatorRefused(Exception):
    """The SML refuses the request, in its own words."""


class NotAuthorized(LocatorRefused):
    """The SML does not let this SMP do it: another one has the participant, or it knows us not."""


class Unregistered(LocatorRefused):
    """The SML does not know the SMP or the participant."""


_FAULTS: Final = {
    "UnauthorizedFault": NotAuthorized,
    "NotFoundFault": Unregistered,
    "BadRequestFault": LocatorRefused,
}


@dataclass(frozen=True, slots=True)
class RegisteredSmp:
    """An SMP as the SML knows it."""

    id: str
    logical_address: str
    physical_address: str


def new_key() -> str:
    """A migration key that nobody can guess."""
    while True:
        letters = string.ascii_letters + string.digits + SPECIAL
        key = "".join(secrets.choice(letters) for _ in range(24))
        if is_key(key) and key[0].isalnum():  # what begins with a hyphen is an option of a command
            return key


def is_key(key: str) -> bool:
    """Whether the SML takes a migration key: two of each kind of characters, and no other ones."""
    kinds = (string.ascii_lowercase, string.ascii_uppercase, string.digits, SPECIAL)
    counts = [sum(each in kind for each in key) for kind in kinds]
    return len(key) in KEY_LENGTHS and min(counts) >= 2 and sum(counts) == len(key)


class Locator:
    """The SML, for one SMP. Safe to share between threads.

    address   of the interface
    smp_id    the id of the SMP there
    identity  the certificate of the SMP, for TLS
    """

    def __init__(
        self,
        address: str,
        smp_id: str,
        identity: Identity,
        policy: Policy,
        ca_file: str | None = None,
    ) -> None:
        self._address, self._smp = address.rstrip("/"), smp_id
        self._certificate = ClientCertificate(identity) if address.startswith("https:") else None
        self._http = Client(
            policy,
            limits=_LIMITS,
            ca_file=ca_file,
            client_certificate=None if self._certificate is None else self._certificate.paths,
        )

    # -- the SMP -----------------------------------------------------------------------------------

    def create_smp(self, address: str, physical: str = "0.0.0.0") -> None:  # noqa: S104 - unused
        """Register the SMP with its public address. `physical`: no record is made of it."""
        self._call(SMPS, "create", _smp("CreateServiceMetadataPublisherService", self._smp,
                                        address, physical))  # fmt: skip

    def update_smp(self, address: str, physical: str = "0.0.0.0") -> None:  # noqa: S104 - unused
        """Change the address of the SMP, for all its participants."""
        self._call(SMPS, "update", _smp("UpdateServiceMetadataPublisherService", self._smp,
                                        address, physical))  # fmt: skip

    def read_smp(self) -> RegisteredSmp:
        """The SMP as the SML knows it. Raises Unregistered."""
        body = _element("ReadServiceMetadataPublisherService", _id(self._smp))
        found = self._call(SMPS, "read", body)
        names = ("ServiceMetadataPublisherID", "LogicalAddress", "PhysicalAddress")
        values = [_found(found, name) for name in names]
        return RegisteredSmp(*values)

    def delete_smp(self) -> None:
        """End the registration of the SMP, and of all its participants."""
        body = f'<ServiceMetadataPublisherID xmlns="{LOCATOR}" xmlns:ns2="{IDS}">'
        self._call(SMPS, "delete", f"{body}{text(self._smp)}</ServiceMetadataPublisherID>")

    # -- participants ------------------------------------------------------------------------------

    def create(self, participant: ParticipantId) -> None:
        """Register a participant with the SMP. Refused if any SMP has it."""
        content = _id(self._smp) + _participant(participant)
        self._call(PARTICIPANTS, "create", _element("CreateParticipantIdentifier", content))

    def create_list(self, participants: Sequence[ParticipantId]) -> None:
        """Register several participants, all or none."""
        content = "".join(map(_participant, participants)) + _id(self._smp)
        self._call(PARTICIPANTS, "createList", _element("CreateList", content))

    def list(self) -> Iterator[str]:
        """The participants of the SMP, as the SML has them: `0208:0123456749`, page by page."""
        page = ""
        for _ in range(MAX_PAGES):
            content = f"{_id(self._smp)}<NextPageIdentifier>{text(page)}</NextPageIdentifier>"
            found = self._call(PARTICIPANTS, "list", _element("PageRequest", content))
            for each in found.iter(f"{{{IDS}}}ParticipantIdentifier"):
                yield (each.text or "").strip()
            page = (found.findtext(f".//{{{LOCATOR}}}NextPageIdentifier") or "").strip()
            if not page:
                return

    def delete(self, participant: ParticipantId) -> None:
        """End the registration of a participant."""
        content = _id(self._smp) + _participant(participant)
        self._call(PARTICIPANTS, "delete", _element("DeleteParticipantIdentifier", content))

    def prepare_to_migrate(self, participant: ParticipantId, key: str) -> None:
        """Let another SMP take over a participant by this key."""
        body = _element("PrepareMigrationRecord", self._migration(participant, key))
        self._call(PARTICIPANTS, "prepareMigrate", body)

    def migrate(self, participant: ParticipantId, key: str) -> None:
        """Take over a participant from another SMP by its key."""
        body = _element("CompleteMigrationRecord", self._migration(participant, key))
        self._call(PARTICIPANTS, "migrate", body)

    def _migration(self, participant: ParticipantId, key: str) -> str:
        shown = f"<MigrationKey>{text(key)}</MigrationKey>"
        return _id(self._smp) + _participant(participant) + shown

    # -- calls -------------------------------------------------------------------------------------

    def _call(self, service: str, operation: str, body: str) -> etree._Element:
        """The answer to an operation. Raises LocatorAway, LocatorRefused."""
        headers = {
            "content-type": "text/xml; charset=utf-8",
            "soapaction": f'"{ACTIONS[service]}{operation}In"',
        }
        try:
            response = self._http.send(
                "POST", f"{self._address}/{service}", headers=headers, body=envelope(body)
            )
        except HttpFault as fault:
            raise LocatorAway(f"the SML does not answer: {fault}") from fault
        return _answer(response)


def envelope(body: str) -> bytes:
    """A SOAP message."""
    start = '<?xml version="1.0" encoding="UTF-8"?>'
    return f'{start}<S:Envelope xmlns:S="{SOAP}"><S:Body>{body}</S:Body></S:Envelope>'.encode()


def _element(name: str, content: str) -> str:
    return f'<{name} xmlns="{LOCATOR}" xmlns:ns2="{IDS}">{content}</{name}>'


def _id(smp_id: str) -> str:
    return f"<ServiceMetadataPublisherID>{text(smp_id)}</ServiceMetadataPublisherID>"


def _smp(name: str, smp_id: str, address: str, physical: str) -> str:
    logical = urlsplit(address).geturl()
    place = (
        f"<PublisherEndpoint><LogicalAddress>{text(logical)}</LogicalAddress>"
        f"<PhysicalAddress>{text(physical)}</PhysicalAddress></PublisherEndpoint>"
    )
    return _element(name, place + _id(smp_id))


def _participant(participant: ParticipantId) -> str:
    return (
        f'<ns2:ParticipantIdentifier scheme="{SCHEME}">{text(participant.canonical)}'
        "</ns2:ParticipantIdentifier>"
    )


def _answer(response: Response) -> etree._Element:
    """The body of the answer. Raises LocatorAway, LocatorRefused."""
    if response.status in (401, 403):
        raise NotAuthorized(f"the SML refuses our certificate (HTTP status {response.status})")
    try:
        root = xml.parse(response.body, max_bytes=MAX_BYTES)
    except xml.NotXml as fault:
        if response.status in (200, 202, 204) and not response.body.strip():
            return etree.Element("empty")  # the answer of an operation without a result
        status = f"the SML answers with HTTP status {response.status}, and no SOAP"
        raise LocatorAway(status) from fault
    fault_element = root.find(f".//{{{SOAP}}}Fault")
    if fault_element is not None:
        raise _refusal(fault_element)
    if response.status != 200 or root.tag != f"{{{SOAP}}}Envelope":
        raise LocatorAway(f"the SML answers with HTTP status {response.status}, and no SOAP")
    return root


def _refusal(fault: etree._Element) -> LocatorAway | LocatorRefused:
    """The message of a fault. One without a kind of its own, and InternalErrorFault, may pass."""
    said = fault.findtext(f".//{{{LOCATOR}}}FaultMessage") or fault.findtext("faultstring") or ""
    shown = " ".join(said.split())[:300]
    for each in fault.iter():
        if isinstance(each.tag, str) and (kind := _FAULTS.get(etree.QName(each).localname)):
            return kind(shown)
    return LocatorAway(f"the SML has failed: {shown}")


def _found(root: etree._Element, name: str) -> str:
    return (root.findtext(f".//{{{LOCATOR}}}{name}") or "").strip()


class ClientCertificate:
    """Certificate and key as a file that TLS can open, and that is on no disk."""

    def __init__(self, identity: Identity) -> None:
        if not isinstance(identity.key, rsa.RSAPrivateKey):
            raise ValueError("the key of an SMP cannot be in a token: TLS reads it from a file")
        self._file = os.memfd_create("smp")
        pem = identity.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        os.write(self._file, pem + identity.certificate.public_bytes(Encoding.PEM))
        path = f"/proc/self/fd/{self._file}"
        self.paths = (path, path)

    def __del__(self) -> None:
        os.close(self._file)
