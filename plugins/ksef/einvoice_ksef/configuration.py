"""The settings of the plugin, for the test and the production environment of KSeF."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography import x509

from einvoice.domain.environments import Environment
from einvoice.http import Blocked, Policy
from einvoice.network.settings import Setting
from einvoice_ksef.identity import Identity, InvalidIdentity, loaded

API_VERSION: Final = "2.7.0"  # for which the plugin is written
TEST_URL: Final = "https://api-test.ksef.mf.gov.pl/v2"
DEMO_URL: Final = "https://api-demo.ksef.mf.gov.pl/v2"
LIVE_URL: Final = "https://api.ksef.mf.gov.pl/v2"
_P: Final = "EINVOICE_KSEF_"
_PEPPOL_ID: Final = re.compile(r"P[A-Z]{2}[0-9]{6}", re.ASCII)


class InvalidConfiguration(ValueError):
    """Settings that are wrong. The message names them."""


@dataclass(frozen=True, slots=True)
class Provider:
    """The operator as a provider of Peppol services: its id, such as PPL123456, and certificate."""

    id: str
    identity: Identity


@dataclass(frozen=True, slots=True)
class Side:
    """One environment of KSeF.

    url          address of the calls, without a slash at the end
    third_party  whether invoices are fetched that name the taxpayer as a third party
    signers      certificates that the ministry seals UPO with, or their issuers; empty: any
    provider     who sends PEF; None: PEF is not sent
    session_upo  whether the UPO of whole sessions are kept, too
    """

    environment: Environment
    url: str
    third_party: bool = False
    signers: tuple[x509.Certificate, ...] = ()
    provider: Provider | None = None
    session_upo: bool = False

    @property
    def name(self) -> str:
        """The name of the access point. DEMO has invoices of its own, and its own QR codes."""
        return "ksef-demo" if self.url == DEMO_URL else f"ksef-{self.environment}"

    @property
    def policy(self) -> Policy:
        """In the test environment also http and private addresses, for a stand-in."""
        live = self.environment is Environment.LIVE
        return Policy(https_only=live, allow_private=not live)


def settings_of() -> Iterator[Setting]:
    """The settings of both environments."""
    yield Setting(f"{_P}TEST", "Offer the sandbox", type=bool, default=False)
    yield Setting(f"{_P}LIVE", "Offer the production environment", type=bool, default=False)
    yield Setting(f"{_P}DEMO", "The sandbox is DEMO, not TEST", type=bool, default=False)
    yield Setting(f"{_P}TEST_URL", "Calls of the sandbox, in place of TEST or DEMO")
    yield Setting(
        f"{_P}THIRD_PARTY",
        "Fetch invoices that name the tenant as a third party too",
        type=bool,
        default=False,
    )
    yield Setting(
        f"{_P}SESSION_UPO", "Keep the UPO of whole sessions, too", type=bool, default=False
    )
    yield Setting(f"{_P}LIVE_URL", "Calls of production", default=LIVE_URL)
    yield Setting(f"{_P}SIGNERS", "PEM file of certificates that UPO are sealed with, or issuers")
    for environment in Environment:
        yield from _provider_settings(f"{_P}{environment.upper()}_PEPPOL")


def _provider_settings(name: str) -> Iterator[Setting]:
    yield Setting(f"{name}_ID", "Id of the operator as a provider of Peppol services, to send PEF")
    yield Setting(f"{name}_CERTIFICATE", "File of the provider's certificate, PEM or PKCS#12")
    yield Setting(f"{name}_KEY", "PEM file of its private key, where it is a file of its own")
    yield Setting(f"{name}_PASSWORD", "Password of the private key", secret=True)


def sides(settings: Mapping[str, Any]) -> list[Side]:
    """The environments that are switched on. Raises InvalidConfiguration."""
    chosen = [each for each in Environment if settings[f"{_P}{each.upper()}"]]
    return [_side(environment, settings) for environment in chosen]


def _side(environment: Environment, settings: Mapping[str, Any]) -> Side:
    name = f"{_P}{environment.upper()}_URL"
    usual = DEMO_URL if settings[f"{_P}DEMO"] else TEST_URL
    url = (settings[name] or usual).rstrip("/")
    signers = _certificates(settings[f"{_P}SIGNERS"])
    provider = _provider(f"{_P}{environment.upper()}_PEPPOL", settings)
    side = Side(
        environment,
        url,
        settings[f"{_P}THIRD_PARTY"],
        signers,
        provider,
        session_upo=settings[f"{_P}SESSION_UPO"],
    )
    try:
        side.policy.check_url(side.url)
    except Blocked as fault:
        raise InvalidConfiguration(f"{name}: {fault}") from fault
    return side


def _certificates(file: str | None) -> tuple[x509.Certificate, ...]:
    if not file:
        return ()
    try:
        return tuple(x509.load_pem_x509_certificates(Path(file).read_bytes()))
    except (OSError, ValueError) as fault:
        raise InvalidConfiguration(f"{_P}SIGNERS: {fault}") from fault


def _provider(name: str, settings: Mapping[str, Any]) -> Provider | None:
    """The provider of Peppol services, if the settings name one. Raises InvalidConfiguration."""
    peppol_id, certificate = settings[f"{name}_ID"], settings[f"{name}_CERTIFICATE"]
    if not peppol_id and not certificate:
        return None
    if not peppol_id or _PEPPOL_ID.fullmatch(peppol_id) is None:
        words = "is not the id of a provider, such as PPL123456" if peppol_id else "is missing"
        raise InvalidConfiguration(f"{name}_ID {words}")
    if not certificate:
        raise InvalidConfiguration(f"{name}_CERTIFICATE is missing")
    files = (certificate, settings[f"{name}_KEY"])
    try:
        cert, key = (base64.b64encode(Path(file).read_bytes()) if file else b"" for file in files)
        identity = loaded(cert.decode(), key.decode(), settings[f"{name}_PASSWORD"] or "")
    except (OSError, InvalidIdentity) as fault:
        raise InvalidConfiguration(f"{name}_CERTIFICATE: {fault}") from fault
    return Provider(peppol_id, identity)
