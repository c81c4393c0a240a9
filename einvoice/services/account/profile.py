"""The tenant's profile: branding, bank details and switches.

Changes apply to the next send: bank details complete payment means (decisions 17.10), branding
appears in PDFs and on the buyer's page (domain/branding).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stdnum import bic, iban
from stdnum.exceptions import ValidationError

from einvoice.domain.branding import LOGO_TYPES
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    FieldError,
    InvalidField,
    PayloadTooLarge,
    Phrase,
    UnsupportedMediaType,
)
from einvoice.domain.images import read_image
from einvoice.domain.time_zones import is_zone
from einvoice.mail import InvalidAddress, Mailbox
from einvoice.network.access_points import PEPPOL, AccessPoints
from einvoice.services.account import audit, tenants
from einvoice.services.caches import Caches
from einvoice.services.principal import Session
from einvoice.store.account.tenants import TenantRecord as TenantRecord
from einvoice.store.core import db
from einvoice.store.tables import Tenant

# The names in the metadata of invoices by which the tenant searches, in its profile.
SEARCHABLE = "searchableMetadata"
MAX_SEARCHABLE = 8
MAX_LOGO_BYTES = 128 * 1024
MAX_LOGO_SIDE_PIXELS = 4_000
# Attributes with a column of their own; all others are keys of the profile.
_COLUMNS = {
    "name": "name",
    "strictIdempotency": "strict_idempotency",
    "rejectDuplicateNumbers": "reject_duplicate_numbers",
}


@dataclass(frozen=True, slots=True)
class Logo:
    """The logo's image, as uploaded."""

    content: bytes
    media_type: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def get(tenant_id: str) -> TenantRecord:
    """The tenant, not from a cache. Raises NotFound."""
    return tenants.get(tenant_id)


def change(
    tenant_id: str,
    changes: Mapping[str, Any],
    by: Session | None,
    caches: Caches,
    points: AccessPoints | None = None,
) -> TenantRecord:
    """Set the given attributes; None removes one. Raises NotFound, InvalidField.

    points  the access points; `networkChoices` name their networks
    """
    changes = _checked(changes, points)
    _write(tenant_id, changes, by, caches, "tenant.changed", dict(changes))
    return get(tenant_id)


def changed(record: TenantRecord, changes: Mapping[str, Any]) -> TenantRecord:
    """The tenant as `change` would store it; nothing is stored. Raises InvalidField."""
    checked = _checked(changes)
    columns = {_COLUMNS[name]: value for name, value in checked.items() if name in _COLUMNS}
    return replace(record, **columns, profile=_merged(record.profile, checked))


def logo_of(record: TenantRecord) -> Logo | None:
    """The logo, if there is one."""
    text, media_type = record.profile.get("logo"), record.profile.get("logoType")
    if not isinstance(text, str) or media_type not in LOGO_TYPES:
        return None
    return Logo(base64.b64decode(text), media_type)


def set_logo(tenant_id: str, content: bytes, by: Session | None, caches: Caches) -> Logo:
    """Set the logo. Raises NotFound, PayloadTooLarge, UnsupportedMediaType."""
    logo = read_logo(content)
    _write(tenant_id, with_logo(logo), by, caches, "tenant.logo-changed", {"sha256": logo.sha256})
    return logo


def read_logo(content: bytes) -> Logo:
    """The image as a logo. Raises PayloadTooLarge, UnsupportedMediaType."""
    if len(content) > MAX_LOGO_BYTES:
        raise PayloadTooLarge(f"A logo has at most {MAX_LOGO_BYTES // 1024} KiB.")
    picture = read_image(content)
    if picture is None or picture.media_type not in LOGO_TYPES:
        raise UnsupportedMediaType("A logo must be a complete PNG or JPEG image.")
    if max(picture.width, picture.height) > MAX_LOGO_SIDE_PIXELS:
        raise PayloadTooLarge(f"A logo has at most {MAX_LOGO_SIDE_PIXELS} pixels on each side.")
    return Logo(content, picture.media_type)


def with_logo(logo: Logo) -> dict[str, Any]:
    """The attributes of the profile that are the logo."""
    return {"logo": base64.b64encode(logo.content).decode(), "logoType": logo.media_type}


def remove_logo(tenant_id: str, by: Session | None, caches: Caches) -> None:
    """Remove the logo. Raises NotFound."""
    _write(tenant_id, {"logo": None, "logoType": None}, by, caches, "tenant.logo-removed", {})


def _write(
    tenant_id: str,
    changes: Mapping[str, Any],
    by: Session | None,
    caches: Caches,
    action: str,
    detail: Mapping[str, Any],
) -> None:
    with db.writing_session() as database:
        tenant = tenants.locked(database, tenant_id)
        if changes:
            _apply(tenant, changes)
            audit.record(database, tenant_id, by, action, tenant_id, detail)
    caches.tenants.drop(tenant_id)


def _apply(tenant: Tenant, changes: Mapping[str, Any]) -> None:
    for name in _COLUMNS.keys() & changes.keys():
        setattr(tenant, _COLUMNS[name], changes[name])
    # A new object: changes inside of one are not noticed by the session.
    tenant.profile = _merged(tenant.profile, changes)


def _merged(stored: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The profile with these attributes; None removes one."""
    given = {name: value for name, value in changes.items() if name not in _COLUMNS}
    return {name: value for name, value in {**stored, **given}.items() if value is not None}


def _checked(changes: Mapping[str, Any], points: AccessPoints | None = None) -> dict[str, Any]:
    """The changes with bank details in normal form. Raises InvalidField."""
    checked, wrong = dict(changes), []
    for name, usual in (("iban", _iban), ("bic", bic.validate)):
        if changes.get(name):
            try:
                checked[name] = usual(changes[name])
            except ValidationError:
                message = f"is not a valid {name.upper()}"
                wrong.append(FieldError(f"/{name}", f"invalid-{name}", message, Phrase(name)))
    if (zone := changes.get("timeZone")) and not is_zone(zone):
        message = "is not the name of a time zone, such as Europe/Brussels"
        wrong.append(FieldError("/timeZone", "unknown-code", message))
    choices = changes.get("networkChoices") or ()
    wrong += _repeated_pairs(choices)
    if points is not None:
        wrong += _unknown_networks(choices, points)
        wrong += _unknown_last_resort(changes.get("lastResort"), points)
    wrong += _mail_faults(changes.get("mail"))
    wrong += _second_choices(changes.get("mail") or {})
    wrong += _repeated_names(changes.get(SEARCHABLE) or ())
    if wrong:
        raise InvalidField(wrong)
    return {name: None if value == "" else value for name, value in checked.items()}


def _repeated_pairs(choices: Sequence[Mapping[str, str]]) -> Iterator[FieldError]:
    """A pair of countries has one network."""
    known = set()
    for position, choice in enumerate(choices):
        pair = choice["supplierCountry"], choice["buyerCountry"]
        if pair in known:
            message = f"is a second choice for {pair[0]} to {pair[1]}"
            yield FieldError(f"/networkChoices/{position}", "duplicate", message)
        known.add(pair)


def _repeated_names(names: Sequence[str]) -> Iterator[FieldError]:
    for position, name in enumerate(names):
        if name in names[:position]:
            yield FieldError(f"/{SEARCHABLE}/{position}", "duplicate", "is named twice")


def _unknown_networks(
    choices: Sequence[Mapping[str, str]], points: AccessPoints
) -> Iterator[FieldError]:
    """A choice names a network, or an access point, of one of the environments."""
    networks = {name for environment in Environment for name in points.networks(environment)}
    known = ", ".join(sorted(networks | {PEPPOL}))
    for position, choice in enumerate(choices):
        name = choice["network"]
        if name not in networks and name != PEPPOL and name not in points:
            message = f"{name} is no network of this service: {known}"
            yield FieldError(f"/networkChoices/{position}/network", "unknown-network", message)


def _unknown_last_resort(name: str | None, points: AccessPoints) -> Iterator[FieldError]:
    """The network of last resort reaches receivers without a participant id."""
    names = {point.network for point in points if point.capabilities.reaches_without_id}
    if name and name not in names and name not in points:
        known = ", ".join(sorted(names)) or "none is installed"
        message = f"{name} is no network that reaches receivers without a participant id: {known}"
        yield FieldError("/lastResort", "unknown-network", message)


def _mail_faults(given: Mapping[str, Any] | None) -> Iterator[FieldError]:
    """The addresses can be ones."""
    for member in ("sender", "replyTo"):
        address = (given or {}).get(member)
        try:
            if address:
                Mailbox.parse(address)
        except InvalidAddress as fault:
            yield FieldError(f"/mail/{member}", "invalid-email", str(fault))


def _second_choices(given: Mapping[str, Any]) -> Iterator[FieldError]:
    """A language has one template, a country one choice of files."""
    for member, key in (("templates", "language"), ("attachmentsByCountry", "country")):
        seen = set()
        for position, choice in enumerate(given.get(member) or ()):
            value = choice[key]
            if value in seen:
                message = f"is a second choice for {value}"
                yield FieldError(f"/mail/{member}/{position}/{key}", "duplicate", message)
            seen.add(value)


def _iban(text: str) -> str:
    """The IBAN in normal form. Only its check digits are checked: lists of banks go out of date."""
    return str(iban.validate(text, check_country=False))
