"""A send on its way to acceptance, and what has become of it so far."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from einvoice.domain.invoice import DocumentKind
from einvoice.domain.request import SendOptions, SendRequest
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send.command import SendCommand
from einvoice.services.send.document import AcceptableDocument
from einvoice.services.send.evaluation import kind_of
from einvoice.services.send.legacy_body import LegacySend
from einvoice.services.send.result import SendResult
from einvoice.store.sending.new_sends import Acceptance, NewSend

# The checks of a send, which make the document to accept. They yield the name of each step that is
# done: the drafts of a group do each step together.
Steps = Generator[str, None, AcceptableDocument]


@dataclass(slots=True, eq=False)
class Draft:
    """One send, the steps that make it a document to accept, and their outcome.

    alone       done by itself, not in a group: its steps may wait
    wait        seconds that the request may wait for the network
    options     of the request, once it is read
    document    what has passed all steps
    new         what accepting the document stores
    acceptance  what the store has made of it
    foreseen    of a dry run: the result that sending the document would have
    fault       what has ended the draft
    """

    command: SendCommand
    runtime: Runtime = field(repr=False)
    steps: Callable[[Draft], Steps]
    alone: bool = False
    wait: float = 0.0
    options: SendOptions = field(default_factory=SendOptions)
    document: AcceptableDocument | None = None
    new: NewSend | None = None
    acceptance: Acceptance | None = None
    foreseen: SendResult | None = None
    fault: Exception | None = None

    @property
    def checks_only(self) -> bool:
        """Whether it is a dry run: nothing is stored."""
        return bool(self.options.get("dryRun"))


@dataclass(frozen=True, slots=True)
class ReadSend:
    """The request of a draft: who sends what.

    legacy  the v1 body that it was made of
    """

    command: SendCommand
    runtime: Runtime = field(repr=False)
    body: SendRequest
    legacy: LegacySend | None = None

    @property
    def principal(self) -> Principal:
        return self.command.principal

    @property
    def kind(self) -> DocumentKind:
        return kind_of(self.body)
