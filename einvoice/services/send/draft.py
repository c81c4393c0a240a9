"""A send on its way to acceptance: what each step of it has found out so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from einvoice.domain.identifiers import DocumentTypeId
from einvoice.domain.profiles import Profile
from einvoice.domain.request import SendRequest
from einvoice.network.connections import Connection
from einvoice.services.forms import NetworkForms
from einvoice.services.runtime import Runtime
from einvoice.services.send.command import SendCommand
from einvoice.services.send.document import AcceptableDocument
from einvoice.services.send.legacy_body import LegacySend
from einvoice.services.send.preparing import FittedInvoice, PreparedSend
from einvoice.store.sending.new_sends import Acceptance, NewSend
from einvoice.validation import Report

Step = Callable[[Any], None]


@dataclass(slots=True, eq=False)
class Draft:
    """One send, and the steps that make it a document to accept.

    Every step reads what those before it have set, and sets its own part. A step that raises ends
    the draft; the exception is its `fault`.

    alone          done by itself, not in a group: its steps may wait
    turn           of a large body, held from before it is read until its document is computed
    wait           seconds that the request may wait for the network
    checks_only    a dry run: nothing is stored
    legacy         the v1 body that the request was made of
    forms          the forms of documents of the network that the send goes to
    profile        the form that its document gets
    prepared       what a computing process has computed of a large send
    document_type  of the document that the request becomes
    route          access point and id of the stored lookup
    connection     the account by which it is sent, where the network needs one
    new            what accepting the document stores
    """

    command: SendCommand
    runtime: Runtime = field(repr=False)
    steps: Sequence[Step]
    alone: bool = False
    turn: ExitStack | None = None
    wait: float = 0.0
    checks_only: bool = False
    request: SendRequest = field(init=False)
    legacy: LegacySend | None = None
    forms: NetworkForms = field(init=False)
    profile: Profile = field(init=False)
    derived: FittedInvoice = field(init=False)
    prepared: PreparedSend | None = None
    document_type: DocumentTypeId = field(init=False)
    route: tuple[str, str | None] = field(init=False)
    connection: Connection | None = None
    report: Report = field(init=False)
    document: AcceptableDocument = field(init=False)
    new: NewSend | None = None
    acceptance: Acceptance | None = None
    fault: Exception | None = None
