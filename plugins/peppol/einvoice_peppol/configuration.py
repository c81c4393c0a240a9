"""The settings of the two networks, and what is made of them at the start.

Test and live differ in nothing else. A network without any setting is not offered; one that lacks
a part, or has the certificate of the other network, stops the start with all that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.http import HttpFault, Policy
from einvoice.network.plugin_store import PluginStore
from einvoice.network.settings import Setting
from einvoice_peppol import keys, sbdh, tax_authorities, tokens, trust
from einvoice_peppol.directory import Directory
from einvoice_peppol.identity import Identity
from einvoice_peppol.keys import InvalidKeys
from einvoice_peppol.known import Known
from einvoice_peppol.revocation import PUBLIC_LISTS, RevocationLists, given_lists
from einvoice_peppol.search import Search
from einvoice_peppol.sml import InvalidResolver, Sml
from einvoice_peppol.smp import Smp
from einvoice_peppol.stages import Stage
from einvoice_peppol.tax_authorities import Authority
from einvoice_peppol.tokens import InvalidToken, Token
from einvoice_peppol.trust import Anchors, MissingAnchors, Trust, Untrusted

STRICT, SOFT = "strict", "soft"
OWN = "own"  # in place of the address of an SMP
_SEAT = re.compile(r"P[A-Z]{2}[0-9]{6}", re.ASCII)


class InvalidConfiguration(Exception):
    """Settings of a network that cannot be used. The message says all that is wrong."""


@dataclass(frozen=True, slots=True)
class SmpSettings:
    """Where our participants are published.

    address   of the REST interface of an SMP; of our own SMP the public address
    contact   a URL of people who can be asked about our access point
    identity  of our own SMP: the certificate that signs, and by which the SML knows it; None: it is
              somebody else's, which knows `user` and `password`
    id        of our own SMP at the SML
    locator   address of the SML's interface
    cards     of our own SMP: the address of the Peppol Directory; None: there is none
    """

    address: str
    contact: str
    user: str = ""
    password: str = field(default="", repr=False)
    identity: Identity | None = None
    id: str = ""
    locator: str = ""
    cards: str | None = None


@dataclass(frozen=True, slots=True)
class Network:
    """A configured network.

    identities   the own certificates, one or two
    policy       where endpoints and SMPs may be
    tls_roots    a file of authorities for TLS in closed networks; None: the public ones
    own_address  the public address of our endpoint, if it is known
    search       the Peppol Directory; a closed network has one only if it is set
    mls_type     which Message Level Statuses our documents ask for; None: of failures only
    publisher    where participants are published; None: by hand
    smp_policy   where an SMP or SML may be that the operator has chosen
    authorities  the tax authorities to which documents are reported, by country
    """

    stage: Stage
    identities: tuple[Identity, ...]
    trust: Trust
    directory: Directory
    policy: Policy
    key_files: tuple[Path, ...]
    tls_roots: str | None = None
    own_address: str | None = None
    search: Search | None = None
    mls_type: str | None = None
    publisher: SmpSettings | None = None
    smp_policy: Policy = field(default_factory=lambda: Policy(allow_private=True))
    authorities: Mapping[str, Authority] = field(default_factory=dict)

    @property
    def identity(self) -> Identity:
        """The identity to sign with now."""
        return keys.signing(self.identities, clock.now())

    @property
    def seat(self) -> str:
        """The own seat id, for example POP000001."""
        return self.identities[0].seat


def settings_of(stage: Stage) -> Iterator[Setting]:
    """The settings of a network. Paths are separated by commas."""
    p = _prefix(stage)
    yield Setting(f"{p}KEYS", "PKCS#12 file, or PEM files, with key and certificate")
    yield Setting(f"{p}PASSWORD", "Password of the key", secret=True)
    yield Setting(f"{p}NEXT_KEYS", "The renewed key and certificate, while both are in use")
    yield Setting(f"{p}NEXT_PASSWORD", "Password of the renewed key", secret=True)
    yield Setting(f"{p}PKCS11_MODULE", "Library of a PKCS#11 token that holds the private keys")
    yield Setting(f"{p}PKCS11_TOKEN", "Label of the token")
    yield Setting(f"{p}PKCS11_PIN", "PIN of the token", secret=True)
    yield Setting(f"{p}SEAT_ID", "The seat id; must be that of the certificate")
    yield Setting(f"{p}ENDPOINT", "Public address of our AS4 endpoint, as the SMP names it")
    yield Setting(
        f"{p}MLS_TYPE",
        "Message Level Statuses that our documents ask for: FAILURE_ONLY or ALWAYS_SEND",
        default=sbdh.FAILURE_ONLY,
    )
    yield from publisher_settings(stage, p)
    yield from tax_authorities.settings(p)
    yield Setting(
        f"{p}DIRECTORY",
        "Address of the Peppol Directory, for searches by name and cards of our own SMP",
    )
    yield from lookup_settings(stage, p)


def publisher_settings(stage: Stage, p: str) -> Iterator[Setting]:
    """The settings of the SMP where our participants are published."""
    yield Setting(f"{p}SMP", "Address of the REST interface of a phoss SMP, or own: an SMP here")
    yield Setting(f"{p}SMP_USER", "User at the REST interface of the SMP")
    yield Setting(f"{p}SMP_PASSWORD", "Password of that user", secret=True)
    yield Setting(f"{p}SMP_CONTACT", "URL of people who can be asked: mailto:peppol@example.com")
    yield Setting(f"{p}SMP_ADDRESS", "Own SMP: its public address, as DNS names it")
    yield Setting(f"{p}SMP_ID", "Own SMP: its id at the SML")
    yield Setting(f"{p}SMP_KEYS", "Own SMP: file with key and certificate of the SMP")
    yield Setting(f"{p}SMP_KEYS_PASSWORD", "Own SMP: password of that key", secret=True)
    yield Setting(f"{p}SML", "Own SMP: address of the SML's interface", default=stage.locator)


def lookup_settings(stage: Stage, p: str) -> Iterator[Setting]:
    """The settings of lookups in a network, under the prefix `p`."""
    yield Setting(f"{p}ZONE", "DNS zone of the SML", default=stage.zone)
    yield Setting(f"{p}RESOLVERS", "Addresses of DNS servers; not set: those of the system")
    yield Setting(
        f"{p}ANCHORS", "Directory with access-point.pem, smp.pem and root.pem of a closed network"
    )
    yield Setting(
        f"{p}REVOCATION",
        "strict: refuse certificates whose revocation is unknown; soft: accept and log them",
        default=STRICT,
    )
    yield Setting(f"{p}CRLS", "Revocation lists of authorities that publish none")
    if stage.environment is Environment.TEST:
        yield Setting(
            f"{p}CLOSED",
            "Closed network: http, all ports and private addresses are allowed",
            type=bool,
            default=False,
        )
        yield Setting(f"{p}TLS_ROOTS", "File of authorities for TLS in a closed network")


def directory_of(
    stage: Stage, settings: Mapping[str, Any], prefix: str, store: PluginStore | None = None
) -> Directory:
    """The lookups of a network, by settings with the prefix. Raises InvalidConfiguration.

    store  where it is kept who was registered before; None: nowhere
    """
    own = _Settings(stage, settings, prefix, store)
    directory = own.directory(own.trust())
    if own.faults or directory is None:
        raise InvalidConfiguration("; ".join(own.faults))
    return directory


def configured(
    stage: Stage, settings: Mapping[str, Any], store: PluginStore | None = None
) -> Network | None:
    """The network of the settings; None if it has none. Raises InvalidConfiguration."""
    own = _Settings(stage, settings, _prefix(stage), store)
    if not own.is_any_given():
        return None
    identities = own.identities()
    trusted = own.trust()
    directory = own.directory(trusted)
    mls_type = own.mls_type()
    publisher = own.publisher(trusted)
    authorities = tax_authorities.configured(own.text, _prefix(stage), own.faults)
    if not own.faults:
        own.faults += _faults_of(identities, trusted, own.text("SEAT_ID"))
    if own.faults or directory is None:
        raise InvalidConfiguration("; ".join(own.faults))
    return Network(
        stage, identities, trusted, directory, own.policy(), own.key_files(),
        own.text("TLS_ROOTS"), own.text("ENDPOINT"), own.search(),
        mls_type, publisher, own.smp_policy(), authorities,
    )  # fmt: skip


def _prefix(stage: Stage) -> str:
    return f"EINVOICE_PEPPOL_{stage.environment.upper()}_"


class _Settings:
    """The settings of one network being read; `faults` collects what is wrong."""

    def __init__(
        self,
        stage: Stage,
        settings: Mapping[str, Any],
        prefix: str,
        store: PluginStore | None = None,
    ) -> None:
        self._stage, self._settings, self._p, self._store = stage, settings, prefix, store
        self.faults: list[str] = []

    def text(self, name: str) -> str | None:
        value = self._settings.get(self._p + name)
        return str(value) if value not in (None, "") else None

    def is_any_given(self) -> bool:
        """Whether one of its settings has another value than its default."""
        return any(
            self._settings.get(each.name) not in (None, each.default)
            for each in settings_of(self._stage)
        )

    def key_files(self) -> tuple[Path, ...]:
        """The files with private keys: none, where a token holds them."""
        if self.text("PKCS11_MODULE") is not None:
            return ()
        return (*self._paths("KEYS"), *self._paths("NEXT_KEYS"))

    def identities(self) -> tuple[Identity, ...]:
        if not self._paths("KEYS"):
            self.faults.append(
                f"{self._p}KEYS is missing: the file with the access point's key and certificate"
            )
            return ()
        found = []
        try:
            token = self._token()
        except InvalidToken as fault:
            self.faults.append(f"{self._p}PKCS11_MODULE: {fault}")
            return ()
        for name, password in (("KEYS", "PASSWORD"), ("NEXT_KEYS", "NEXT_PASSWORD")):
            if paths := self._paths(name):
                try:
                    found.append(
                        keys.of_token(paths, token)
                        if token
                        else keys.load(paths, self.text(password))
                    )
                except InvalidKeys as fault:
                    self.faults.append(f"{self._p}{name}: {fault}")
        return tuple(found)

    def _token(self) -> Token | None:
        """The token of the settings; None: keys are in files. Raises InvalidToken."""
        module, label, pin = (self.text(f"PKCS11_{name}") for name in ("MODULE", "TOKEN", "PIN"))
        if module is None:
            return None
        if label is None or pin is None:
            raise InvalidToken("PKCS11_TOKEN and PKCS11_PIN are required beside it")
        return tokens.token(Path(module), label, pin)

    def trust(self) -> Trust:
        access_points, smps = self._anchors()
        return Trust(access_points, smps, self._stage.environment, self._revocation())

    def directory(self, trusted: Trust) -> Directory | None:
        servers = self._list("RESOLVERS")
        try:
            sml = Sml(self.text("ZONE") or self._stage.zone, servers)
        except InvalidResolver as fault:
            self.faults.append(f"{self._p}RESOLVERS: {fault}")
            return None
        smp = Smp(trusted, self.policy(), ca_file=self.text("TLS_ROOTS"))
        return Directory(sml, smp, Known(self._store, self._stage.name))

    def search(self) -> Search | None:
        address = self._directory_address()
        return Search(address, self.policy(), self.text("TLS_ROOTS")) if address else None

    def _directory_address(self) -> str | None:
        """The address of the Peppol Directory; of another zone only where it is set."""
        address = self.text("DIRECTORY")
        if address is None and self.text("ZONE") in (None, self._stage.zone):
            return self._stage.directory
        return address

    def mls_type(self) -> str | None:
        wanted = self.text("MLS_TYPE") or sbdh.FAILURE_ONLY
        if wanted not in sbdh.MLS_TYPES:
            self.faults.append(
                f"{self._p}MLS_TYPE is {wanted!r}: it must be {' or '.join(sbdh.MLS_TYPES)}"
            )
        return None if wanted == sbdh.FAILURE_ONLY else wanted

    def publisher(self, trusted: Trust) -> SmpSettings | None:
        """Where our participants are published; None where no SMP is set."""
        place = self.text("SMP")
        if place is None:
            return None
        if self.text("ENDPOINT") is None:
            self.faults.append(f"{self._p}ENDPOINT is missing: the address that is published")
        contact = self._required("SMP_CONTACT", "a URL of people to ask, as mailto:…")
        if place == OWN:
            return self._own_publisher(contact, trusted)
        user = self._required("SMP_USER", "the user at the SMP")
        password = self._required("SMP_PASSWORD", "its password")
        try:
            self.smp_policy().check_url(place)
        except HttpFault as fault:
            self.faults.append(f"{self._p}SMP is neither {OWN} nor an address: {fault}")
        return SmpSettings(place.rstrip("/"), contact, user, password)

    def _own_publisher(self, contact: str, trusted: Trust) -> SmpSettings | None:
        address = self._required("SMP_ADDRESS", "the public address of the SMP")
        smp_id = self._required("SMP_ID", "the id of the SMP at the SML")
        locator = self.text("SML") or self._stage.locator
        try:
            self.policy().check_url(address)
        except HttpFault as fault:
            self.faults.append(f"{self._p}SMP_ADDRESS: {fault}")
        if not self._paths("SMP_KEYS"):
            self.faults.append(f"{self._p}SMP_KEYS is missing: key and certificate of the SMP")
            return None
        try:
            identity = keys.load(self._paths("SMP_KEYS"), self.text("SMP_KEYS_PASSWORD"))
            trusted.check_own_smp(identity.certificate)
        except (InvalidKeys, Untrusted) as fault:
            self.faults.append(f"{self._p}SMP_KEYS: {fault}")
            return None
        return SmpSettings(
            address.rstrip("/"),
            contact,
            identity=identity,
            id=smp_id,
            locator=locator,
            cards=self._directory_address(),
        )

    def _required(self, name: str, meaning: str) -> str:
        value = self.text(name)
        if value is None:
            self.faults.append(f"{self._p}{name} is missing: {meaning}")
        return value or ""

    def smp_policy(self) -> Policy:
        """Where an SMP or SML may be that the operator has chosen: also inside."""
        return Policy(https_only=not self._is_closed(), allow_private=True)

    def policy(self) -> Policy:
        if self._is_closed():
            return Policy(https_only=False, allow_private=True)
        return Policy(https_only=True, ports=(443,))

    def _is_closed(self) -> bool:
        return self._settings.get(self._p + "CLOSED") is True

    def _anchors(self) -> tuple[Anchors, Anchors]:
        folder = self.text("ANCHORS")
        try:
            if folder is not None:
                return trust.from_directory(Path(folder))
        except MissingAnchors as fault:
            self.faults.append(f"{self._p}ANCHORS: {fault}")
        return trust.published(self._stage.environment)

    def _revocation(self) -> RevocationLists:
        policy = self.text("REVOCATION") or STRICT
        if policy not in (STRICT, SOFT):
            self.faults.append(f"{self._p}REVOCATION is {policy!r}: it must be strict or soft")
        try:
            lists = given_lists(path.read_bytes() for path in self._paths("CRLS"))
        except (OSError, ValueError):
            self.faults.append(f"{self._p}CRLS: a file is no revocation list that can be read")
            lists = ()
        where = self.policy() if self._is_closed() else PUBLIC_LISTS
        data = self._settings.get("EINVOICE_DATA_DIR")
        folder = Path(data) / "peppol-crls" if data else None
        return RevocationLists(strict=policy == STRICT, given=lists, policy=where, folder=folder)

    def _paths(self, name: str) -> list[Path]:
        return [Path(each) for each in self._list(name)]

    def _list(self, name: str) -> list[str]:
        text = self.text(name) or ""
        return [each.strip() for each in text.split(",") if each.strip()]


def _faults_of(identities: Sequence[Identity], trusted: Trust, seat: str | None) -> Iterator[str]:
    """The faults of the own certificates; one that has expired is shown by the doctor."""
    for each in identities:
        if not _SEAT.fullmatch(each.seat):
            yield f"the certificate of {each.seat!r} is not that of an access point (a seat id)"
        if seat is not None and each.seat != seat:
            yield f"the certificate is that of {each.seat}, not of {seat}"
        try:
            trusted.check_own(each.certificate)
        except Untrusted as fault:
            yield f"the certificate of {each.seat} is refused: {fault}"
    if len({each.seat for each in identities}) > 1:
        yield "the two certificates have different seat ids"
