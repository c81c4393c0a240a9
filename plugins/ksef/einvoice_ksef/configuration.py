"""The settings of the plugin, for the test and the production environment of KSeF."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography import x509

from einvoice.domain.environments import Environment
from einvoice.http import Blocked, Policy
from einvoice.network.settings import Setting

API_VERSION: Final = "2.7.0"  # for which the plugin is written
TEST_URL: Final = "https://api-test.ksef.mf.gov.pl/v2"
DEMO_URL: Final = "https://api-demo.ksef.mf.gov.pl/v2"
LIVE_URL: Final = "https://api.ksef.mf.gov.pl/v2"
_P: Final = "EINVOICE_KSEF_"


class InvalidConfiguration(ValueError):
    """Settings that are wrong. The message names them."""


@dataclass(frozen=True, slots=True)
class Side:
    """One environment of KSeF.

    url          address of the calls, without a slash at the end
    third_party  whether invoices are fetched that name the taxpayer as a third party
    signers      certificates that the ministry seals UPO with, or their issuers; empty: any
    """

    environment: Environment
    url: str
    third_party: bool = False
    signers: tuple[x509.Certificate, ...] = ()

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
    yield Setting(f"{_P}LIVE_URL", "Calls of production", default=LIVE_URL)
    yield Setting(f"{_P}SIGNERS", "PEM file of certificates that UPO are sealed with, or issuers")


def sides(settings: Mapping[str, Any]) -> list[Side]:
    """The environments that are switched on. Raises InvalidConfiguration."""
    chosen = [each for each in Environment if settings[f"{_P}{each.upper()}"]]
    return [_side(environment, settings) for environment in chosen]


def _side(environment: Environment, settings: Mapping[str, Any]) -> Side:
    name = f"{_P}{environment.upper()}_URL"
    usual = DEMO_URL if settings[f"{_P}DEMO"] else TEST_URL
    url = (settings[name] or usual).rstrip("/")
    signers = _certificates(settings[f"{_P}SIGNERS"])
    side = Side(environment, url, settings[f"{_P}THIRD_PARTY"], signers)
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
