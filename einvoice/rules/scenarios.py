"""The kind that a document names, and how the publisher of its rules judges such documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from einvoice.rules.book import Flag
from einvoice.rules.evaluation import RulesVerdict
from einvoice.rules.layers import Layer


@dataclass(frozen=True, slots=True)
class Declared:
    """The kind that a document names. `root` is the tag of its document element.

    written  BT-24 as a publisher's validator compares it, with its spaces: the value of a UBL
             invoice, the pieces between comments of any other document
    in_pdf   whether the document is attached to a PDF
    """

    root: str
    specification: str | None = None  # BT-24, without spaces around it
    process: str | None = None  # BT-23, without spaces around it
    written: tuple[str, ...] = ()
    in_pdf: bool = False

    def begins_with(self, specification: str) -> bool:
        """Whether BT-24 begins with this identifier; False if there is none."""
        return (self.specification or "").startswith(specification)


@dataclass(frozen=True, slots=True)
class Scenario:
    """How the publisher's validator judges the documents of one kind.

    levels  rule id → level, where it differs from the rule's flag
    layers  those that count for the document; None: all of the rule set
    gravest   no finding counts for more, whatever its level
    schema    the XML Schema of these documents, a file below documents/schemas; None: that of their
              syntax
    unjudged  what of the document no rule judges, a key of the texts; None: nothing is left out
    """

    levels: Mapping[str, Flag] = field(default_factory=dict)
    layers: frozenset[Layer] | None = None
    gravest: Flag = Flag.FATAL
    schema: Path | None = None
    unjudged: str | None = None

    def applied(self, verdict: RulesVerdict) -> RulesVerdict:
        """The verdict at these levels, of the layers that count."""
        found = verdict.under(self.levels, self.layers)
        return found if self.gravest is Flag.FATAL else found.at_most(self.gravest)
