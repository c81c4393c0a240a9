"""The deprecated v1 send: its own rule of totals (decisions 16, 19.10), then as a send."""

from __future__ import annotations

from collections.abc import Callable

from einvoice.domain.errors import UnknownAccessPointRef
from einvoice.services.runtime import Runtime
from einvoice.services.send import check
from einvoice.services.send.accept import make_rows
from einvoice.services.send.command import SendCommand
from einvoice.services.send.draft import Draft, Step
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

    def _read(draft: Draft) -> None:
        draft.legacy = read(command.body)
        draft.request = draft.legacy.request

    return Draft(command, runtime, (check.take_turn, _read, *_STEPS))


def _check_parties(draft: Draft) -> None:
    """As of a send, but accessPointRef is optional."""
    legacy = draft.legacy
    assert legacy is not None  # noqa: S101 - set by the first step
    field = legacy.names.of(SENDER_FIELD)
    check_parties(draft.request["routing"], draft.command.principal, draft.runtime, field)


def _find_route(draft: Draft) -> None:
    try:
        check.find_route(draft)
    except UnknownAccessPointRef as refusal:
        legacy = draft.legacy
        assert legacy is not None  # noqa: S101 - set by the first step
        raise refusal.naming(legacy.names.of("routing.accessPointRef")) from None


_STEPS: tuple[Step, ...] = (
    _check_parties,
    check.find_network,
    check.derive_invoice,
    _find_route,
    check.judge,
    check.write_document,
    make_rows,
)
