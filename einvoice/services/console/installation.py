"""The installation: what `einvoice doctor` found, releases, and legal holds of all tenants."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from datetime import datetime

from einvoice import rules
from einvoice.release import RELEASE
from einvoice.services import operator_notes
from einvoice.services.operator_notes import DoctorReport as DoctorReport
from einvoice.services.runtime import Runtime
from einvoice.store.archive import holds as stored_holds
from einvoice.store.archive.holds import ListedHold as ListedHold
from einvoice.store.core import db
from einvoice.store.installation import schema


@dataclass(frozen=True, slots=True)
class Release:
    """The release that runs, and the database that it runs on.

    revision, newest   of the database, and the newest that this release knows
    upgraded_by        the revision of the release that has upgraded the database last
    oldest             the oldest release which may still run on it
    """

    version: str
    python: str
    compiled_rules: bool
    revision: str | None
    newest: str | None
    upgraded_by: str | None
    oldest: str | None
    backup_at: datetime | None
    access_points: tuple[str, ...]

    @property
    def is_current(self) -> bool:
        """Whether the database has the tables of this release."""
        return self.revision == self.newest


def doctor_reports() -> list[DoctorReport]:
    """The last run of `einvoice doctor --record` on each host, by host."""
    return sorted(operator_notes.doctor_reports(), key=lambda report: report.host)


def release(runtime: Runtime) -> Release:
    """The release that answers this request."""
    with db.reading() as connection:
        applied, newest = schema.place(connection)
        noted = schema.releases_of(connection)
    return Release(
        version=RELEASE,
        python=platform.python_version(),
        compiled_rules=rules.are_compiled(),
        revision=applied,
        newest=newest,
        upgraded_by=None if noted is None else noted.newest,
        oldest=None if noted is None else noted.oldest_beside(applied),
        backup_at=operator_notes.last_backup(),
        access_points=tuple(sorted(point.name for point in runtime.access_points)),
    )


def all_holds(
    *, active: bool | None, before: tuple[datetime, str] | None, limit: int
) -> list[ListedHold]:
    """Legal holds of all tenants, the newest first, before that place."""
    return stored_holds.page_of_all(active, before, limit)
