"""Fatoora, the network of the tax authority of Saudi Arabia (ZATCA).

Like any plugin it imports einvoice.network and the packages below it, not the service.

Each hook imports what it offers: `einvoice validate` asks for rule sets and profiles alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from einvoice.network.hookspec import hookimpl
from einvoice.rules import RuleSet

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_rule_sets() -> Iterator[RuleSet]:
    """The rules of ZATCA, and those of EN 16931 as Fatoora has them."""
    from einvoice_zatca.rules import RULES

    yield RULES


@hookimpl
def einvoice_commands() -> Iterator[click.Command]:
    """`einvoice zatca`: recompute stamps."""
    from einvoice_zatca import commands

    yield commands.zatca
