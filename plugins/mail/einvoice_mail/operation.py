"""The work of `einvoice mail receive` and what came back, kept for operators in the plugin's store.

The process notes twice a minute that it runs, and each mail that it takes moves the time of the
last one. A failure of a mail is a record of the series `bounced`, which the console counts.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from einvoice import clock
from einvoice.network.checks import CheckResult, error, good, warning
from einvoice.network.facts import Fact
from einvoice.network.plugin_store import MAX_RECORDS_READ, PluginStore

BEAT: Final = 30.0  # seconds
SILENT: Final = timedelta(minutes=5)
_DAY: Final = timedelta(days=1)
_MINUTE: Final = timedelta(minutes=1)  # clocks of machines differ
_RUNNING: Final = "receive"


@dataclass(frozen=True, slots=True)
class Operation:
    """Written by the processes of mail, read by doctor and the console."""

    store: PluginStore

    def beat(self, listen: str, taken_at: datetime | None) -> None:
        """Note that mails are taken at an address; without a database nothing is noted."""
        with suppress(Exception):
            taken = self._known().get("takenAt") if taken_at is None else taken_at.timestamp()
            value = {"at": clock.now().timestamp(), "listen": listen, "takenAt": taken}
            self.store.put(_RUNNING, json.dumps(value))

    def bounced(self, access_point: str) -> None:
        """Note a failure that came back after its mail was taken, or without that."""
        with suppress(Exception):
            self.store.append(f"bounced {access_point}", "")

    def bounced_today(self, access_point: str) -> str:
        """How many mails came back in a day."""
        now = clock.now()
        found = self.store.read(f"bounced {access_point}", now - _DAY, now + _MINUTE)
        return f"{len(found)} or more" if len(found) == MAX_RECORDS_READ else str(len(found))

    def check(self, *, needed: bool) -> CheckResult:
        """Whether somebody takes mails. `needed`: bills arrive, else failures alone."""
        at = _moment(self._known().get("at"))
        if _is_lately(at):
            return good(self._sentence())
        tell = error if needed else warning
        lost = "bills and failures stay at the mail server" if needed else "failures are not read"
        since = "never ran" if at is None else f"has not run since {at:%Y-%m-%d %H:%M}"
        return tell(f"einvoice mail receive {since}: {lost}.")

    def facts(self) -> Iterator[Fact]:
        """Lines of the console."""
        yield Fact("einvoice mail receive", self._sentence())

    def _sentence(self) -> str:
        known = self._known()
        at, taken = _moment(known.get("at")), _moment(known.get("takenAt"))
        if at is None:
            return "It never ran."
        last = f"the last mail came {taken:%Y-%m-%d %H:%M}" if taken else "no mail has come yet"
        runs = "runs" if _is_lately(at) else f"has not run since {at:%Y-%m-%d %H:%M}"
        return f"It {runs} at {known.get('listen')}; {last}."

    def _known(self) -> dict[str, Any]:
        stored = self.store.get(_RUNNING)
        return dict(json.loads(stored)) if stored else {}


class Pulse:
    """Notes twice a minute that the process runs."""

    def __init__(
        self, operation: Operation, listen: str, taken_at: Callable[[], datetime | None]
    ) -> None:
        self._operation, self._listen, self._taken_at = operation, listen, taken_at
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(BEAT)

    def _run(self) -> None:
        while True:
            self._operation.beat(self._listen, self._taken_at())
            if self._stopped.wait(BEAT):
                return


def _is_lately(at: datetime | None) -> bool:
    """Whether the process has noted lately that it runs, which it does in real time."""
    return at is not None and clock.now() - at < clock.lasting(SILENT)


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
