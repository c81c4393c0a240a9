"""A send on its way to acceptance: what each step of it has found out so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from einvoice.domain.request import DerivedInvoice, SendRequest
from einvoice.services.runtime import Runtime
from einvoice.services.send.command import SendCommand
from einvoice.services.send.document import AcceptableDocument
from einvoice.store.new_sends import Acceptance, NewSend
from einvoice.validation import Report

Step = Callable[[Any], None]


@dataclass(slots=True, eq=False)
class Draft:
    """One send, and the steps that make it a document to accept.

    Every step reads what those before it have set, and sets its own part. A step that raises ends
    the draft; the exception is its `fault`.

    wait         seconds that the request may wait for the network
    checks_only  a dry run: nothing is stored
    route        access point and id of the stored lookup
    new          what accepting the document stores
    """

    command: SendCommand
    runtime: Runtime = field(repr=False)
    steps: Sequence[Step]
    wait: float = 0.0
    checks_only: bool = False
    request: SendRequest = field(init=False)
    derived: DerivedInvoice = field(init=False)
    route: tuple[str, str | None] = field(init=False)
    report: Report = field(init=False)
    document: AcceptableDocument = field(init=False)
    new: NewSend | None = None
    acceptance: Acceptance | None = None
    fault: Exception | None = None
