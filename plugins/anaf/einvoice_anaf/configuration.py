"""The settings of the plugin, for the test and the production environment of the authority."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cryptography import x509

from einvoice.domain.environments import Environment
from einvoice.http import Blocked, Policy
from einvoice.network.settings import Setting

OAUTH_URL: Final = "https://logincert.anaf.ro/anaf-oauth2/v1"
_URLS: Final = {
    Environment.TEST: "https://api.anaf.ro/test/FCTEL/rest",
    Environment.LIVE: "https://api.anaf.ro/prod/FCTEL/rest",
}
_P: Final = "EINVOICE_ANAF_"


class InvalidConfiguration(ValueError):
    """Settings that are missing or wrong. The message names them."""


@dataclass(frozen=True, slots=True)
class Side:
    """One environment of the authority.

    url            address of the calls, without a slash at the end
    authorise_url  where a person consents; token_url: where codes and tokens are exchanged;
                   revoke_url: where tokens are revoked
    signers        certificates that the authority signs with, or their issuers; empty: any
    """

    environment: Environment
    url: str
    authorise_url: str
    token_url: str
    revoke_url: str
    client_id: str
    client_secret: str = field(repr=False)
    signers: tuple[x509.Certificate, ...] = ()

    @property
    def name(self) -> str:
        """The name of the access point."""
        return f"anaf-{self.environment}"

    @property
    def policy(self) -> Policy:
        """In the test environment also http and private addresses, for a stand-in."""
        live = self.environment is Environment.LIVE
        return Policy(https_only=live, allow_private=not live)


def settings_of() -> Iterator[Setting]:
    """The settings of both environments."""
    yield Setting(f"{_P}CLIENT_ID", "Client id of the application registered at ANAF")
    yield Setting(f"{_P}CLIENT_SECRET", "Its client secret", secret=True)
    yield Setting(f"{_P}TEST", "Offer the test environment", type=bool, default=False)
    yield Setting(f"{_P}LIVE", "Offer the production environment", type=bool, default=False)
    yield Setting(f"{_P}TEST_URL", "Calls of test", default=_URLS[Environment.TEST])
    yield Setting(f"{_P}LIVE_URL", "Calls of production", default=_URLS[Environment.LIVE])
    yield Setting(f"{_P}OAUTH_URL", "The OAuth server", default=OAUTH_URL)
    yield Setting(f"{_P}SIGNERS", "PEM file of certificates that ANAF signs with, or their issuers")


def sides(settings: Mapping[str, Any]) -> list[Side]:
    """The environments that are switched on. Raises InvalidConfiguration."""
    chosen = [each for each in Environment if settings[f"{_P}{each.upper()}"]]
    return [_side(environment, settings) for environment in chosen]


def _side(environment: Environment, settings: Mapping[str, Any]) -> Side:
    for name in ("CLIENT_ID", "CLIENT_SECRET"):
        if not settings[f"{_P}{name}"]:
            raise InvalidConfiguration(f"{_P}{name} is missing for the {environment} environment")
    oauth = settings[f"{_P}OAUTH_URL"].rstrip("/")
    side = Side(
        environment,
        settings[f"{_P}{environment.upper()}_URL"].rstrip("/"),
        f"{oauth}/authorize",
        f"{oauth}/token",
        f"{oauth}/revoke",
        settings[f"{_P}CLIENT_ID"],
        settings[f"{_P}CLIENT_SECRET"],
        _certificates(settings[f"{_P}SIGNERS"]),
    )
    _check_url(f"{_P}{environment.upper()}_URL", side.url, side.policy)
    _check_url(f"{_P}OAUTH_URL", side.token_url, side.policy)
    return side


def _check_url(name: str, url: str, policy: Policy) -> None:
    try:
        policy.check_url(url)
    except Blocked as fault:
        raise InvalidConfiguration(f"{name}: {fault}") from fault


def _certificates(file: str | None) -> tuple[x509.Certificate, ...]:
    if not file:
        return ()
    try:
        return tuple(x509.load_pem_x509_certificates(Path(file).read_bytes()))
    except (OSError, ValueError) as fault:
        raise InvalidConfiguration(f"{_P}SIGNERS: {fault}") from fault
