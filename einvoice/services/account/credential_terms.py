"""The terms that API keys and OAuth clients have in common: scopes, allow lists, rotation."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from einvoice.domain.credentials import API_KEY, PLATFORM_SCOPES, CredentialKind
from einvoice.domain.errors import FieldError, InvalidField, Phrase
from einvoice.domain.identifiers import ParticipantId
from einvoice.security import api_keys
from einvoice.services.principal import Session

# How long a rotated key or secret is still accepted.
DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS = 86_400, 604_800


def check(
    scopes: Sequence[str],
    allowed_ips: Sequence[str],
    expires_at: datetime | None = None,
    now: datetime | None = None,
    *,
    kind: CredentialKind = API_KEY,
) -> None:
    """Raise InvalidField for unknown scopes, wrong networks and an expiry that is not after now."""
    known = scopes_of(kind)
    wrong = [
        FieldError(f"/scopes/{i}", "unknown-scope", f"{scope} is none of {', '.join(known)}")
        for i, scope in enumerate(scopes)
        if scope not in known
    ]
    for i, network in enumerate(allowed_ips):
        if found := _network_fault(network):
            message, phrase = found
            wrong.append(FieldError(f"/allowedIps/{i}", "not-a-network", message, phrase))
    if expires_at is not None and now is not None and expires_at <= now:
        message = "must be a moment to come"
        wrong.append(FieldError("/expiresAt", "in-the-past", message, Phrase("past")))
    if wrong:
        raise InvalidField(wrong)


def scopes_of(kind: CredentialKind) -> tuple[str, ...]:
    """The scopes that a credential of the kind may have."""
    return (*PLATFORM_SCOPES, *api_keys.SCOPES) if kind.of_platform else api_keys.SCOPES


def default_scopes(kind: CredentialKind) -> tuple[str, ...]:
    """The scopes of a credential that names none: a platform does all for its tenants."""
    return scopes_of(kind) if kind.of_platform else api_keys.DEFAULT_SCOPES


def checked_changes(kind: CredentialKind, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changed columns, checked and in the form they are stored in. Raises InvalidField."""
    check(changes.get("scopes", ()), changes.get("allowed_ips", ()), kind=kind)
    forms = {"scopes": unique, "allowed_ips": unique, "allowed_receivers": canonical_receivers}
    return {name: forms[name](value) if name in forms else value for name, value in changes.items()}


def check_grace(seconds: int) -> None:
    """Raise InvalidField for a grace period that is negative or too long."""
    if not 0 <= seconds <= MAX_GRACE_SECONDS:
        message = f"must be 0 to {MAX_GRACE_SECONDS} seconds"
        phrase = Phrase("range", {"least": 0, "most": MAX_GRACE_SECONDS})
        raise InvalidField([FieldError("/gracePeriodSeconds", "out-of-range", message, phrase)])


def canonical_receivers(receivers: Sequence[str]) -> list[str]:
    """Canonical participant ids, without repetitions. Raises InvalidParticipant."""
    return unique([ParticipantId.parse(receiver).canonical for receiver in receivers])


def unique(values: Sequence[str]) -> list[str]:
    """The values without repetitions, in the order of their first occurrence."""
    return list(dict.fromkeys(values))


def creator(by: Session | None) -> str:
    """The text stored as `created_by`; None is the operator's command line."""
    if by is None:
        return "cli"
    return by.platform.name if by.platform else by.email or by.subject


def _network_fault(text: str) -> tuple[str, Phrase] | None:
    """The fault of an address or network; None if it is correct."""
    try:
        meant = ipaddress.ip_network(text, strict=False)
    except ValueError:
        message = f"{text} is neither an address nor a network like 192.0.2.0/24"
        return message, Phrase("network", {"value": text})
    if "/" in text and str(ipaddress.ip_interface(text).ip) != str(meant.network_address):
        message = f"{text} is an address inside a network: write {meant} for the network"
        return message, Phrase("networkOf", {"value": text, "network": str(meant)})
    return None
