"""The settings of the plugin: which environments are offered, and where they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from einvoice.domain.environments import Environment
from einvoice.http import Blocked, Policy
from einvoice.network.settings import Setting
from einvoice_zatca.requests import Template

_P: Final = "EINVOICE_ZATCA_"
_GATEWAY: Final = "https://gw-fatoora.zatca.gov.sa/e-invoicing"


class InvalidConfiguration(ValueError):
    """Settings that are wrong. The message names them."""


@dataclass(frozen=True, slots=True)
class Side:
    """One environment of Fatoora.

    url  address of the calls, without a slash at the end
    """

    name: str
    environment: Environment
    url: str
    template: Template

    @property
    def policy(self) -> Policy:
        """In test environments also http and private addresses, for a stand-in."""
        live = self.environment is Environment.LIVE
        return Policy(https_only=live, allow_private=not live)


# Access points by the setting that switches them on. Of the two test environments one is offered.
_SIDES: Final = {
    "TEST": ("zatca-test", Environment.TEST, "developer-portal", Template.SANDBOX),
    "SIMULATION": ("zatca-simulation", Environment.TEST, "simulation", Template.SIMULATION),
    "LIVE": ("zatca", Environment.LIVE, "core", Template.PRODUCTION),
}


def settings_of() -> Iterator[Setting]:
    """The settings of all environments."""
    words = {
        "TEST": "Offer the sandbox of Fatoora (developer portal) to sandbox keys",
        "SIMULATION": "Offer the simulation of Fatoora to sandbox keys, in place of its sandbox",
        "LIVE": "Offer Fatoora to live keys",
    }
    for name, (_, _, path, _) in _SIDES.items():
        yield Setting(f"{_P}{name}", words[name], type=bool, default=False)
        yield Setting(f"{_P}{name}_URL", f"Calls of {path}", default=f"{_GATEWAY}/{path}")


def sides(settings: Mapping[str, Any]) -> list[Side]:
    """The environments that are switched on. Raises InvalidConfiguration."""
    chosen = [name for name in _SIDES if settings[f"{_P}{name}"]]
    if {"TEST", "SIMULATION"} <= set(chosen):
        raise InvalidConfiguration(f"only one of {_P}TEST and {_P}SIMULATION can be switched on")
    return [_side(name, settings) for name in chosen]


def _side(name: str, settings: Mapping[str, Any]) -> Side:
    point, environment, _, template = _SIDES[name]
    side = Side(point, environment, settings[f"{_P}{name}_URL"].rstrip("/"), template)
    try:
        side.policy.check_url(side.url)
    except Blocked as fault:
        raise InvalidConfiguration(f"{_P}{name}_URL: {fault}") from fault
    return side
