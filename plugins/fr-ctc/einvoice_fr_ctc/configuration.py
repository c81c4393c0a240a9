"""The settings of the plugin, for the test and the live environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from einvoice.domain.environments import Environment
from einvoice.http import Blocked, Policy
from einvoice.network.settings import Setting
from einvoice_fr_ctc.names import NETWORK

_P: Final = "EINVOICE_FR_CTC_"
MIN_POLL_SECONDS, MAX_POLL_SECONDS = 60, 86_400


class InvalidConfiguration(ValueError):
    """Settings that are missing or wrong. The message names them."""


class Handover(StrEnum):
    """The status of the life cycle with which an invoice is Delivered."""

    AVAILABLE = "available"  # 203, made available to the buyer
    RECEIVED = "received"  # 202, received by the buyer's platform


@dataclass(frozen=True, slots=True)
class DirectoryAccount:
    """The operator's account at the Directory Service of a platform."""

    url: str
    token_url: str
    client_id: str
    client_secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Side:
    """One environment.

    private    whether platforms may have http and private addresses
    directory  None: no directory, so receivers are not looked up
    hooks      the address of the service below which web-hooks are received; None: no web-hooks
    """

    environment: Environment
    private: bool = False
    handover: Handover = Handover.AVAILABLE
    poll_seconds: int = MIN_POLL_SECONDS
    directory: DirectoryAccount | None = None
    hooks: str | None = None

    @property
    def name(self) -> str:
        """The name of the access point, which is that of its endpoint too."""
        return NETWORK if self.environment is Environment.LIVE else f"{NETWORK}-{self.environment}"

    @property
    def policy(self) -> Policy:
        """For the addresses that tenants give."""
        return Policy(https_only=not self.private, allow_private=self.private)

    @property
    def operators_policy(self) -> Policy:
        """For the addresses that the operator gives."""
        live = self.environment is Environment.LIVE
        return Policy(https_only=live, allow_private=not live)


def settings_of() -> Iterator[Setting]:
    """The settings of both environments."""
    yield Setting(f"{_P}TEST", "Offer the test environment", type=bool, default=False)
    yield Setting(f"{_P}LIVE", "Offer the live environment", type=bool, default=False)
    yield Setting(
        f"{_P}TEST_PRIVATE",
        "Let test platforms have http and private addresses",
        type=bool,
        default=False,
    )
    yield Setting(
        f"{_P}DELIVERED",
        "When an invoice is Delivered: available (203) or received (202)",
        default=Handover.AVAILABLE.value,
    )
    yield Setting(
        f"{_P}POLL_SECONDS",
        "Seconds between two searches of a connection, at least 60",
        type=int,
        default=MIN_POLL_SECONDS,
    )
    yield Setting(f"{_P}HOOKS_URL", "Address of this service for web-hooks: https://…/networks")
    for side in Environment:
        of = f"{_P}{side.upper()}_DIRECTORY_"
        yield Setting(f"{of}URL", f"Directory Service of the {side} environment")
        yield Setting(f"{of}TOKEN_URL", "OAuth2 token endpoint of that directory")
        yield Setting(f"{of}CLIENT_ID", "Client id at that directory")
        yield Setting(f"{of}CLIENT_SECRET", "Its client secret", secret=True)


def sides(settings: Mapping[str, Any]) -> list[Side]:
    """The environments that are switched on. Raises InvalidConfiguration."""
    chosen = [each for each in Environment if settings[f"{_P}{each.upper()}"]]
    return [_side(environment, settings) for environment in chosen]


def _side(environment: Environment, settings: Mapping[str, Any]) -> Side:
    test = environment is Environment.TEST
    side = Side(
        environment,
        private=test and settings[f"{_P}TEST_PRIVATE"],
        handover=_handover(settings),
        poll_seconds=_poll_seconds(settings),
        directory=_directory(environment, settings),
        hooks=(settings[f"{_P}HOOKS_URL"] or "").rstrip("/") or None,
    )
    if side.directory is not None:
        for name, url in (("URL", side.directory.url), ("TOKEN_URL", side.directory.token_url)):
            _check(f"{_P}{environment.upper()}_DIRECTORY_{name}", url, side.operators_policy)
    if side.hooks is not None:
        _check(f"{_P}HOOKS_URL", side.hooks, Policy(https_only=not test, allow_private=test))
    return side


def _handover(settings: Mapping[str, Any]) -> Handover:
    try:
        return Handover(settings[f"{_P}DELIVERED"])
    except ValueError as fault:
        raise InvalidConfiguration(f"{_P}DELIVERED is available or received") from fault


def _poll_seconds(settings: Mapping[str, Any]) -> int:
    seconds: int = settings[f"{_P}POLL_SECONDS"]
    if not MIN_POLL_SECONDS <= seconds <= MAX_POLL_SECONDS:
        words = f"{_P}POLL_SECONDS is {MIN_POLL_SECONDS} to {MAX_POLL_SECONDS}"
        raise InvalidConfiguration(words)
    return seconds


def _directory(environment: Environment, settings: Mapping[str, Any]) -> DirectoryAccount | None:
    of = f"{_P}{environment.upper()}_DIRECTORY_"
    names = ("URL", "TOKEN_URL", "CLIENT_ID", "CLIENT_SECRET")
    values = [settings[f"{of}{name}"] for name in names]
    if not any(values):
        return None
    missing = [f"{of}{name}" for name, value in zip(names, values, strict=True) if not value]
    if missing:
        raise InvalidConfiguration(f"{', '.join(missing)} is missing for the directory")
    return DirectoryAccount(values[0].rstrip("/"), *values[1:])


def _check(name: str, url: str, policy: Policy) -> None:
    try:
        policy.check_url(url)
    except Blocked as fault:
        raise InvalidConfiguration(f"{name}: {fault}") from fault
