"""The result of `einvoice doctor` for programs: JSON, an exit code, and a note for /metrics."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime

from einvoice import clock
from einvoice.cli.doctor_plugins import Checked
from einvoice.cli.doctor_problem import Problem, Severity
from einvoice.network.checks import Level

_SEVERITIES = {
    Level.GOOD: Severity.OK,
    Level.WARNING: Severity.WARNING,
    Level.ERROR: Severity.SERIOUS,
}
EXIT_CODES = {Severity.OK: 0, Severity.NOTE: 0, Severity.WARNING: 3, Severity.SERIOUS: 1}


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `check` is empty of the service itself, else plugin and check."""

    level: Severity
    message: str
    fix: str = ""
    check: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """All findings of a run. `certificates` are those whose end is known, by name."""

    findings: Sequence[Finding]
    certificates: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def level(self) -> Severity:
        """The worst level."""
        order = list(Severity)
        return max((one.level for one in self.findings), key=order.index, default=Severity.OK)

    @property
    def counts(self) -> dict[str, int]:
        """How many findings have a level, but for those that are ok."""
        found = Counter(one.level for one in self.findings)
        return {level.value: found[level] for level in Severity if level is not Severity.OK}

    @property
    def exit_code(self) -> int:
        """0: ok or notes; 3: warnings; 1: something is serious."""
        return EXIT_CODES[self.level]

    def json(self) -> str:
        """The report in one line."""
        body = {
            "level": self.level.value,
            "checkedAt": clock.timestamp(clock.now()),
            "counts": self.counts,
            "findings": [asdict(one) for one in self.findings],
            "certificates": {name: clock.timestamp(at) for name, at in self.certificates.items()},
        }
        return json.dumps(body, ensure_ascii=False)


def of(
    problems: Sequence[Problem], checks: Sequence[Checked], certificates: Mapping[str, datetime]
) -> Report:
    """The report of what was found."""
    own = [Finding(one.severity, one.message, one.fix) for one in problems]
    of_plugins = [Finding(_SEVERITIES[one.level], one.sentence, check=one.name) for one in checks]
    ends = {one.name: one.ends_at for one in checks if one.ends_at is not None}
    return Report([*own, *of_plugins], {**certificates, **ends})
