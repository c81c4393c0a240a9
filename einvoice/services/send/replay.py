"""Replays: a key that was accepted before answers with its first result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from einvoice import clock
from einvoice.domain.delivery import SendAnswer
from einvoice.domain.errors import IdempotencyInProgress, IdempotencyKeyReuse, RequestRefused
from einvoice.domain.request import SendWarning
from einvoice.services.account import tenants
from einvoice.services.runtime import Runtime
from einvoice.services.send.answer import fix_answer, network_failed
from einvoice.services.send.command import SEND_SPACE, SendCommand
from einvoice.services.send.json_bodies import same_meaning
from einvoice.services.send.result import SendResult
from einvoice.store.account import idempotency
from einvoice.store.account.idempotency import AcceptedKey
from einvoice.store.invoices import invoices
from einvoice.store.invoices.invoices import FirstAnswer

_PAYLOAD_MISMATCH = SendWarning("idempotency-payload-mismatch").as_data()


def replay_or_raise(command: SendCommand, runtime: Runtime, refusal: RequestRefused) -> SendResult:
    """The first result of the request's key, or the refusal."""
    accepted = idempotency.find(command.scope) if command.scope else None
    if accepted is None:
        raise refusal
    return replay(command, accepted, runtime)


def replay(
    command: SendCommand, accepted: AcceptedKey, runtime: Runtime, first: FirstAnswer | None = None
) -> SendResult:
    """The first result of the key. If the first request still waits, this one waits with it.

    `first` is the first answer, where the caller has read it already.
    Raises IdempotencyKeyReuse, NetworkFailed, IdempotencyInProgress.
    """
    mismatch = _is_another(command, accepted)
    tenant_id = command.principal.tenant_id
    if mismatch and tenants.get(tenant_id, runtime.caches).strict_idempotency:
        raise IdempotencyKeyReuse("This Idempotency-Key was used with another body.")
    first = first or invoices.first_answer(accepted.transmission_id)
    answer = SendAnswer(first.answered or SendAnswer.PROCESSING)
    if first.answered is None and not first.lapsed(clock.now()):
        answer = _wait_with_first(command, accepted, runtime)
    warnings = (*first.warnings, _PAYLOAD_MISMATCH) if mismatch else tuple(first.warnings)
    return SendResult(
        accepted.invoice_id, accepted.transmission_id, warnings, replay=True,
        payload_mismatch=mismatch, answer=answer,
    )  # fmt: skip


def _is_another(command: SendCommand, accepted: AcceptedKey) -> bool:
    """Whether the body says something else than the first one of the key.

    A batch and a single send share their keys, and write one body in two forms.
    """
    if accepted.fingerprint == command.fingerprint:
        return False
    if command.space != SEND_SPACE:
        return True
    who = command.principal
    first = invoices.documents(accepted.invoice_id, who.tenant_id, who.environment.value)
    try:
        return first is None or not same_meaning(first.original, command.body)
    except RequestRefused:  # its bytes were dropped, or cannot be read now
        return True


class Replay(NamedTuple):
    """The result for a known key: its invoice, and its first result, as `replay`."""

    invoice_id: str
    result: Callable[[], SendResult]


def replays(commands: Sequence[SendCommand], runtime: Runtime) -> dict[int, Replay]:
    """The replays of the commands whose keys were accepted before, by position, in two queries."""
    accepted = idempotency.find_many([command.scope for command in commands if command.scope])
    first = invoices.first_answers([key.transmission_id for key in accepted.values()])
    return {
        position: Replay(
            key.invoice_id, partial(replay, command, key, runtime, first.get(key.transmission_id))
        )
        for position, command in enumerate(commands)
        if command.scope and (key := accepted.get(command.scope))
    }


def _wait_with_first(command: SendCommand, accepted: AcceptedKey, runtime: Runtime) -> SendAnswer:
    """The answer of the first request, once it has one."""
    room = runtime.waiting_room
    with room.seat(command.principal.tenant_id, wanted=True) as seated:
        wait = max(command.wait, runtime.settings.send_wait)
        known = seated and room.wait(
            accepted.transmission_id, wait, until_settled=command.until_settled
        )
    first = invoices.first_answer(accepted.transmission_id)
    if first.answered == SendAnswer.NETWORK_FAILED:
        raise network_failed(accepted.invoice_id, accepted.transmission_id, command.language)
    if first.answered is not None:
        return SendAnswer(first.answered)
    if not known:
        raise IdempotencyInProgress("The first request with this key has no answer yet.")
    return fix_answer(accepted.invoice_id, accepted.transmission_id, command)
