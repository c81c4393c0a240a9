"""`einvoice peppol`: monthly reports, receipts, and a practice network, for operators."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import click

from einvoice import clock
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import ClosedInbox, Inbox
from einvoice_peppol import monthly, proofs, smp_commands, trust
from einvoice_peppol.as4.answers import InvalidReceipt
from einvoice_peppol.configuration import Network
from einvoice_peppol.monthly import InvalidReport, MonthlyReports
from einvoice_peppol.practice.command import practice
from einvoice_peppol.proofs import Proof
from einvoice_peppol.reporting import Ledger
from einvoice_peppol.stages import STAGES


def group(
    networks: Mapping[str, Network], store: PluginStore, inbox: Inbox | None = None
) -> click.Group:
    """The commands for the configured networks, by their names."""
    reporting = sorted(name for name, each in networks.items() if each.stage.reports)

    @click.group("peppol")
    def peppol() -> None:
        """Reports and receipts of the Peppol networks, and a network for practice."""

    @peppol.command()
    @click.option("--month", callback=_month, help="YYYY-MM; the last month if it is not given.")
    @click.option("--network", type=click.Choice(sorted(networks)), default=_live(networks))
    @click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=".")
    def report(month: date, network: str | None, out: Path) -> None:
        """Write TSR and EUSR of a month into a directory, and check them. Nothing is sent."""
        if network is None:
            raise click.ClickException("no Peppol network is configured")
        _write(Ledger(store, network), month, networks[network], out)

    @peppol.command("send-report")
    @click.option("--month", callback=_month, help="YYYY-MM; the last month if it is not given.")
    @click.option("--network", type=click.Choice(reporting), default=min(reporting, default=None))
    def send_report(month: date, network: str | None) -> None:
        """Send TSR and EUSR of a month again, for example after they failed.

        Of several reports of a month the last one counts.
        """
        if network is None:
            raise click.ClickException("no Peppol network that wants reports is configured")
        sender = MonthlyReports(
            networks[network], Ledger(store, network), inbox or ClosedInbox(), store
        )
        try:
            for message in sender.send_again(month):
                click.echo(f"{message}: queued; see einvoice transmissions show {message}")
        except InvalidReport as fault:
            raise click.ClickException(str(fault)) from fault

    @peppol.command()
    @click.argument("receipt", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    def verify(receipt: Path) -> None:
        """Verify a RECEIPT: its signature, and that its signer was an access point then."""
        trusts = [*(each.trust for each in networks.values()), *proofs.published()]
        try:
            _show(proofs.read(receipt.read_bytes(), trusts))
        except InvalidReceipt as fault:
            raise click.ClickException(str(fault)) from fault

    peppol.add_command(practice)
    peppol.add_command(smp_commands.group(networks, store))
    return peppol


def _show(proof: Proof) -> None:
    click.echo(f"message   {proof.message_id}")
    click.echo(f"received  {clock.timestamp(proof.at)}")
    click.echo(f"by        {trust.subject(proof.signer)}")
    click.echo(f"network   {STAGES[proof.network].name}")
    for one in proof.references:
        click.echo(f"digest    {one.digest} of {one.uri}")
    click.echo("good: signed by this access point, and not changed since")


def _live(networks: Mapping[str, Network]) -> str | None:
    """The production network if it is configured, else the other one."""
    return min(networks, default=None)


def _month(_: click.Context, __: click.Parameter, text: str | None) -> date:
    if text is None:
        return monthly.last_month(clock.now().date())
    try:
        return date.fromisoformat(f"{text}-01")
    except ValueError as fault:
        raise click.BadParameter("a month is YYYY-MM") from fault


def _write(ledger: Ledger, month: date, own: Network, out: Path) -> None:
    try:
        found = monthly.made(ledger, month, own)
    except InvalidReport as fault:
        raise click.ClickException(str(fault)) from fault
    out.mkdir(parents=True, exist_ok=True)
    for kind, _, content in found:
        path = out / f"{month:%Y-%m}-{kind.file_name}"
        path.write_bytes(content)
        click.echo(f"{path}: good")
