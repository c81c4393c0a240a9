"""`einvoice zatca`: recompute what stamped documents say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from einvoice.xml import NotXml
from einvoice_zatca.chains import Link, chains_of
from einvoice_zatca.verification import verify


@click.group(help="Recompute the stamps of Saudi invoices.")
def zatca() -> None:
    """The group of commands."""


@zatca.command(name="verify", help="Recompute hash, signature and QR code of stamped documents.")
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


@zatca.command(name="chain", help="Verify the chains of stamped documents in files and folders.")
@click.argument("places", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def verify_chains(places: tuple[Path, ...]) -> None:
    """A line for each chain, and one for each fault; the exit code is 1 if there is one."""
    links, wrong = [], 0
    for path in _files(places):
        try:
            links.append(Link(path.name, verify(path.read_bytes())))
        except NotXml as error:
            click.echo(f"{path}: {error}")
            wrong += 1
    for chain in chains_of(links):
        first, last = chain.links[0], chain.links[-1]
        click.echo(f"{len(chain.links)} documents, counters {first.counter} to {last.counter}")
        for fault in chain.faults:
            click.echo(f"  {fault}")
        wrong += len(chain.faults)
    if wrong:
        raise SystemExit(1)


def _files(places: tuple[Path, ...]) -> Iterator[Path]:
    for place in places:
        yield from sorted(place.rglob("*.xml")) if place.is_dir() else [place]
