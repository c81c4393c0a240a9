"""`einvoice recover`: what to do after a restore of the database to an earlier moment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import click

from einvoice import clock
from einvoice.cli.application import table, with_app
from einvoice.services.delivery import comparison, recovery
from einvoice.services.delivery.recovery import Plan
from einvoice.web.runtime import runtime


class _Moment(click.ParamType[datetime]):
    """A moment in ISO 8601 with its offset, not in the future."""

    name = "moment"

    def convert(self, value: str, param: object, ctx: object) -> datetime:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            raise click.BadParameter("such as 2026-11-22T10:15:00+01:00, with its offset")
        if moment > clock.now():
            raise click.BadParameter("is in the future")
        return moment


@click.command()
@click.option("--hold", is_flag=True, help="Hold all deliveries until a recovery has finished.")
@click.option("--release", is_flag=True, help="End the hold; only if nothing was restored.")
@click.option("--since", type=_Moment(), help="The moment to which the database was restored.")
@click.option("--dry-run", is_flag=True, help="Print what would be done, and change nothing.")
@click.option(
    "--repeat",
    is_flag=True,
    help="Submit again at networks that cannot be asked but recognise repetitions.",
)
@click.option(
    "--compare",
    is_flag=True,
    help="List what networks have got since the moment and this database does not know.",
)
@with_app
def recover(
    hold: bool,
    release: bool,
    since: datetime | None,
    dry_run: bool,
    repeat: bool,
    compare: bool,
) -> None:
    """Find out what was sent after the moment to which the database was restored.

    First --hold, before any process of the service starts; then --since, with --dry-run first.
    Nothing is sent until it has finished. It may be interrupted and run again.
    --compare may be run at any time.
    """
    if hold + release + (since is not None) != 1:
        raise click.UsageError("give one of --hold, --release and --since")
    if since is None and (dry_run or repeat or compare):
        raise click.UsageError("--dry-run, --repeat and --compare are about --since")
    if hold:
        click.echo(f"deliveries are held since {clock.timestamp(recovery.hold().held_at)}")
    elif release:
        recovery.release()
        click.echo("deliveries go on")
    elif compare and since is not None:
        _compare(since)
    elif dry_run and since is not None:
        _show(recovery.plans(since, runtime().access_points, repeat=repeat))
    elif since is not None:
        _recover(since, repeat)


def _recover(since: datetime, repeat: bool) -> None:
    done = recovery.recover(since, runtime(), _progress, repeat=repeat)
    _show(done.plans)
    click.echo(f"{done.unanswered} are asked about again by the workers")
    click.echo("deliveries go on; einvoice transmissions attention lists what needs an operator")


def _progress(asked: int, total: int) -> None:
    click.echo(f"asked about {asked} of {total}", err=True)


def _show(plans: Sequence[Plan]) -> None:
    table(
        [
            (p.access_point, p.environment, p.kind, p.asked, p.waiting, p.repeated, p.operator)
            for p in plans
        ],
        "access point", "environment", "of", "ask", "ask later", "repeat", "operator",
    )  # fmt: skip


def _compare(since: datetime) -> None:
    found = []
    for one in comparison.compare(since, runtime()):
        message = f"{one.access_point} {one.account or ''}".strip()
        click.echo(f"{message}: {one.fault or f'{one.listed} listed'}", err=True)
        found += [(one.access_point, one.account, d.reference, d.receiver) for d in one.unknown]
    table(found, "access point", "account", "reference", "receiver")
