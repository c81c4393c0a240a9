"""The deprecated v1 send: its own rule of totals (decisions 16, 19.10), then as a send."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from einvoice.domain.errors import UnknownAccessPointRef
from einvoice.domain.field_names import FieldNames
from einvoice.services.runtime import Runtime
from einvoice.services.send import check
from einvoice.services.send.check import Route
from einvoice.services.send.command import SendCommand
from einvoice.services.send.draft import Draft, ReadSend, Steps
from einvoice.services.send.evaluation import Plan
from einvoice.services.send.legacy_body import LegacySend
from einvoice.services.send.parties import SENDER_FIELD, check_parties
from einvoice.services.send.result import SendResult
from einvoice.services.send.send import send_draft


def send_legacy(
    command: SendCommand, read: Callable[[bytes], LegacySend], runtime: Runtime
) -> SendResult:
    """Send the invoice of a body. The amount due is totalAmount; cents by which the lines differ
    from it are written as rounding. Every refusal is a RequestRefused."""
    return send_draft(draft_of(command, read, runtime))


def draft_of(command: SendCommand, read: Callable[[bytes], LegacySend], runtime: Runtime) -> Draft:
    """The draft of a send with a v1 body, with all its steps."""
    return Draft(command, runtime, partial(_steps, read))


def _steps(read: Callable[[bytes], LegacySend], draft: Draft) -> Steps:
    """The steps of a send, but accessPointRef is optional, and no account is chosen."""
    with check.turn(draft) as in_turn:
        legacy = read(draft.command.body)
        send = ReadSend(draft.command, draft.runtime, legacy.request, legacy)
        yield "read"
        sender_field = legacy.names.of(SENDER_FIELD)
        check_parties(send.body["routing"], send.principal, send.runtime, sender_field)
        plan = check.plan_of(send)
        yield "parties"
        evaluated = yield from check.evaluation(draft, send, plan, in_turn=in_turn)
    yield "write"
    route = _route(send, plan, legacy.names)
    yield "route"
    check.refuse_errors_of(send, evaluated)
    document = check.document_of(send, plan, evaluated, route)
    yield "document"
    return document


def _route(send: ReadSend, plan: Plan, names: FieldNames) -> Route:
    try:
        return check.find_route(send, plan)
    except UnknownAccessPointRef as refusal:
        raise refusal.naming(names.of("routing.accessPointRef")) from None
