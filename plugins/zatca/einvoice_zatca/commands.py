"""`einvoice zatca`: recompute what stamped documents say."""

from __future__ import annotations

from pathlib import Path

import click

from einvoice.xml import NotXml
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
