"""Batches of sends in JSON: each is accepted or refused on its own, under a key of its own.

They are processed as the batches of documents (services/send/batch), in chunks of fixed size, and
go through the steps of a single send: those of a chunk together, and their documents are stored in
one commit. A receiver without a reference is looked up with the others of its chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from einvoice import validation
from einvoice.domain.errors import RequestRefused
from einvoice.domain.request import SendRequest
from einvoice.domain.trace import Trace
from einvoice.observability import logging
from einvoice.services.computing.messages import ComputationFailed
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send import batch, check, send
from einvoice.services.send.accept import refuse_overload
from einvoice.services.send.batch import CHUNK_SIZE, BatchResult
from einvoice.services.send.command import SendCommand
from einvoice.services.send.draft import Draft
from einvoice.services.send.receivers import Receiver, Receivers
from einvoice.services.send.replay import replay
from einvoice.services.send.result import SendResult
from einvoice.services.send.send import MAX_GROUPED_BYTES
from einvoice.store.account import idempotency
from einvoice.store.account.idempotency import KeyScope
from einvoice.store.invoices import invoices

log = logging.get(__name__)


@dataclass(frozen=True, slots=True)
class SendItem:
    """One send of a batch, or the refusal of reading it.

    body  what its key stands for, and what is kept as it came
    """

    read: SendRequest | RequestRefused
    body: bytes = b""
    key: str | None = None


def send_batch(
    items: Iterable[SendItem],
    principal: Principal,
    runtime: Runtime,
    language: str = validation.DEFAULT_LANGUAGE,
    trace: Trace | None = None,
) -> tuple[str, list[BatchResult]]:
    """The id of the batch and one result for each item, in order.

    language  of the findings
    trace     of the request

    Raises Overloaded, and ComputingUnavailable before anything is stored.
    """
    refuse_overload(runtime)
    receivers = Receivers(principal, runtime)
    results: list[BatchResult] = []
    rest = iter(items)
    while chunk := list(islice(rest, CHUNK_SIZE)):
        with batch.turn(len(chunk), principal, runtime, begun=bool(results)):
            drafts = [_draft(item, receivers, language, trace) for item in chunk]
            replays = _replays(drafts, runtime)
            receivers.find(_unreferenced(chunk))
            _accept([draft for draft in drafts if draft.command.scope not in replays])
            results += [
                _result(replays.get(draft.command.scope) or partial(send.final_result, draft))
                for draft in drafts
            ]
    return batch.stored(results, principal, trace), results


def _unreferenced(items: Iterable[SendItem]) -> Iterator[Receiver]:
    for item in items:
        if isinstance(item.read, RequestRefused):
            continue
        routing = item.read["routing"]
        if routing.receiver is not None and not routing.access_point_ref:
            yield routing.network, routing.receiver


def _draft(item: SendItem, receivers: Receivers, language: str, trace: Trace | None) -> Draft:
    command = SendCommand(
        item.body, receivers.principal, item.key, 0.0, language=language, trace=trace
    )
    steps = partial(check.steps, lambda _: _referenced(item.read, receivers))
    alone = len(item.body) > MAX_GROUPED_BYTES
    return Draft(command, receivers.runtime, steps, alone=alone)


def _referenced(read: SendRequest | RequestRefused, receivers: Receivers) -> SendRequest:
    """The request with the reference of the lookup. Raises why there is none."""
    if isinstance(read, RequestRefused):
        raise read
    routing = read["routing"]
    if routing.receiver is None or routing.access_point_ref:
        return read
    route = receivers.route(routing.network, routing.receiver)
    if route is None or route.registration_id is None:
        return read
    read["routing"] = replace(routing, access_point_ref=route.registration_id)
    return read


def _replays(
    drafts: Sequence[Draft], runtime: Runtime
) -> Mapping[KeyScope | None, Callable[[], SendResult]]:
    """What answers the drafts whose keys were accepted before, with one query for all."""
    commands = {draft.command.scope: draft.command for draft in drafts if draft.command.scope}
    accepted = idempotency.find_many(list(commands))
    first = invoices.first_answers([key.transmission_id for key in accepted.values()])
    return {
        scope: partial(replay, commands[scope], key, runtime, first.get(key.transmission_id))
        for scope, key in accepted.items()
    }


def _accept(drafts: Sequence[Draft]) -> None:
    """Do the steps of all drafts and store their documents; a large one has its own commit."""
    groups = [[draft for draft in drafts if not draft.alone]]
    groups += [[draft] for draft in drafts if draft.alone]
    for group in groups:
        send.run_steps(group)
        send.store(group)


def _result(result: Callable[[], SendResult]) -> BatchResult:
    try:
        return BatchResult(result())
    except RequestRefused as refusal:
        return BatchResult(refusal=refusal)
    except ComputationFailed:
        log.exception("send of a batch not judged")
        return BatchResult(refusal=batch.not_judged())
