"""Address and key of the commands: from the environment, or from a file that only its user reads.

The file is TOML:

    url = "https://einvoice.example"
    key = "sk_test_…"
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PRIVATE = 0o077
DEFAULT_FILE = Path("einvoice-client/config.toml")


class SettingsError(Exception):
    """Address or key are missing, or lie where others can read them."""


@dataclass(frozen=True, slots=True)
class Settings:
    url: str
    key: str
    tenant: str | None


def read(
    url: str | None,
    file: str | None,
    tenant: str | None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """Settings of the arguments, then of EINVOICE and KEY, then of the file.

    A key of the file goes to the address of the file only.
    """
    if file is None and "KEY" in environ:
        address = url or environ.get("EINVOICE", "")
        if not address:
            raise SettingsError("KEY is set, but not the address of the service: EINVOICE or --url")
        return Settings(address, environ["KEY"], tenant)
    path = Path(file) if file else _directory(environ) / DEFAULT_FILE
    found = _private(path)
    address = _text(found, "url", path)
    if url is not None and url.rstrip("/") != address.rstrip("/"):
        raise SettingsError(f"the key of {path} is for {address}, not for {url}")
    return Settings(address, _text(found, "key", path), tenant or found.get("tenant"))


def _directory(environ: Mapping[str, str]) -> Path:
    given = environ.get("XDG_CONFIG_HOME")
    return Path(given) if given else Path(environ.get("HOME", "~")).expanduser() / ".config"


def _private(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as opened:
            if stat.S_IMODE(os.fstat(opened.fileno()).st_mode) & PRIVATE:
                raise SettingsError(f"others can read the key in {path}: run chmod 600 {path}")
            return tomllib.load(opened)
    except FileNotFoundError:
        message = f"there is no key: set EINVOICE and KEY, or write url and key into {path}"
        raise SettingsError(message) from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None


def _text(found: Mapping[str, Any], name: str, path: Path) -> str:
    value = found.get(name)
    if not isinstance(value, str) or not value:
        raise SettingsError(f'{path} has no {name} = "…"')
    return value
