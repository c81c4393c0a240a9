"""How far the flows of a platform are read.

The list is read by the time of the last change, with the platform's own cursor within a reading. A
flow may appear in it a little late, so the end of it is read again; what was read there is known.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from einvoice import clock
from einvoice.network.put_aside import PutAside
from einvoice_fr_ctc.answers import Flow, moment

BEGIN: Final = timedelta(days=90)  # how far back the first reading begins
_OVERLAP: Final = timedelta(minutes=2)
_MAX_DONE: Final = 1000
_MAX_PLATFORM_CURSOR: Final = 2000


@dataclass(frozen=True, slots=True)
class Cursor:
    """The place of a connection.

    since     flows changed after this moment are listed
    platform  the platform's cursor of the next page of this reading; "" at its beginning
    latest    the latest change that was seen
    done      flows near the end of the list, which the next reading has again: id and change
    refused   whether the platform has refused its cursor in this reading
    aside     flows whose file could not be fetched
    """

    since: datetime
    platform: str = ""
    latest: datetime | None = None
    done: tuple[str, ...] = ()
    refused: bool = False
    aside: PutAside = field(default=PutAside())

    @classmethod
    def parse(cls, text: str | None, now: datetime) -> Cursor:
        """The cursor of a text; None: from the beginning of the list."""
        if text is None:
            return cls(now - BEGIN)
        values: dict[str, Any] = json.loads(text)
        latest = values["latest"]
        return cls(
            datetime.fromisoformat(values["since"]),
            values["platform"],
            datetime.fromisoformat(latest) if latest else None,
            tuple(values["done"]),
            values["refused"],
            PutAside.of_data(values["aside"]),
        )

    def text(self) -> str:
        values = {
            "since": self.since.isoformat(),
            "platform": self.platform,
            "latest": self.latest.isoformat() if self.latest else None,
            "done": self.done,
            "refused": self.refused,
            "aside": self.aside.as_data(),
        }
        return json.dumps(values, separators=(",", ":"))

    @property
    def updated_after(self) -> str:
        return clock.timestamp(self.since)

    def is_done(self, flow: Flow) -> bool:
        return _mark(flow) in self.done

    def after(self, flow: Flow) -> Cursor:
        """The place after a flow."""
        changed = moment(flow.updated_at)
        latest = self.latest if changed is None else max(changed, self.latest or changed)
        done = (*self.done, _mark(flow))[-_MAX_DONE:]
        return replace(self, latest=latest, done=done)

    def next_page(self, platform: str) -> Cursor:
        """The place of the next page, if the platform names it."""
        return replace(self, platform=platform[:_MAX_PLATFORM_CURSOR])

    def next_range(self) -> Cursor:
        """The place after a full page of a platform that names no next one."""
        latest = self.latest or self.since
        since = latest if latest > self.since else self.since + timedelta(milliseconds=1)
        return replace(self, since=since, platform="")

    def restarted(self) -> Cursor:
        """The place after a cursor that the platform refuses: the beginning of this reading, and
        after a second refusal, what was seen last."""
        restarted = replace(self, platform="", refused=not self.refused)
        return restarted.next_range() if self.refused else restarted

    def at_the_end(self) -> Cursor:
        """The place where the next reading begins."""
        if self.latest is None:
            return replace(self, platform="", refused=False)
        since = max(self.since, self.latest - _OVERLAP)
        return replace(self, since=since, platform="", refused=False)


def _mark(flow: Flow) -> str:
    return f"{flow.id} {flow.updated_at}"
