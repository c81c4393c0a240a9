"""`einvoice peppol practice`: serve a practice network until Ctrl-C."""

from __future__ import annotations

import re
import shlex
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

import click

from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.tax_data import SPECIFICATIONS
from einvoice_peppol.practice import dns, network
from einvoice_peppol.practice.network import AccessPoint, PracticeNetwork
from einvoice_peppol.practice.tax_authority import STAND_IN

READY = "ready"
_SEAT = re.compile(r"P[A-Z]{2}[0-9]{6}", re.ASCII)


class _AccessPointType(click.ParamType[AccessPoint]):
    name = "seat=address"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> AccessPoint:
        seat, _, address = value.partition("=")
        if not _SEAT.fullmatch(seat) or not address.startswith(("http://", "https://")):
            self.fail("an access point is given as POP000001=http://127.0.0.1:8000", param, ctx)
        return AccessPoint(seat, address)


class _ParticipantType(click.ParamType[tuple[ParticipantId, str]]):
    name = "participant=seat"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[ParticipantId, str]:
        participant, _, seat = value.partition("=")
        try:
            return ParticipantId.parse(participant), seat
        except InvalidParticipant as fault:
            self.fail(f"{fault}", param, ctx)


@click.command()
@click.option(
    "--access-point",
    "access_points",
    type=_AccessPointType(),
    multiple=True,
    required=True,
    help="Seat id and address of a service, as POP000001=http://127.0.0.1:8000. Repeatable.",
)
@click.option(
    "--participant",
    "participants",
    type=_ParticipantType(),
    multiple=True,
    help="A participant and its access point, as 0208:0123456749=POP000001. Repeatable.",
)
@click.option(
    "--dir",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("practice"),
    show_default=True,
)
@click.option(
    "--publish",
    is_flag=True,
    help="With an SML; each access point has an SMP of its own, and publishes what it claims.",
)
@click.option(
    "--country",
    "countries",
    type=click.Choice(list(SPECIFICATIONS)),
    multiple=True,
    help="With a stand-in of its tax authority, to which the access points report. Repeatable.",
)
def practice(
    access_points: tuple[AccessPoint, ...],
    participants: tuple[tuple[ParticipantId, str], ...],
    folder: Path,
    publish: bool,
    countries: tuple[str, ...],
) -> None:
    """Serve a Peppol network for practice on this machine, until Ctrl-C. Not for production.

    Certificates, an SMP and a DNS server (dnsmasq) are made for it. The settings of each access
    point are written to a file in the directory: `set -a; . practice/POP000001.env` before
    `einvoice serve`.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with network.running(
            folder.resolve(),
            access_points,
            dict(participants),
            publishing=publish,
            countries=countries,
        ) as made:
            _announce(folder, made, access_points)
            # SIGTERM may reach any thread; Python handles it in this one, when it runs.
            while True:
                time.sleep(0.5)
    except KeyboardInterrupt:
        click.echo("stopped")
    except (dns.NoDnsServer, network.UnknownSeat) as fault:
        raise click.ClickException(str(fault)) from fault


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt


def _announce(folder: Path, made: PracticeNetwork, access_points: tuple[AccessPoint, ...]) -> None:
    click.echo(f"DNS (as SML)  {made.resolver}, zone {dns.ZONE}")
    click.echo(f"SMP           {made.smp}")
    if made.authority is not None:
        seat = network.AUTHORITY_SEAT
        click.echo(f"{seat}     {made.authority}, {STAND_IN}: the page is its book")
    for one in access_points:
        path = folder / f"{one.seat}.env"
        path.write_text(_as_variables(made.settings[one.seat]))
        click.echo(f"{one.seat}     {one.endpoint}, settings in {path}")
    click.echo(READY)


def _as_variables(settings: Mapping[str, str]) -> str:
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in settings.items())
