"""The settings of the gateway, for the test network and the production network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from einvoice.domain.environments import Environment
from einvoice.http import Blocked, Policy
from einvoice.network.settings import Setting
from einvoice_gateway.client import RestClient
from einvoice_peppol import configuration as peppol
from einvoice_peppol.configuration import InvalidConfiguration
from einvoice_peppol.directory import Directory
from einvoice_peppol.stages import Stage

MIN_TOKEN_LENGTH: Final = 16
_REQUIRED: Final = ("SHAPE", "URL", "TOKEN")
_NAMES: Final = {Environment.TEST: "gateway-test", Environment.LIVE: "gateway"}


class Shape(StrEnum):
    """The REST interface of the access point."""

    PHOSS_AP = "phoss-ap"  # stores documents, repeats by itself, has a status query
    PHASE4 = "phase4"  # phase4-peppol-standalone: sends once, in the request


@dataclass(frozen=True, slots=True)
class Gateway:
    """A configured gateway. `inbound_token` None: it receives no documents."""

    name: str
    environment: Environment
    shape: Shape
    directory: Directory
    client: RestClient
    inbound_token: str | None = field(default=None, repr=False)


def settings_of(stage: Stage) -> Iterator[Setting]:
    """The settings of one environment."""
    p = _prefix(stage)
    yield Setting(f"{p}SHAPE", "REST interface of the access point: phoss-ap or phase4")
    yield Setting(f"{p}URL", "Address of its REST interface")
    yield Setting(f"{p}TOKEN", "Token sent to it in the header X-Token", secret=True)
    yield Setting(f"{p}INBOUND_TOKEN", "Token that it sends with received documents", secret=True)
    yield Setting(f"{p}CA_FILE", "File of authorities for TLS of the access point")
    yield from peppol.lookup_settings(stage, p)


def configured(stage: Stage, settings: Mapping[str, Any]) -> Gateway | None:
    """The gateway of the settings; None if it has none. Raises InvalidConfiguration."""
    p = _prefix(stage)
    given = {
        each.name.removeprefix(p): str(settings[each.name])
        for each in settings_of(stage)
        if settings.get(each.name) not in (None, "", each.default)
    }
    if not given:
        return None
    faults = [f"{p}{name}: {words}" for name, words in _faults(given, _policy(stage))]
    if faults:
        raise InvalidConfiguration("; ".join(faults))
    return Gateway(
        name=_NAMES[stage.environment],
        environment=stage.environment,
        shape=Shape(given["SHAPE"]),
        directory=peppol.directory_of(stage, settings, p),
        client=RestClient(given["URL"], given["TOKEN"], _policy(stage), given.get("CA_FILE")),
        inbound_token=given.get("INBOUND_TOKEN"),
    )


def _prefix(stage: Stage) -> str:
    return f"EINVOICE_GATEWAY_{stage.environment.upper()}_"


def _policy(stage: Stage) -> Policy:
    """The operator chooses the access point, which may be in the same private network."""
    return Policy(https_only=stage.environment is Environment.LIVE, allow_private=True)


def _faults(given: Mapping[str, str], policy: Policy) -> Iterator[tuple[str, str]]:
    """(setting, what is wrong with it)."""
    for name in _REQUIRED:
        if name not in given:
            yield name, "is missing"
    if given.get("SHAPE", Shape.PHOSS_AP) not in list(Shape):
        yield "SHAPE", f"must be one of {', '.join(Shape)}"
    if fault := _url_fault(given.get("URL"), policy):
        yield "URL", fault
    for name in ("TOKEN", "INBOUND_TOKEN"):
        token = given.get(name, "-")
        if not (token.isascii() and token.isprintable()):
            yield name, "must be printable ASCII"
    if 0 < len(given.get("INBOUND_TOKEN", "")) < MIN_TOKEN_LENGTH:
        yield "INBOUND_TOKEN", f"must have at least {MIN_TOKEN_LENGTH} characters"
    if "CA_FILE" in given and not Path(given["CA_FILE"]).is_file():
        yield "CA_FILE", "there is no such file"


def _url_fault(url: str | None, policy: Policy) -> str | None:
    if url is None:
        return None
    try:
        policy.check_url(url)
    except Blocked as fault:
        return str(fault)
    return "must not have a query or fragment" if "?" in url or "#" in url else None
