"""The local issuer: session tokens for development and tests, without an identity provider.

Its key is in the data directory and is made with the first token. In production such tokens are
neither issued nor accepted.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from joserfc import jwt
from joserfc.jwk import ECKey

from einvoice import clock
from einvoice.config import Settings, SettingsFault
from einvoice.domain.roles import Role

NAME = "einvoice-dev"
OPERATOR = "operator"  # the claim of an operator
_FILE = "session-dev.json"


def is_on(settings: Settings) -> bool:
    return settings.jwt_dev_issuer and not settings.production


def key_file(settings: Settings) -> Path:
    return settings.data_path / _FILE


def audience(settings: Settings) -> str:
    return settings.jwt_audience or "einvoice"


def mint(
    settings: Settings,
    *,
    tenant_id: str,
    role: Role,
    subject: str,
    email: str | None = None,
    lifetime: timedelta = timedelta(hours=1),
) -> str:
    """A token for this person. Raises SettingsFault where the local issuer is off."""
    of_tenant = {settings.jwt_tenant_claim: tenant_id, "role": role.value}
    return _signed(settings, of_tenant, subject, email, lifetime)


def mint_for_operator(
    settings: Settings,
    *,
    subject: str,
    email: str | None = None,
    lifetime: timedelta = timedelta(hours=1),
) -> str:
    """A token that logs an operator in to the console; it names no tenant.

    Raises SettingsFault where the local issuer is off.
    """
    return _signed(settings, {OPERATOR: True}, subject, email, lifetime)


def _signed(
    settings: Settings,
    named: Mapping[str, object],
    subject: str,
    email: str | None,
    lifetime: timedelta,
) -> str:
    if not is_on(settings):
        raise SettingsFault(
            "The local issuer is off: production accepts tokens of the identity provider only"
        )
    key = _key(key_file(settings))
    now = clock.now()
    claims = {
        "iss": NAME,
        "aud": audience(settings),
        "sub": subject,
        "iat": int(now.timestamp()),
        "exp": int((now + lifetime).timestamp()),
        **named,
        **({"email": email} if email else {}),
    }
    return jwt.encode({"alg": "ES256", "kid": key.kid}, claims, key)


def _key(path: Path) -> ECKey:
    """The key in the file. Of concurrent processes, one generates it."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = ECKey.generate_key("P-256", {"kid": secrets.token_hex(8), "use": "sig"})
        draft = path.with_name(f"{path.name}.{secrets.token_hex(6)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(new.as_dict(private=True), file)
        with suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return ECKey.import_key(json.loads(path.read_text()))
