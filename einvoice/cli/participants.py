"""`einvoice participants`: the participant ids of tenants, and claims of them."""

from __future__ import annotations

import click

from einvoice import clock
from einvoice.cli.application import ENVIRONMENT, Name, table, with_app
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import claims
from einvoice.services.account import tenants as service
from einvoice.services.caches import Caches
from einvoice.services.participants import entries, moves, publications
from einvoice.services.participants.standings import Standing, standings
from einvoice.web.runtime import runtime


@click.group()
def participants() -> None:
    """Assign participant ids to tenants, decide claims of them, and release them."""


@participants.command()
@click.argument("tenant")
@click.argument("participant")
@click.option("--environment", type=ENVIRONMENT, default="test")
@with_app
def add(tenant: str, participant: str, environment: str) -> None:
    """Assign PARTICIPANT (scheme:identifier) to a tenant; it has one owner per environment.

    A claim of the tenant to it is verified.
    """
    parsed = ParticipantId.parse(participant)
    claims.assign(tenant, Environment(environment), parsed, Caches())


@participants.command(name="list")
@click.argument("tenant")
@with_app
def list_(tenant: str) -> None:
    """List the tenant's participant ids and its claims."""
    service.get(tenant)
    table(
        [
            (o.environment, o.participant, o.status, o.reason, o.publication, o.publication_text)
            for o in service.owned(tenant)
        ],
        "environment", "participant", "status", "reason", "publication", "text",
    )  # fmt: skip


@participants.command()
@click.argument("tenant")
@with_app
def network(tenant: str) -> None:
    """Ask the networks where the tenant's participant ids are registered.

    `here` is a registration that names our access point; the network delivers to us then. Of each
    registration also the endpoint, the end of its certificate and the number of document types.
    """
    service.get(tenant)
    table(
        [
            (owned.environment, owned.participant, *_said(one))
            for owned in service.owned(tenant)
            for one in standings(
                ParticipantId.parse(owned.participant),
                Environment(owned.environment),
                runtime().access_points,
            )
        ],
        "environment", "participant", "network", "registered", "endpoint",
        "certificate until", "document types",
    )  # fmt: skip


def _said(one: Standing) -> tuple[object, ...]:
    """The answer of a network about a participant, in columns."""
    found = one.found
    if found is None:
        return (one.access_point, one.place, None, None, None)
    until = found.certificate_expires_at
    day = until and until.date().isoformat()
    return (one.access_point, one.place, found.endpoint, day, len(found.document_types))


@participants.command()
@with_app
def pending() -> None:
    """List the claims of all tenants that wait for a decision, the oldest first."""
    now = clock.now()
    table(
        [
            (
                one.tenant_id,
                one.tenant_name,
                one.environment,
                one.participant,
                str((now - one.created_at).days),
                "yes" if one.contested else "",
            )
            for one in claims.pending()
        ],
        "tenant", "name", "environment", "participant", "days", "contested",
    )  # fmt: skip


@participants.command()
@click.argument("tenant")
@click.argument("participant")
@click.option("--environment", type=ENVIRONMENT, default="live")
@click.option("--reason", type=Name(500), required=True, help="How it was verified.")
@with_app
def approve(tenant: str, participant: str, environment: str, reason: str) -> None:
    """Verify a tenant's claim of PARTICIPANT. The tenant sees the reason."""
    parsed = ParticipantId.parse(participant)
    claims.approve(tenant, Environment(environment), parsed, reason, Caches())


@participants.command()
@click.argument("tenant")
@click.argument("participant")
@click.option("--environment", type=ENVIRONMENT, default="live")
@click.option("--reason", type=Name(500), required=True, help="Why not, for the tenant.")
@with_app
def reject(tenant: str, participant: str, environment: str, reason: str) -> None:
    """Reject a tenant's claim of PARTICIPANT. The tenant sees the reason."""
    parsed = ParticipantId.parse(participant)
    claims.reject(tenant, Environment(environment), parsed, reason)


@participants.command()
@click.argument("tenant")
@click.argument("participant")
@click.option("--environment", type=ENVIRONMENT, default="test")
@with_app
def remove(tenant: str, participant: str, environment: str) -> None:
    """Release PARTICIPANT of a tenant, also of a closed one; its invoices stay."""
    parsed = ParticipantId.parse(participant)
    service.disown_participant(tenant, Environment(environment), parsed, Caches())


@participants.command()
@click.argument("tenant")
@click.argument("participant")
@click.option("--environment", type=ENVIRONMENT, default="live")
@with_app
def publish(tenant: str, participant: str, environment: str) -> None:
    """Publish PARTICIPANT of a tenant again, for example after its network refused it.

    A worker of the lane plugins does it; verified ids are published without this command.
    """
    parsed = ParticipantId.parse(participant)
    publications.publish(tenant, Environment(environment), parsed, runtime())


@participants.command()
@click.option("--environment", type=ENVIRONMENT, default="live")
@with_app
def republish(environment: str) -> None:
    """Publish all verified ids whose entry is missing or outdated, as after a new certificate.

    It queues them in steps, and can be stopped and called again at any time. `einvoice doctor`
    says how many are left; those that their network refuses are left out.
    """
    queued = 0
    for count in entries.republish(Environment(environment), runtime().access_points):
        queued += count
        click.echo(f"{queued} participant ids are queued")
    if not queued:
        click.echo("every entry is current, or queued already")


@participants.command("move-out")
@click.argument("tenant")
@click.argument("participant")
@click.option("--environment", type=ENVIRONMENT, default="live")
@with_app
def move_out(tenant: str, participant: str, environment: str) -> None:
    """Print a migration key, by which another provider takes over PARTICIPANT of a tenant.

    It stays published here until the key is used. A new key may end an earlier one.
    """
    parsed = ParticipantId.parse(participant)
    click.echo(moves.move_out(tenant, Environment(environment), parsed, runtime()))


@participants.command("move-in")
@click.argument("tenant")
@click.argument("participant")
@click.option("--environment", type=ENVIRONMENT, default="live")
@click.option("--key", prompt="Migration key", hide_input=True, help="Asked for if not given.")
@with_app
def move_in(tenant: str, participant: str, environment: str, key: str) -> None:
    """Take over PARTICIPANT of a tenant from another provider by its migration key."""
    parsed = ParticipantId.parse(participant)
    moves.move_in(tenant, Environment(environment), parsed, key.strip(), runtime())
