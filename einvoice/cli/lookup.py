"""`einvoice lookup`: what the directory of a network has on a participant."""

from __future__ import annotations

import sys

import click

from einvoice import clock
from einvoice.cli.application import ENVIRONMENT, with_app
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.types import AccessPoint, NotRegistered, Registration
from einvoice.services.participants.lookup import directory_answer
from einvoice.services.participants.routing import directories_of
from einvoice.web.runtime import runtime

REGISTERED, NOT_REGISTERED, UNAVAILABLE = 0, 1, 2  # exit codes


@click.command()
@click.argument("participant")
@click.option("--environment", type=ENVIRONMENT, default="test")
@click.option("--network", help="The network to ask, if several reach the participant.")
@with_app
def lookup(participant: str, environment: str, network: str | None) -> None:
    """Ask the network for PARTICIPANT (scheme:identifier); nothing is stored.

    Prints the endpoint, the certificate there and the document types. Exit codes: 0 registered,
    1 not registered, 2 the network does not answer.
    """
    parsed = ParticipantId.parse(participant)
    points = runtime().access_points
    asked = directories_of(parsed, Environment(environment), points, network)
    found = _registration(parsed, asked.point)
    if not isinstance(found, Registration) or asked.point is None:
        if asked.point is not None:
            click.echo(f"{parsed} is not registered with {asked.point.name}.")
        if isinstance(found, NotRegistered) and found.registered_as is not None:
            click.echo(f"The same company is registered as {found.registered_as}.")
        for each in asked.reachable_by:
            click.echo(f"{parsed} is reached by {each}, which has no directory.")
        sys.exit(NOT_REGISTERED)
    click.echo(f"{parsed} is registered with {asked.point.name}.")
    _print(found)


def _registration(
    participant: ParticipantId, point: AccessPoint | None
) -> Registration | NotRegistered | None:
    """The answer of the directory of the access point; ends the command without one."""
    if point is None:
        return None
    try:
        return directory_answer(point, participant)
    except AccessPointUnavailable as fault:
        click.echo(fault.detail, err=True)
        sys.exit(UNAVAILABLE)


def _print(found: Registration) -> None:
    expires = found.certificate_expires_at
    rows = [
        ("endpoint", found.endpoint),
        ("certificate", found.certificate_subject),
        ("certificate expires", expires and clock.timestamp(expires)),
    ]
    for title, value in rows:
        if value:
            click.echo(f"{title}: {value}")
    click.echo("document types:" if found.document_types else "document types: none")
    for each in found.document_types:
        click.echo(f"  {each}")
