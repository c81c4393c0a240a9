"""`einvoice reports`: reports of documents to tax authorities, for operators."""

from __future__ import annotations

import click

from einvoice.cli.application import table, with_app
from einvoice.network.sent_documents import Amendment
from einvoice.services.inbound import amended_reports
from einvoice.web.runtime import runtime


@click.group()
def reports() -> None:
    """List the reports that tax authorities do not have; make one again, or withdraw it."""


@reports.command("open")
@with_app
def list_open() -> None:
    """Show, by country, how many reports are open, how many failed, and the oldest of them."""
    table(
        [
            (one.reports_to, one.count, one.failed, one.oldest_at, one.oldest_id)
            for one in amended_reports.open_reports()
        ],
        "country",
        "open",
        "failed",
        "oldest",
        "report",
    )


@reports.command()
@click.argument("report")
@with_app
def resubmit(report: str) -> None:
    """Make a report (msg_…) again that was refused, once what was wrong has been put right."""
    click.echo(amended_reports.amend(report, Amendment.RESUBMIT, runtime()))


@reports.command()
@click.argument("report")
@with_app
def withdraw(report: str) -> None:
    """Withdraw a report (msg_…) that the authority has, before its document is corrected."""
    click.echo(amended_reports.amend(report, Amendment.WITHDRAW, runtime()))
