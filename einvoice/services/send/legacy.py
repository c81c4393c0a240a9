"""The deprecated v1 send: its own rule of totals (decisions 16, 19.10), then as a send."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from einvoice import validation
from einvoice.domain.derive import derive
from einvoice.domain.errors import UnknownAccessPointRef, ValidationFailed
from einvoice.domain.field_names import FieldNames
from einvoice.domain.legacy_totals import LegacyLine, check_legacy
from einvoice.domain.request import SendRequest
from einvoice.services.runtime import Runtime
from einvoice.services.send import check
from einvoice.services.send.accept import make_rows
from einvoice.services.send.check import check_parties, defaults_of, refuse_errors
from einvoice.services.send.command import SendCommand
from einvoice.services.send.draft import Draft, Step
from einvoice.services.send.result import SendResult
from einvoice.services.send.send import send_draft


@dataclass(frozen=True, slots=True)
class LegacySend:
    """A v1 request as a send, with the lines and the total as v1 has them.

    `names`: what the v1 body calls the fields of a send.
    """

    request: SendRequest
    lines: Iterable[LegacyLine]
    total_amount: Decimal
    names: FieldNames


def send_legacy(
    command: SendCommand, read: Callable[[bytes], LegacySend], runtime: Runtime
) -> SendResult:
    """Send the invoice of a body. The amount due is totalAmount; cents by which the lines differ
    from it are written as rounding. Every refusal is a RequestRefused."""
    return send_draft(draft_of(command, read, runtime))


def draft_of(command: SendCommand, read: Callable[[bytes], LegacySend], runtime: Runtime) -> Draft:
    """The draft of a send with a v1 body, with all its steps."""
    return _LegacyDraft(command, runtime, (_Read(read), *_STEPS))


@dataclass(slots=True, eq=False)
class _LegacyDraft(Draft):
    legacy: LegacySend = field(init=False)


@dataclass(frozen=True, slots=True)
class _Read:
    """The step that reads the body."""

    read: Callable[[bytes], LegacySend]

    def __call__(self, draft: _LegacyDraft) -> None:
        draft.legacy = self.read(draft.command.body)
        draft.request = draft.legacy.request


def _check_parties(draft: _LegacyDraft) -> None:
    check_parties(draft.request["routing"], draft.command.principal, draft.runtime)


def _derive(draft: _LegacyDraft) -> None:
    request, legacy = draft.request, draft.legacy
    computed = check_legacy(legacy.lines, legacy.total_amount)
    defaults = defaults_of(draft.command.principal, request, draft.runtime)
    draft.derived = derive(request["invoice"], request["routing"], defaults, computed)


def _find_route(draft: _LegacyDraft) -> None:
    try:
        check.find_route(draft)
    except UnknownAccessPointRef as refusal:
        raise refusal.naming(draft.legacy.names.of("routing.accessPointRef")) from None


def _judge(draft: _LegacyDraft) -> None:
    try:
        check.judge(draft)
    except ValidationFailed:
        # Judged again for the words: what is stored of an accepted invoice has a send's names.
        routing, names = draft.request["routing"], draft.legacy.names
        refuse_errors(validation.findings(draft.derived.invoice, routing, names=names))
        raise


_STEPS: tuple[Step, ...] = (
    _check_parties,
    _derive,
    _find_route,
    _judge,
    check.write_document,
    make_rows,
)
