"""The result of the last round at the mailbox, kept in the store of the plugin for operators."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from einvoice import clock
from einvoice.network.checks import CheckResult, error, good, warning
from einvoice.network.plugin_store import PluginStore
from einvoice_mail.imap_mailbox import ImapMailbox
from einvoice_mail.imap_session import MailboxFault, opened

# Until a mailbox counts as not read: above the longest pause after faults.
OVERDUE: Final = timedelta(minutes=20)
_KEY: Final = "imap round"


@dataclass(frozen=True, slots=True)
class Notes:
    """Written by `einvoice mail receive`, read by the checks of operators."""

    store: PluginStore

    def write(self, fault: str, waiting: int) -> None:
        """Note a round. `fault`: empty if it went well; `waiting`: the messages that stayed."""
        now = clock.now().timestamp()
        with suppress(Exception):  # without a database nothing is noted
            read_at = self._known().get("readAt") if fault else now
            value = {"at": now, "readAt": read_at, "fault": fault, "waiting": waiting}
            self.store.put(_KEY, json.dumps(value))

    def _known(self) -> dict[str, Any]:
        stored = self.store.get(_KEY)
        return dict(json.loads(stored)) if stored else {}

    def sentence(self) -> str:
        """The last round, for the console."""
        known = self._known()
        if not known:
            return "It was never read."
        at = datetime.fromtimestamp(known["at"], UTC)
        fault = f", in vain: {known['fault']}" if known["fault"] else ""
        return f"Asked at {at:%Y-%m-%d %H:%M}{fault}; {known['waiting']} mails stay there."

    def check(self, mailbox: ImapMailbox) -> CheckResult:
        """The last round in a sentence."""
        known, name = self._known(), f"{mailbox.folder} of {mailbox.user} at {mailbox.host}"
        if not known:
            return error(f"{name} was never read: run einvoice mail receive.")
        at = datetime.fromtimestamp(known["at"], UTC)
        last = known["readAt"]
        since = f"{datetime.fromtimestamp(last, UTC):%Y-%m-%d %H:%M}" if last else "its beginning"
        if known["fault"]:
            return error(f"{name} was not read since {since}: {known['fault']}.")
        if clock.now() - at > OVERDUE:
            return error(f"{name} was not read since {since}: run einvoice mail receive.")
        if known["waiting"]:
            return warning(
                f"{name} is read, and {known['waiting']} mails stay there: their addresses are "
                "full, or no worker of the lane plugins reads them."
            )
        return good(f"{name} was read at {at:%Y-%m-%d %H:%M}.")


def checked(mailbox: ImapMailbox, notes: Notes, ca_file: str) -> CheckResult:
    """Whether the mailbox can be opened, and the last round."""
    try:
        with opened(mailbox, ca_file):
            pass
    except MailboxFault as fault:
        return error(f"{mailbox.folder} of {mailbox.user} at {mailbox.host}: {fault}.")
    return notes.check(mailbox)
