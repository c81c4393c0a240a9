"""The settings of the network mail, beside those of the service (EINVOICE_MAIL_SMARTHOSTS …)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from einvoice import mail
from einvoice.config import Settings, SettingsFault
from einvoice.domain.environments import Environment
from einvoice.mail import Deadlines, InvalidSmarthost, Outgoing, smarthosts
from einvoice.network.settings import Setting
from einvoice_mail.imap_mailbox import ImapMailbox, InvalidMailbox
from einvoice_mail.spool import Spool

LIVE, TEST = "mail", "mail-test"
NAMES: Final = {Environment.LIVE: LIVE, Environment.TEST: TEST}
DEFAULT_MAX_MB: Final = 15
# Below the timeout of the access point.
DEADLINES: Final = Deadlines(connect=10.0, answer=30.0, end=60.0, total=150.0)


class InvalidConfiguration(Exception):
    """Settings that do not fit; the message names them, and shows no secret."""


@dataclass(frozen=True)
class Configuration:
    """How one environment sends.

    outgoing    its way out; `servers` is empty in a sandbox that only keeps its mails
    max_bytes   of a message; files beyond are left to the buyer's link
    per_hour    messages of one tenant
    per_minute  messages to one domain
    """

    environment: Environment
    outgoing: Outgoing
    max_bytes: int = DEFAULT_MAX_MB * 1024 * 1024
    per_hour: int = 1000
    per_minute: int = 60

    @property
    def name(self) -> str:
        return NAMES[self.environment]


def settings() -> Iterator[Setting]:
    """The settings of the plugin."""
    yield Setting(
        "EINVOICE_MAIL_MAX_MB",
        "Megabytes of a message; of a larger one the buyer gets the link alone",
        int,
        DEFAULT_MAX_MB,
    )
    yield Setting("EINVOICE_MAIL_PER_HOUR", "Invoices an hour that one tenant mails", int, 1000)
    yield Setting("EINVOICE_MAIL_PER_MINUTE", "Invoices a minute to one domain", int, 60)
    yield Setting(
        "EINVOICE_MAIL_TEST_SMARTHOSTS",
        "Mail servers of the sandbox; empty: its mails are kept and sent to nobody",
        secret=True,
    )
    yield Setting(
        "EINVOICE_MAIL_IN_DOMAIN",
        "The domain of the addresses at which tenants receive bills: in.example.com",
    )
    yield Setting(
        "EINVOICE_MAIL_IN_SPOOL",
        "Directory of received mails, shared by `einvoice mail receive` and the workers of "
        "`plugins`; default: `mail-in` in the data directory",
    )
    yield Setting(
        "EINVOICE_MAIL_IN_PER_SENDER",
        "Mails an hour of one sender to one address; its mail server sends further ones later",
        int,
        200,
    )
    yield Setting(
        "EINVOICE_MAIL_IN_IMAP",
        "A mailbox from which bills and notices are fetched, beside LMTP or in its place: "
        "imaps://user:password@host/INBOX",
        secret=True,
    )
    yield Setting(
        "EINVOICE_MAIL_IN_IMAP_HEADER",
        "The field in which the server of that mailbox writes the recipient",
        default="Delivered-To",
    )
    yield Setting(
        "EINVOICE_MAIL_IN_RELAY",
        "The name by which your mail server signs Authentication-Results; others are not believed",
    )


def configured(values: Mapping[str, Any]) -> Iterator[Configuration]:
    """The environments that send: live with mail servers, the sandbox with an address.

    Raises InvalidConfiguration.
    """
    own = Settings.from_env({name: value for name, value in values.items() if _is_text(value)})
    if not own.mail_from:
        return
    try:
        live = mail.configured(own, deadlines=DEADLINES)
        kept = mail.configured(
            replace(own, mail_smarthosts="smtp://127.0.0.1"), deadlines=DEADLINES
        )
        servers = smarthosts(str(values.get("EINVOICE_MAIL_TEST_SMARTHOSTS") or ""))
    except SettingsFault as fault:
        raise InvalidConfiguration(str(fault)) from None
    except InvalidSmarthost as fault:
        raise InvalidConfiguration(f"EINVOICE_MAIL_TEST_SMARTHOSTS: {fault}") from None
    bounds = _bounds(values)
    if kept is not None:
        yield Configuration(Environment.TEST, replace(kept, servers=servers), **bounds)
    if live is not None:
        yield Configuration(Environment.LIVE, live, **bounds)


def spool_of(values: Mapping[str, Any]) -> Spool:
    """Where received mails wait until their bills are stored."""
    own = Settings.from_env({name: value for name, value in values.items() if _is_text(value)})
    return Spool(Path(str(values.get("EINVOICE_MAIL_IN_SPOOL") or own.data_path / "mail-in")))


def imap_of(values: Mapping[str, Any]) -> ImapMailbox | None:
    """The mailbox that is polled; None without one. Raises InvalidConfiguration."""
    text = str(values.get("EINVOICE_MAIL_IN_IMAP") or "")
    try:
        return ImapMailbox.parse(text) if text else None
    except InvalidMailbox as fault:
        raise InvalidConfiguration(f"EINVOICE_MAIL_IN_IMAP: {fault}") from None


def in_domain(values: Mapping[str, Any]) -> str | None:
    """The domain at which mail is received; None without one."""
    return str(values.get("EINVOICE_MAIL_IN_DOMAIN") or "").strip().lower() or None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _bounds(values: Mapping[str, Any]) -> dict[str, int]:
    most = int(values.get("EINVOICE_MAIL_MAX_MB") or DEFAULT_MAX_MB)
    if not 1 <= most <= 100:
        raise InvalidConfiguration("EINVOICE_MAIL_MAX_MB is 1 to 100")
    rates = {
        "per_hour": int(values.get("EINVOICE_MAIL_PER_HOUR") or 1000),
        "per_minute": int(values.get("EINVOICE_MAIL_PER_MINUTE") or 60),
    }
    if min(rates.values()) < 1:
        raise InvalidConfiguration("EINVOICE_MAIL_PER_HOUR and _PER_MINUTE are 1 or more")
    return {"max_bytes": most * 1024 * 1024, **rates}
