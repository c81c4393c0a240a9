"""What is no value of a setting is refused in one line that names it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from einvoice import config
from einvoice.app import create_app
from einvoice.config import Settings, SettingsFault
from einvoice.security.sealing import new_key
from tests.tables import each_row

NUMBERS = [f.name for f in fields(Settings) if type(f.default) in (int, float)]
URLS = [name for name, schemes in config._SCHEMES.items() if "http" in schemes]
# Without which others are refused.
BESIDES = {
    "archive_s3_endpoint": {"EINVOICE_ARCHIVE_S3_BUCKET": "b"},
    "jwt_jwks_url": {"EINVOICE_JWT_ISSUER": "i", "EINVOICE_JWT_AUDIENCE": "a"},
}


def refusal(name: str, text: str) -> str | None:
    variable = config._variable(name)
    try:
        Settings.from_env({variable: text, **BESIDES.get(name, {})})
    except SettingsFault as fault:
        message = str(fault)
    else:
        return None
    assert variable in message
    assert "\n" not in message
    return message


@each_row("name", NUMBERS)
def test_every_number_has_bounds_within_which_it_is_taken(name: str) -> None:
    """A typo of a digit starts no web process, or keeps documents for a million years."""
    least, most = config._MINIMA[name], config._MAXIMA.get(name, config._MOST)

    assert refusal(name, str(least)) is None
    assert refusal(name, str(most)) is None
    for wrong in (str(least - 1), str(most + 1), "nan", "inf", "1O", ""):
        assert refusal(name, wrong), wrong


TEXTS = [f.name for f in fields(Settings) if isinstance(f.default, str) and f.default]


@each_row("name", TEXTS)
def test_a_text_that_has_a_default_is_not_empty(name: str) -> None:
    """An empty EINVOICE_MODE would be no production, and an empty claim names no tenant."""
    for blank in ("", " ", "\n"):
        assert refusal(name, blank)


# Where the service listens, or at which port of an address; whether it is taken
PLACES = {
    "127.0.0.1:8000": True,
    "[::1]:65535": True,
    "localhost": False,
    "localhost:": False,
    "localhost:0": False,
    "localhost:65536": False,
    "localhost:\u0663": False,
}


@each_row("text, is_taken", PLACES.items(), ids=lambda row: row)
def test_what_is_no_address_is_refused(text: str, is_taken: bool) -> None:
    for name in ("listen", "metrics_listen"):
        assert (refusal(name, text) is None) is is_taken, name


def test_only_the_service_listens_at_a_socket() -> None:
    assert refusal("listen", "unix:/run/e.sock") is None
    assert refusal("metrics_listen", "unix:/run/e.sock")


@each_row("name", URLS)
def test_a_url_has_a_host_and_a_port_that_there_is(name: str) -> None:
    for good in ("https://a.example", "https://a.example:8443/x", "http://[::1]:1"):
        assert refusal(name, good) is None, good
    for wrong in (
        "https:/a.example",
        "https://",
        "https://a:port",
        "https://a:99999",
        "https://[::",
    ):
        assert refusal(name, wrong), wrong


REFUSED = {
    "EINVOICE_SECRET_KEY": ("abc", f"{new_key()},", f"{new_key()[:-2]}"),
    "EINVOICE_DATABASE_URL": (
        "postgresql:/u",
        "postgresql://u:s3cret@h:port/x",
        "postgresql://u:p@s3cret@h/x",
    ),
    "EINVOICE_DATABASE_REPLICA_URL": ("postgresql:/u", "postgresql://u:s3cret@h:port/x"),
    "EINVOICE_MAIL_CA_FILE": ("/nowhere", __file__),
}


def test_what_other_parts_read_is_refused_at_the_start(tmp_path: Path) -> None:
    """In one line, without the secret: a service with a broken key accepted documents, and every
    webhook failed."""
    given = {
        "EINVOICE_DATA_DIR": str(tmp_path),
        "EINVOICE_DATABASE_URL": "postgresql://u@127.0.0.1:1/x",
        "EINVOICE_MAIL_SMARTHOSTS": "smtp://127.0.0.1:1",
        "EINVOICE_MAIL_FROM": "a@b.example",
    }
    for variable, texts in REFUSED.items():
        for text in texts:
            with pytest.raises(SettingsFault, match=f"^{variable}") as fault:
                create_app(environ=given | {variable: text}, plugins=[])
            assert "s3cret" not in str(fault.value)
            assert "\n" not in str(fault.value)


def test_a_misspelt_setting_is_named_with_the_one_that_it_resembles() -> None:
    """It would change nothing, silently. Names that resemble none may be of others."""
    environ = dict.fromkeys(
        (
            "EINVOICE_BASE_URL", "EINVOICE_SECRET_KEY_FILE", "EINVOICE_PEPPOL_LIVE_KEYS",
            "EINVOICE_BASEURL", "EINVOICE_TRUSTED_PROXYS", "EINVOICE_SECRET_KEYFILE",
            "EINVOICE_PEPPOL_LIVE_KEY", "EINVOICE_IMAGE", "EINVOICE_PORT_8000_TCP", "BASE_URL",
        ),
        "x",
    )  # fmt: skip
    found = dict(config.misspelt(["EINVOICE_PEPPOL_LIVE_KEYS"], environ))

    assert found == {
        "EINVOICE_BASEURL": "EINVOICE_BASE_URL",
        "EINVOICE_TRUSTED_PROXYS": "EINVOICE_TRUSTED_PROXIES",
        "EINVOICE_SECRET_KEYFILE": "EINVOICE_SECRET_KEY_FILE",
        "EINVOICE_PEPPOL_LIVE_KEY": "EINVOICE_PEPPOL_LIVE_KEYS",
    }
