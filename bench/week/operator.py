"""The commands that an operator runs by timers: the doctor, the verification of audit logs, and the
list of documents that need a person.

In one process with one application: as commands, which take seconds to start, they would take
hours of the week.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from flask import Flask

from bench.week.post import SENDER
from einvoice.app import create_app
from einvoice.cli import doctor_checks, doctor_plugins, doctor_report
from einvoice.cli.doctor_problem import Severity
from einvoice.config import Settings
from einvoice.services import operator_notes
from einvoice.services.account import audit_verification
from einvoice.services.delivery import operations
from einvoice.services.operator_notes import DoctorFinding
from einvoice.services.plugin_store import DatabaseStore
from einvoice.web.runtime import runtime_of
from einvoice_peppol.reporting import Ledger

MAIL = frozenset({"mail", "mail-test"})
NOT_IN_THE_LOG = "the mail server has no mail of it"


class Operator:
    """The operator of a town, with the variables of its service."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._settings = Settings.from_env(environ)
        self.app: Flask = create_app(self._settings, environ=environ)
        self._looked_for: set[str] = set()  # mails that were not in the log

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

    def settle_mails(self, arrived: Collection[str]) -> int:
        """Settle the mails whose outcome nobody knows as the log of the mail server says: one that
        is not in it when it is looked for again was lost on the way. How many."""
        count = 0
        with self.app.app_context():
            points = runtime_of(self.app).access_points
            mails = [one for one in operations.needing_attention() if one.access_point in MAIL]
            for work in mails:
                message_id = f"<{work.id.replace('_', '-', 1)}@{SENDER.partition('@')[2]}>"
                if message_id in arrived:
                    outcome, line, reason = "delivered", f"{message_id} status=sent", None
                elif work.id in self._looked_for:
                    outcome, line, reason = "failed", f"nothing of {message_id}", NOT_IN_THE_LOG
                else:
                    continue
                operations.resolve(work.id, outcome, line.encode(), "mail.log", reason, points)
                count += 1
            self._looked_for = {one.id for one in mails}
        return count

    def undecided(self) -> frozenset[str]:
        """The invoices whose outcome nobody knows, of which the doctor tells: a person decides."""
        with self.app.app_context():
            return frozenset(one.invoice_id for one in operations.needing_attention())

    def exchanges(self, moments: Iterable[datetime]) -> Counter[str]:
        """How many invoices the monthly reports of Peppol count, by direction, in the months of
        these moments."""
        ledger = Ledger(DatabaseStore(self.app.app_context, "peppol"), "peppol-test")
        months = {one.date().replace(day=1) for one in moments}
        return Counter(
            item.direction
            for month in months
            for item in ledger.items(month)
            if "Invoice-2::Invoice##" in item.document_type.value
        )

    def audit_faults(self, tenant: str) -> Sequence[str]:
        """The faults that `einvoice audit verify` finds for a tenant."""
        with self.app.app_context():
            return audit_verification.verify(tenant, self._settings).faults
