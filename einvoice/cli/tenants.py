"""`einvoice tenants`: the tenants of the service and their switches."""

from __future__ import annotations

import math
from pathlib import Path

import click

from einvoice import clock
from einvoice.cli.application import Name, table, with_app
from einvoice.cli.new_file import NEW_FILE
from einvoice.cli.progress import progress
from einvoice.cli.tenant_moves import move
from einvoice.domain.claims import verified_number
from einvoice.domain.plans import MAX_RETENTION_YEARS, MAX_USERS, AboveLimit
from einvoice.services.account import claims, closure, identifications, plans
from einvoice.services.account import tenants as service
from einvoice.services.caches import Caches
from einvoice.services.tenant_data import erasure, purge, tenant_export, tenant_import
from einvoice.services.tenant_data.export_reader import ExportBroken
from einvoice.services.tenant_data.purge import Contract
from einvoice.store.account import tenants as stored
from einvoice.web.runtime import runtime


def _verified_number(text: str) -> str:
    try:
        return verified_number(text)
    except ValueError as fault:
        raise click.BadParameter(str(fault)) from fault


@click.group()
def tenants() -> None:
    """Add, list, change and close tenants."""


tenants.add_command(move)


@tenants.command()
@click.argument("name", type=Name(200))
@with_app
def add(name: str) -> None:
    """Add a tenant and print its id."""
    click.echo(service.create(name))


@tenants.command(name="list")
@with_app
def list_() -> None:
    """List all tenants with their switches."""
    table(
        [
            (
                t.id,
                t.name,
                t.strict_idempotency,
                t.reject_duplicate_numbers,
                t.closed_at or "",
                " ".join(t.verified_numbers or ()),
            )
            for t in stored.all_tenants()
        ],
        "id",
        "name",
        "strict idempotency",
        "reject duplicate numbers",
        "closed at",
        "verified numbers",
    )


@tenants.command()
@click.argument("tenant")
@click.argument("number", callback=lambda _, __, text: _verified_number(text))
@click.option("--remove", is_flag=True, help="The number is the tenant's no longer.")
@with_app
def verify(tenant: str, number: str, remove: bool) -> None:
    """Store NUMBER as a verified number of a tenant, which verifies its claims of that number.

    NUMBER is a VAT number with its country (BE0123456749), or a register's with its scheme
    (0208:0123456749). Removing it takes no participant id from the tenant.
    """
    if remove:
        claims.withdraw_number(tenant, number)
    else:
        claims.verify_number(tenant, number, Caches())
    click.echo(number)


@tenants.command()
@click.argument("tenant")
@click.confirmation_option(prompt="Its keys, tokens, share links and webhooks end. Close it?")
@with_app
def close(tenant: str) -> None:
    """End all access to a tenant; its documents stay, and what it has sent is delivered."""
    click.echo(clock.timestamp(closure.close(tenant, Caches(), points=runtime().access_points)))


@tenants.command(name="purge")
@click.argument("tenant")
@click.option("--contract", metavar="REASON", help="Delete what the law keeps too; needs --export.")
@click.option(
    "--export", "manifest", metavar="SHA256", help="What `export` printed after it was closed."
)
@click.confirmation_option(prompt="All that it has is deleted but its audit log. Purge it?")
@with_app
def purge_(tenant: str, contract: str | None, manifest: str | None) -> None:
    """Delete all that a closed tenant has, but its name and audit log.

    Refused while the law or a hold keeps documents. With --contract the tenant has them back, by an
    export, and keeps them itself; holds still refuse. It can be stopped and called again.
    """
    if (contract is None) != (manifest is None) or (contract is not None and not contract.strip()):
        raise click.UsageError("--contract needs a reason, and --export")
    given = None if contract is None or manifest is None else Contract(contract.strip(), manifest)
    done = purge.purge(tenant, runtime().settings, seconds=math.inf, contract=given)
    click.echo(clock.timestamp(done.done_at or done.begun_at))


@tenants.command()
@click.argument("tenant")
@click.option("--strict-idempotency/--no-strict-idempotency", default=None)
@click.option("--reject-duplicate-numbers/--no-reject-duplicate-numbers", default=None)
@with_app
def change(
    tenant: str, strict_idempotency: bool | None, reject_duplicate_numbers: bool | None
) -> None:
    """Turn a tenant's switches on or off."""
    switches = {
        "strict_idempotency": strict_idempotency,
        "reject_duplicate_numbers": reject_duplicate_numbers,
    }
    wanted = {name: value for name, value in switches.items() if value is not None}
    if not wanted:
        raise click.UsageError("give at least one switch")
    service.change(tenant, wanted)


@tenants.command()
@click.argument("tenant")
@click.option("--documents", type=click.IntRange(0), help="Sent documents a month; default: any.")
@click.option(
    "--above",
    type=click.Choice([each.value for each in AboveLimit]),
    default=AboveLimit.REFUSE.value,
    show_default=True,
    help="What happens to more: 402, 429 until the next month, or nothing.",
)
@click.option("--network", "networks", multiple=True, help="May be repeated; default: all.")
@click.option("--users", type=click.IntRange(0, MAX_USERS), help="People; default: any number.")
@click.option(
    "--retention-years",
    type=click.IntRange(1, MAX_RETENTION_YEARS),
    help="Years for which live documents are kept, where the law asks for fewer.",
)
@click.option("--none", "without", is_flag=True, help="Remove the plan.")
@with_app
def plan(
    tenant: str,
    documents: int | None,
    above: str,
    networks: tuple[str, ...],
    users: int | None,
    retention_years: int | None,
    without: bool,
) -> None:
    """Set what a tenant may use: documents a month, networks, people and years."""
    given = {
        "monthlyDocuments": documents,
        "networks": list(networks) or None,
        "users": users,
        "retentionYears": retention_years,
    }
    limits = {name: value for name, value in given.items() if value is not None}
    if not without and not limits:
        raise click.UsageError("give --documents, --network, --users, --retention-years or --none")
    wanted: dict[str, object] = {"aboveLimit": above, **limits}
    plans.set_by_operator(tenant, None if without else wanted, Caches())


@tenants.command(name="identifications")
@with_app
def list_identifications() -> None:
    """List what platforms say of the identity of tenants, and waits for you."""
    table(
        [
            (one.record.id, one.tenant, one.record.method, " ".join(one.record.numbers),
             one.record.identified_by, one.record.identified_at, _files(one.record))
            for one in identifications.pending()
        ],
        "id", "tenant", "method", "numbers", "by", "at", "files",
    )  # fmt: skip


def _files(record: identifications.IdentificationRecord) -> str:
    found = identifications.of_tenant(record.tenant_id)
    files = next((one.files for one in found if one.record.id == record.id), ())
    return " ".join(file.id for file in files)


@tenants.command()
@click.argument("identification")
@click.option("--verify/--reject", "verified", required=True)
@click.option("--reason", help="Told to the platform.")
@with_app
def identify(identification: str, verified: bool, reason: str | None) -> None:
    """Verify the numbers of an IDENTIFICATION, or reject it."""
    found = identifications.decide(
        identification, verified=verified, reason=reason, caches=Caches()
    )
    click.echo(found.status)


@tenants.command(name="identification-file")
@click.argument("file")
@click.argument("target", type=NEW_FILE)
@with_app
def identification_file(file: str, target: Path) -> None:
    """Write a FILE of an identification into TARGET."""
    found, content = identifications.file_content(file)
    try:
        target.write_bytes(content)
    except OSError:
        target.unlink(missing_ok=True)  # a part of a proof of identity is none
        raise
    click.echo(f"{found.name}, {found.content_type}, {found.size:,} bytes")


@tenants.command()
@click.argument("tenant")
@click.option("--reason", help="Its refusals name it.")
@with_app
def suspend(tenant: str, reason: str | None) -> None:
    """Let a tenant receive and read, and send nothing."""
    service.suspend(tenant, reason, Caches())


@tenants.command()
@click.argument("tenant")
@with_app
def resume(tenant: str) -> None:
    """Let a suspended tenant send again."""
    service.resume(tenant, Caches())


@tenants.command()
@click.argument("tenant")
@click.argument("file", type=NEW_FILE)
@with_app
def export(tenant: str, file: Path) -> None:
    """Write everything that is the tenant's own into FILE, a ZIP that `import` reads.

    Documents, what was submitted, evidence, directory, events, audit log and settings, as of one
    moment; no secrets. Progress is printed to stderr, the SHA-256 of the manifest to stdout.
    """
    try:
        made = tenant_export.to_file(tenant, file, runtime().settings, progress("exported"))
    except OSError as fault:
        raise click.ClickException(f"{file}: {fault.strerror or fault}") from fault
    click.echo(f"{made.documents} documents, {made.size:,} bytes", err=True)
    click.echo(made.manifest)


@tenants.command(name="import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--manifest", metavar="SHA256", help="What `export` printed; another file is refused."
)
@with_app
def import_(file: Path, manifest: str | None) -> None:
    """Read the tenant of FILE, an export of another installation, and print its id.

    The whole FILE is verified first. Nothing is sent. An import that was interrupted goes on with
    the same command; until it has ended, the tenant is closed.
    """
    try:
        made = tenant_import.from_file(
            file, runtime().settings, progress("imported", "parts"), manifest
        )
    except ExportBroken as fault:
        raise click.ClickException(str(fault)) from fault
    click.echo(f"{made.documents} documents", err=True)
    if made.lost:
        click.echo(f"{made.lost} files could not be exported: they are empty here", err=True)
    click.echo(made.tenant_id)


@tenants.command()
@click.argument("tenant")
@click.option(
    "--subject",
    required=True,
    help="The subject of a person's sessions, an e-mail address or a name.",
)
@click.option("--dry-run", is_flag=True, help="Only print what would be erased.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_app
def erase(tenant: str, subject: str, dry_run: bool, yes: bool) -> None:
    """Erase a person from a tenant's data, and print what stays, why and until when.

    Erased are entries of the directory and contacts in them, working share links to the person,
    drafts that name the person, and the person in the audit log and wherever something says who did
    it. Documents stay whole.
    """
    if not subject.strip():
        raise click.BadParameter("is blank", param_hint="--subject")
    if not (dry_run or yes):
        click.confirm("What is erased cannot be restored. Erase it?", abort=True)
    found = erasure.erase(tenant, subject, runtime().settings, dry_run=dry_run)
    for count, what in (
        (found.audit_entries, "entries of the audit log"),
        (found.done_by, "other places that say who did something"),
        (found.entries, "entries of the directory, deleted"),
        (found.contacts, "contacts in the directory"),
        (found.share_links, "share links, revoked"),
        (found.drafts, "drafts of invoices, deleted"),
    ):
        click.echo(f"{count:6}  {what}")
    for kept in found.kept:
        click.echo(f"{kept.documents:6}  documents stay until {kept.until} ({kept.rule})")
    click.echo(found.pseudonym or "dry run: nothing was changed")
