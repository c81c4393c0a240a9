"""What the operator runs by timers: the doctor, and the verification of audit logs.

In one process with one application: as commands, which take seconds to start, they would take
hours of the week.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from flask import Flask

from einvoice.app import create_app
from einvoice.cli import doctor_checks, doctor_plugins, doctor_report
from einvoice.cli.doctor_problem import Severity
from einvoice.config import Settings
from einvoice.services import operator_notes
from einvoice.services.account import audit_verification
from einvoice.services.operator_notes import DoctorFinding
from einvoice.web.runtime import runtime_of


class Operator:
    """The operator of a town, with the variables of its service."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._settings = Settings.from_env(environ)
        self.app: Flask = create_app(self._settings, environ=environ)

    def doctor(self) -> list[dict[str, Any]]:
        """Run `einvoice doctor --record`; its findings that are not ok."""
        with self.app.app_context():
            problems = doctor_checks.problems(self.app)
            checked = list(doctor_plugins.run(runtime_of(self.app).extras))
            report = doctor_report.of(list(problems), checked, {})
            found = [one for one in report.findings if one.level is not Severity.OK]
            noted = [
                DoctorFinding(one.level.value, one.message, one.fix, one.check) for one in found
            ]
            operator_notes.note_doctor("week", report.counts, report.certificates, noted)
            return [asdict(one) for one in found]

    def audit_faults(self, tenant: str) -> Sequence[str]:
        """What `einvoice audit verify` says of a tenant."""
        with self.app.app_context():
            return audit_verification.verify(tenant, self._settings).faults
