"""The access points at which a tenant needs an account, and what they ask for."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable, FieldError, InvalidField, Phrase
from einvoice.network.access_points import AccessPoints
from einvoice.network.connections import (
    MAX_FILE_BYTES,
    MAX_TEXT_LENGTH,
    AuthorisedInBrowser,
    Connected,
    ConnectionField,
    ConnectionForm,
    FieldKind,
    SharedConsent,
)
from einvoice.network.types import AccessPoint


@dataclass(frozen=True, slots=True)
class ConnectedPoint:
    """An access point that needs an account. `connected` is the same object as `point`."""

    point: AccessPoint
    connected: Connected

    @property
    def browser(self) -> AuthorisedInBrowser | None:
        """The access point, if a person authorises it in the browser."""
        return self.connected if isinstance(self.connected, AuthorisedInBrowser) else None

    @property
    def shared(self) -> SharedConsent | None:
        """The access point, if connections of a tenant may use one consent."""
        return self.connected if isinstance(self.connected, SharedConsent) else None


def offered(points: AccessPoints) -> list[ConnectedPoint]:
    """All access points that need an account, by environment and name."""
    found = [ConnectedPoint(p, p) for p in points if isinstance(p, Connected)]
    return sorted(found, key=lambda one: (one.point.environment, one.point.name))


def chosen(points: AccessPoints, environment: Environment, network: str) -> ConnectedPoint:
    """The access point of the network, or of this name. Raises InvalidField."""
    in_environment = [one for one in offered(points) if one.point.environment is environment]
    named = [one for one in in_environment if one.point.name == network]
    found = named or [one for one in in_environment if one.point.network == network]
    if len(found) == 1:
        return found[0]
    names = ", ".join(one.point.name for one in found or in_environment) or "none"
    message = f"{network!r} is not one network that needs an account in {environment}: {names}"
    raise InvalidField([FieldError("/network", "unknown-network", message)])


def named(points: AccessPoints, name: str) -> ConnectedPoint:
    """The access point of a stored connection. Raises AccessPointUnavailable."""
    if name in points:
        found = points[name]
        if isinstance(found, Connected):
            return ConnectedPoint(found, found)
    raise AccessPointUnavailable(f"The access point {name} is not available at the moment.")


def check_credentials(form: ConnectionForm, given: Mapping[str, str], *, complete: bool) -> None:
    """Raise InvalidField with all errors; `complete`: required fields have to be there."""
    fields = {field.name: field for field in form.fields}
    errors = [
        *(_unknown(name, fields) for name in given if name not in fields),
        *(error for name, text in given.items() if name in fields
          for error in _faults(fields[name], text)),
    ]  # fmt: skip
    if complete:
        missing = [f.name for f in form.fields if f.required and not given.get(f.name)]
        errors += [
            FieldError(_pointer(name), "required", "is required", Phrase("required"))
            for name in missing
        ]
    if errors:
        raise InvalidField(errors)


def _unknown(name: str, fields: Mapping[str, ConnectionField]) -> FieldError:
    known = ", ".join(fields) or "no credentials"
    return FieldError(_pointer(name), "unknown-field", f"the network asks for {known}")


def _faults(field: ConnectionField, text: str) -> Iterator[FieldError]:
    if field.kind is not FieldKind.FILE:
        limit, size, unit = min(field.max_size, MAX_TEXT_LENGTH), len(text), "characters"
    else:
        limit, unit = min(field.max_size, MAX_FILE_BYTES), "bytes"
        content = _decoded(text)
        if content is None:
            yield FieldError(_pointer(field.name), "not-base64", "must be a file in base64")
            return
        size = len(content)
    if size > limit:
        message = f"has {size:,} {unit}; at most {limit:,} are allowed"
        values = {"count": f"{size:,}", "most": f"{limit:,}"}
        phrase = Phrase("long" if unit == "characters" else "large", values)
        yield FieldError(_pointer(field.name), "too-long", message, phrase)


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _pointer(name: str) -> str:
    return "/credentials/" + name.replace("~", "~0").replace("/", "~1")
