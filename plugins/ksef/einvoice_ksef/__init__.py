"""KSeF, the clearance network of the Polish ministry of finance.

Like any plugin it imports einvoice.network and the packages below it, not the service.
"""

from __future__ import annotations

from collections.abc import Iterator

from einvoice.network.hookspec import hookimpl
from einvoice.rules import RuleSet
from einvoice_ksef.fa3.rules import RULES

EINVOICE_INTERFACE = 2


@hookimpl
def einvoice_rule_sets() -> Iterator[RuleSet]:
    """The check of FA(3)."""
    yield RULES
