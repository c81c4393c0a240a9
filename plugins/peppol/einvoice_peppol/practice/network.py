"""A whole practice network: authorities, an SMP, DNS, and the settings of each access point.

All of it is made in a directory and on 127.0.0.1, and ends with the process. Its certificates are
trusted by nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from einvoice import clock
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    DocumentTypeId,
    ParticipantId,
    ProcessId,
)
from einvoice.domain.tax_data import SPECIFICATIONS
from einvoice_peppol import entry_routes, invoice_response, mls, sbdh
from einvoice_peppol.configuration import OWN, configured
from einvoice_peppol.practice import dns, sml, tax_authority
from einvoice_peppol.practice.authorities import Authority, Leaf
from einvoice_peppol.practice.sml import Registry
from einvoice_peppol.practice.smp import (
    Publisher,
    endpoint,
    group,
    information,
    path_of,
    served,
    signed,
)
from einvoice_peppol.practice.tax_authority import TaxAuthority
from einvoice_peppol.stages import TEST
from einvoice_peppol.tax_authorities import TAX_PROCESS, TAX_TYPES

_PREFIX: Final = "EINVOICE_PEPPOL_TEST_"
PRACTICE_SMP: Final = "PRACTICE"
OF_PARTICIPANTS: Final = (
    (BIS_INVOICE, BIS_BILLING_PROCESS),
    (BIS_CREDIT_NOTE, BIS_BILLING_PROCESS),
    (invoice_response.DOCUMENT_TYPE, invoice_response.PROCESS),
)
PINT_SCHEMES: Final = frozenset({"0235", "0248"})  # of countries whose documents are PINT
OF_PROVIDERS: Final = ((mls.DOCUMENT_TYPE, mls.PROCESS),)
AUTHORITY_SEAT: Final = "POP000900"  # of the stand-in of tax authorities
_AUTHORITY_ID: Final = "PRACTICE"  # as Slovak reports name it
_RENEWED: Final = timedelta(days=800)  # until the end of a renewed certificate, the last of all
_FIRST_DAY: Final = "2026-01-01"


class UnknownSeat(Exception):
    """A participant is given to an access point that is not one of the network."""


class HasCertificate(Protocol):
    """An authority, or the holder of a certificate."""

    @property
    def certificate(self) -> x509.Certificate: ...


@dataclass(frozen=True, slots=True)
class AccessPoint:
    """A service in the network: its seat id and its address, for example http://127.0.0.1:8000."""

    seat: str
    address: str

    @property
    def endpoint(self) -> str:
        """Where it takes AS4 messages."""
        return f"{self.address.rstrip('/')}/networks/{TEST.name}/"

    @property
    def smp(self) -> str:
        """Where its own SMP answers."""
        return f"{self.address.rstrip('/')}/networks/{TEST.name}-smp"


@dataclass(frozen=True, slots=True)
class Renewed:
    """A further key and certificate of an access point, in a file; `publish` makes the SMP name it.

    The access point has to have the key before others encrypt for it.
    """

    file: Path
    publish: Callable[[], None]


@dataclass(frozen=True, slots=True)
class PracticeNetwork:
    """A network that runs.

    settings   the variables of each access point, by seat id
    renew      makes a further key and certificate of the access point with this seat id
    authority  the address of the stand-in of tax authorities, which shows its book; None: there is
               none
    """

    smp: str
    resolver: str
    settings: Mapping[str, Mapping[str, str]]
    renew: Callable[[str], Renewed]
    authority: str | None = None


@contextmanager
def running(
    folder: Path,
    access_points: Sequence[AccessPoint],
    participants: Mapping[ParticipantId, str],
    *,
    publishing: bool = False,
    countries: Sequence[str] = (),
) -> Iterator[PracticeNetwork]:
    """Make and serve a network until the block ends; keys and certificates are in the folder.

    participants  the seat id of the access point of each participant
    publishing    the network has an SML, and each access point an SMP of its own, which publishes
                  itself and what its service claims (`EINVOICE_PEPPOL_TEST_SMP=own`)
    countries     to whose tax authority the access points report: a stand-in of it is part of the
                  network (`tax_authority`)

    Otherwise each access point is also registered for Message Level Statuses. Raises NoDnsServer
    and UnknownSeat.
    """
    authorities = _Authorities()
    leaves = {one.seat: authorities.access_points.leaf(one.seat) for one in access_points}
    listed = _registered(access_points, participants, with_providers=not publishing)
    with served(Publisher()) as smp, ExitStack() as servers:
        for participant, one, routes in listed:
            address = endpoint(leaves[one.seat].certificate, one.endpoint)
            _register(smp, authorities.publisher, participant, address, routes)
        names = [participant for participant, *_ in listed]
        names += [mls.spid_of(AUTHORITY_SEAT)] if countries else []
        shared = authorities.settings(folder)
        if publishing:
            locator, resolver = servers.enter_context(sml.serving(_registry(smp.url, names)))
            shared |= {"SML": locator, "SMP": OWN, "SMP_CONTACT": "mailto:practice@example.com"}
        else:
            records = [dns.record_of(name, smp.url) for name in names]
            resolver = servers.enter_context(dns.serving([f"--local=/{dns.ZONE}/", *records]))
        shared |= {"RESOLVERS": resolver}
        authority = None
        if countries:
            leaf = authorities.access_points.leaf(AUTHORITY_SEAT)
            made = _authority(folder, leaf, shared)
            authority = servers.enter_context(tax_authority.serving(made))
            address = endpoint(leaf.certificate, f"{authority}/")
            routes = [(TAX_TYPES[country], TAX_PROCESS) for country in countries]
            seat = mls.spid_of(AUTHORITY_SEAT)
            _register(smp, authorities.publisher, seat, address, routes)
            shared |= _reports(countries)
        own = {one.seat: _settings(folder, one, leaves[one.seat], shared) for one in access_points}
        if publishing:
            for one in access_points:
                own[one.seat] |= _smp_settings(folder, one, authorities)
        renew = partial(_renewed, folder, authorities, smp, listed)
        yield PracticeNetwork(smp.url, resolver, own, renew, authority)


def _authority(folder: Path, leaf: Leaf, shared: Mapping[str, str]) -> TaxAuthority:
    """The stand-in of tax authorities, whose key is beside those of the access points."""
    own = _settings(folder, AccessPoint(AUTHORITY_SEAT, ""), leaf, shared)
    closed: dict[str, object] = {f"{_PREFIX}CLOSED": True}
    asked = ("KEYS", "ANCHORS", "CRLS", "ZONE", "RESOLVERS")
    given = {f"{_PREFIX}{name}": own[f"{_PREFIX}{name}"] for name in asked}
    network = configured(TEST, given | closed)
    if network is None:
        raise ValueError("the authority has no settings")
    return TaxAuthority(network)


def _reports(countries: Iterable[str]) -> dict[str, str]:
    """The settings of access points that report to these countries."""
    found: dict[str, str] = {}
    for country in countries:
        found |= {f"{country}_SEAT": AUTHORITY_SEAT, f"{country}_SINCE": _FIRST_DAY}
        if SPECIFICATIONS[country].names_authority:
            found[f"{country}_AUTHORITY"] = _AUTHORITY_ID
    return found


def _registry(address: str, participants: Iterable[ParticipantId]) -> Registry:
    """An SML that has these participants at the SMP of the network."""
    registry = Registry()
    registry.smps[PRACTICE_SMP] = address
    for participant in participants:
        registry.participants[participant.canonical] = PRACTICE_SMP
        registry.register_name(participant.canonical)
    return registry


def _smp_settings(
    folder: Path, access_point: AccessPoint, authorities: _Authorities
) -> dict[str, str]:
    """The variables of an access point's own SMP."""
    leaf = authorities.publishers.leaf(access_point.seat)
    path = _written(folder / f"{access_point.seat}-smp.pem", leaf)
    own = {"SMP_KEYS": str(path), "SMP_ID": access_point.seat, "SMP_ADDRESS": access_point.smp}
    return {f"{_PREFIX}{name}": value for name, value in own.items()}


class _Authorities:
    """The authorities of a network, and the certificate of its SMP."""

    def __init__(self) -> None:
        self.root = Authority("PRACTICE Root TEST CA")
        self.access_points = Authority("PRACTICE ACCESS POINT TEST CA", self.root)
        self.publishers = Authority("PRACTICE SERVICE METADATA PUBLISHER TEST CA", self.root)
        self.publisher = self.publishers.leaf("POP000000")

    def settings(self, folder: Path) -> dict[str, str]:
        """The settings that all access points of the network share, without their prefix."""
        anchors(folder / "anchors", self.access_points, self.publishers, self.root)
        lists = {
            folder / "access-points.crl": self.access_points.crl(),
            folder / "smps.crl": self.publishers.crl(),
        }
        for path, content in lists.items():
            path.write_bytes(content)
        return {
            "ANCHORS": str(folder / "anchors"),
            "CRLS": ",".join(str(path) for path in lists),
            "ZONE": dns.ZONE,
            "CLOSED": "true",
        }


def _settings(
    folder: Path, access_point: AccessPoint, leaf: Leaf, shared: Mapping[str, str]
) -> dict[str, str]:
    """The variables of an access point, whose key is written to a file of its owner only."""
    path = _written(folder / f"{access_point.seat}.pem", leaf)
    own = {"KEYS": str(path), "ENDPOINT": access_point.endpoint, "MLS_TYPE": sbdh.ALWAYS_SEND}
    return {f"{_PREFIX}{name}": value for name, value in (dict(shared) | own).items()}


def _written(path: Path, leaf: Leaf) -> Path:
    """The file with a key and its certificate, readable by its owner only."""
    path.touch(mode=0o600)
    path.write_bytes(key_pem(leaf) + certificates_pem(leaf))
    return path


_Routes = Sequence[tuple[DocumentTypeId, ProcessId]]
_Listed = Sequence[tuple[ParticipantId, AccessPoint, _Routes]]


def _renewed(
    folder: Path, authorities: _Authorities, smp: Publisher, listed: _Listed, seat: str
) -> Renewed:
    """A further key of an access point, whose certificate ends last."""
    end = clock.now().replace(microsecond=0) + _RENEWED
    leaf = authorities.access_points.leaf(seat, end=end)

    def publish() -> None:
        for participant, one, routes in listed:
            if one.seat == seat:
                address = endpoint(leaf.certificate, one.endpoint)
                _register(smp, authorities.publisher, participant, address, routes)

    file = folder / f"{seat}-{leaf.certificate.serial_number:x}.pem"
    return Renewed(_written(file, leaf), publish)


def _registered(
    access_points: Sequence[AccessPoint],
    participants: Mapping[ParticipantId, str],
    *,
    with_providers: bool,
) -> _Listed:
    """Who is registered, at which access point and for what."""
    by_seat = {one.seat: one for one in access_points}
    if unknown := set(participants.values()) - by_seat.keys():
        raise UnknownSeat(f"there is no access point {min(unknown)}")
    providers = [(mls.spid_of(one.seat), one, OF_PROVIDERS) for one in access_points]
    owned = [(each, by_seat[seat], _routes(each)) for each, seat in participants.items()]
    return [*(providers if with_providers else ()), *owned]


def _routes(participant: ParticipantId) -> _Routes:
    """The document types of a participant: of countries with PINT all that the service takes."""
    if participant.scheme in PINT_SCHEMES:
        return tuple(entry_routes.OF_PARTICIPANTS.items())
    return OF_PARTICIPANTS


def _register(
    smp: Publisher, signer: Leaf, participant: ParticipantId, address: str, routes: _Routes
) -> None:
    types = [document_type for document_type, _ in routes]
    smp.put(path_of(participant), group(participant, *types, base=smp.url))
    for document_type, process in routes:
        content = information(participant, address, document_type=document_type, process=process)
        smp.put(path_of(participant, document_type), signed(content, signer))


def key_pem(leaf: Leaf) -> bytes:
    """The private key in PEM, without a password."""
    return leaf.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def certificates_pem(*holders: HasCertificate) -> bytes:
    """Certificates in PEM, one after the other."""
    return b"".join(each.certificate.public_bytes(Encoding.PEM) for each in holders)


def anchors(
    folder: Path, access_points: HasCertificate, smps: HasCertificate, root: HasCertificate
) -> Path:
    """Write a directory of anchors of a closed network."""
    folder.mkdir(exist_ok=True)
    for name, authority in (("access-point", access_points), ("smp", smps), ("root", root)):
        (folder / f"{name}.pem").write_bytes(certificates_pem(authority))
    return folder
