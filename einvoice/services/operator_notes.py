"""Notes of operators' commands for `/metrics`: runs of `einvoice doctor`, and backups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.store.core import db
from einvoice.store.installation import service_states
from einvoice.store.installation.service_states import StateNote

_DOCTOR, _BACKUP, _RESTORED = "doctor:", "backup", "restored"
# A host that is not used any more, and one whose name changes with each run, are forgotten.
DOCTOR_KEPT = timedelta(days=2)
MAX_HOST_LENGTH = 100
MAX_FINDINGS = 100  # that are noted
_MAX_TEXT = 1_000
_LEVELS = ("serious", "warning", "note", "ok")


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """Something that `einvoice doctor` found; `check`: of a plugin, else empty."""

    level: str
    message: str
    fix: str = ""
    check: str = ""


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """The last run of `einvoice doctor --record` on a host.

    counts        how much was found, by level
    certificates  when certificates end, by their names
    findings      at most MAX_FINDINGS, the worst first; none of a run of an earlier release
    """

    host: str
    at: datetime
    counts: Mapping[str, int]
    certificates: Mapping[str, datetime]
    findings: Sequence[DoctorFinding] = ()

    @property
    def level(self) -> str:
        """The worst level of which something was found."""
        return next((each for each in _LEVELS if self.counts.get(each)), "ok")


def note_doctor(
    host: str,
    counts: Mapping[str, int],
    ends: Mapping[str, datetime],
    findings: Sequence[DoctorFinding] = (),
) -> None:
    """Note a run of `einvoice doctor`, in place of the last one of this host."""
    now = clock.now()
    worst = sorted(findings, key=lambda one: _LEVELS.index(one.level))[:MAX_FINDINGS]
    value = {
        "counts": dict(counts),
        "certificates": {name: end.isoformat() for name, end in ends.items()},
        "findings": [
            [one.level, one.message[:_MAX_TEXT], one.fix[:_MAX_TEXT], one.check[:_MAX_TEXT]]
            for one in worst
        ],
    }
    with db.writing() as connection:
        service_states.write(connection, _DOCTOR + host[:MAX_HOST_LENGTH], now, value)
        service_states.forget(connection, _DOCTOR, now - DOCTOR_KEPT)


def doctor_reports() -> list[DoctorReport]:
    """The last run on each host."""
    return [_report(note) for note in service_states.find(_DOCTOR)]


def _report(note: StateNote) -> DoctorReport:
    value = note.value or {}
    ends = value.get("certificates", {})
    return DoctorReport(
        note.name.removeprefix(_DOCTOR),
        note.noted_at,
        value.get("counts", {}),
        {name: datetime.fromisoformat(end) for name, end in ends.items()},
        [DoctorFinding(*each) for each in value.get("findings", ())],
    )


def note_backup() -> None:
    """Note that a backup of the database has succeeded now."""
    with db.writing() as connection:
        service_states.write(connection, _BACKUP, clock.now())


def last_backup() -> datetime | None:
    """When a backup was last noted."""
    return _noted_at(_BACKUP)


def note_restored() -> None:
    """Note that a backup of the database was restored elsewhere and read now."""
    with db.writing() as connection:
        service_states.write(connection, _RESTORED, clock.now())


def last_restored() -> datetime | None:
    """When a backup was last restored and read."""
    return _noted_at(_RESTORED)


def _noted_at(name: str) -> datetime | None:
    return next((note.noted_at for note in service_states.find(name)), None)
