"""Batches of sends in JSON: each is accepted or refused on its own, under a key of its own.

They are processed as the batches of documents (services/send/batch), in chunks of fixed size, and
go through the steps of a single send, a chunk at a time, and their documents are stored in
one commit. A receiver without a reference is looked up with the others of its chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from einvoice import validation
from einvoice.domain.errors import RequestRefused
from einvoice.domain.request import SendRequest
from einvoice.domain.trace import Trace
from einvoice.observability import logging
from einvoice.services.computing.messages import ComputationFailed
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.services.send import batch, check, send
from einvoice.services.send.batch import BatchResult
from einvoice.services.send.command import SendCommand
from einvoice.services.send.draft import Draft
from einvoice.services.send.receivers import Receiver, Receivers
from einvoice.services.send.replay import replays
from einvoice.services.send.result import SendResult
from einvoice.services.send.send import MAX_GROUPED_BYTES

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
    receivers = Receivers(principal, runtime)
    process = partial(_process, receivers=receivers, language=language, trace=trace)
    results = batch.in_chunks(items, principal, runtime, process)
    return batch.stored(results, principal, trace), results


def _process(
    items: Sequence[SendItem], receivers: Receivers, language: str, trace: Trace | None
) -> list[BatchResult]:
    """The results of a chunk, in order."""
    drafts = [_draft(item, receivers, language, trace) for item in items]
    known = replays([draft.command for draft in drafts], receivers.runtime)
    open_ = [position for position in range(len(items)) if position not in known]
    receivers.find(_unreferenced(items[position] for position in open_))
    _accept([drafts[position] for position in open_])
    return [
        _result(known[position].result if position in known else partial(send.final_result, draft))
        for position, draft in enumerate(drafts)
    ]


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
