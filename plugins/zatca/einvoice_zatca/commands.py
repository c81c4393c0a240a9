"""`einvoice zatca`: recompute what stamped documents say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

import click

from einvoice.domain.artefacts import AUTHORITY_DOCUMENT
from einvoice.network.types import Inbox
from einvoice.xml import NotXml
from einvoice_zatca.answers import REFUSED
from einvoice_zatca.chains import Link, chains_of
from einvoice_zatca.verification import verify

KINDS: Final = (AUTHORITY_DOCUMENT.code, REFUSED.code)


def commands(inbox: Inbox, points: Collection[str]) -> click.Group:
    """The group of commands. `points`: the access points that are switched on."""

    @click.group(help="Recompute the stamps of Saudi invoices.")
    def zatca() -> None:
        """The group of commands."""

    @zatca.command(help="Verify the chains of stamped documents in files, folders and units.")
    @click.argument("places", nargs=-1, required=True)
    def chain(places: tuple[str, ...]) -> None:
        """A place that is no file or folder is the id of a unit's connection, whose documents are
        those that were delivered or refused. A line for each chain, and one for each fault; the
        exit code is 1 if there is one."""
        _verify_chains(each for place in places for each in _documents(place, inbox, points))

    zatca.add_command(verify_files)
    return zatca


@click.command(name="verify", help="Recompute hash, signature and QR code of stamped documents.")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
def verify_files(files: tuple[Path, ...]) -> None:
    """One line for each file; the exit code is 1 if a value of one of them is wrong."""
    wrong = 0
    for path in files:
        try:
            checked = verify(path.read_bytes())
        except NotXml as error:
            click.echo(f"{path}: {error}")
            wrong += 1
            continue
        wrong += bool(checked.faults)
        verdict = f"wrong: {', '.join(checked.faults)}" if checked.faults else "right"
        click.echo(f"{path}: counter {checked.counter or '-'}, hash {checked.hash}, {verdict}")
    if wrong:
        raise SystemExit(1)


def _verify_chains(documents: Iterable[tuple[str, bytes]]) -> None:
    links, wrong = [], 0
    for name, content in documents:
        try:
            links.append(Link(name, verify(content)))
        except NotXml as error:
            click.echo(f"{name}: {error}")
            wrong += 1
    for chain in chains_of(links):
        first, last = chain.links[0], chain.links[-1]
        click.echo(f"{len(chain.links)} documents, counters {first.counter} to {last.counter}")
        for fault in chain.faults:
            click.echo(f"  {fault}")
        wrong += len(chain.faults)
    if wrong:
        raise SystemExit(1)


def _documents(place: str, inbox: Inbox, points: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Names and contents, one at a time."""
    path = Path(place)
    if not path.exists():
        yield from _of_unit(place, inbox, points)
        return
    for file in sorted(path.rglob("*.xml")) if path.is_dir() else [path]:
        yield file.name, file.read_bytes()


def _of_unit(connection: str, inbox: Inbox, points: Collection[str]) -> Iterator[tuple[str, bytes]]:
    for point in points:
        try:
            found = inbox.kept_files(point, connection, KINDS)
            yield from ((each.number, each.content) for each in found)
        except ValueError:
            continue
        return
    raise click.ClickException(f"{connection!r} is no file, no folder and no unit.")
