"""Send an invoice: check it, store it, leave the sending to a worker, wait for the first answer.

Sends that come at the same time are checked together step by step, and stored in one commit
(services/grouping). The first answer is fixed once (decisions 0.1): Processing, or network-failed
if the network rejected the document while the request was still waiting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from einvoice.domain.delivery import SendAnswer
from einvoice.domain.errors import RequestRefused
from einvoice.domain.request import SendRequest
from einvoice.services.grouping import Work
from einvoice.services.runtime import Runtime
from einvoice.services.send import check
from einvoice.services.send.accept import new_send, refuse_overload, result_of
from einvoice.services.send.answer import wait_and_answer
from einvoice.services.send.command import SendCommand
from einvoice.services.send.draft import Draft
from einvoice.services.send.replay import replay_or_raise
from einvoice.services.send.result import SendResult
from einvoice.store.sending import acceptance
from einvoice.store.sending.new_sends import Accepted

# A longer body is worked at by itself: it would hold up a group of short ones.
MAX_GROUPED_BYTES = 32 * 1024


def send(
    command: SendCommand, read: Callable[[bytes], SendRequest], runtime: Runtime
) -> SendResult:
    """Send the invoice of a body, or only check it (`options.dryRun`).

    `read` returns the request that a body holds. Every refusal is a RequestRefused. A key that was
    accepted before answers with the first result, whatever the body says now.
    """

    return send_draft(draft_of(command, read, runtime))


def draft_of(command: SendCommand, read: Callable[[bytes], SendRequest], runtime: Runtime) -> Draft:
    """The draft of a send, with all its steps."""
    return Draft(command, runtime, partial(check.steps, read))


def send_draft(draft: Draft) -> SendResult:
    """Accept the document that the steps of the draft make, and wait for the first answer.

    A key that was accepted before answers with the first result instead of the refusal.
    """
    command, runtime = draft.command, draft.runtime
    with runtime.waiting_room.seat(command.principal.tenant_id, command.wait > 0) as seated:
        draft.wait = command.wait if seated else 0.0
        try:
            _accept(draft)
        except RequestRefused as refusal:  # it was not its turn in time
            draft.fault = refusal
        answer = _first_answer(draft)
    return final_result(draft, answer)


def _accept(draft: Draft) -> None:
    """Do the steps, and store the document, with other sends if the body is short.

    A person's send is stored by itself: with its entry in the audit log it takes longer.
    """
    grouping, command = draft.runtime.grouping, draft.command
    single = len(command.body) > MAX_GROUPED_BYTES or command.principal.person is not None
    draft.alone = draft.alone or single
    run = grouping.run_alone if draft.alone else grouping.run
    run(draft, WORK)


def run_steps(drafts: Sequence[Draft]) -> None:
    """Run the first step of all drafts, then the second: a step over many finds its code cached."""
    open_ = [(draft, steps_of(draft)) for draft in drafts]
    while open_:
        open_ = [(draft, steps) for draft, steps in open_ if _goes_on(draft, steps)]


def _goes_on(draft: Draft, steps: Iterator[str]) -> bool:
    """Do the next step of a draft; whether there is another one."""
    try:
        return next(steps, None) is not None
    except Exception as fault:  # noqa: BLE001 - raised in the thread of its request
        draft.fault = fault
        return False


def steps_of(draft: Draft) -> Iterator[str]:
    """All steps of a draft: its checks, then what accepting its document stores or would give."""
    document = draft.document = yield from draft.steps(draft)
    command, runtime = draft.command, draft.runtime
    if draft.checks_only:
        new = new_send(command, document, runtime)
        draft.foreseen = result_of(acceptance.foresee(new), new, command, runtime)
    else:
        refuse_overload(runtime)
        draft.new = new_send(command, document, runtime, draft.wait)


def store(drafts: Sequence[Draft]) -> None:
    """Store the documents of all drafts that have passed their steps, in one commit."""
    passed = [(draft, draft.new) for draft in drafts if draft.new is not None]
    stored = acceptance.accept_together([new for _, new in passed])
    for (draft, _), result in zip(passed, stored, strict=True):
        if isinstance(result, Exception):
            draft.fault = result
        else:
            draft.acceptance = result


WORK = Work(run_steps, store)


def _first_answer(draft: Draft) -> SendAnswer:
    """Wait for the network, if the document was accepted now. Raises NetworkFailed."""
    new = draft.new
    if new is None or draft.wait <= 0 or not isinstance(draft.acceptance, Accepted):
        return SendAnswer.PROCESSING
    return wait_and_answer(
        new.invoice_id, new.transmission_id, draft.command, draft.runtime, draft.wait
    )


def final_result(draft: Draft, answer: SendAnswer = SendAnswer.PROCESSING) -> SendResult:
    """The result with this answer, or the result of the key's first send. Raises the refusal."""
    command, runtime = draft.command, draft.runtime
    if isinstance(draft.fault, RequestRefused) and not draft.checks_only:
        return replay_or_raise(command, runtime, draft.fault)
    if draft.fault is not None:
        raise draft.fault
    if draft.new is None or draft.acceptance is None:
        return _dry_result(draft)
    result = result_of(draft.acceptance, draft.new, command, runtime)
    return result if result.replay or answer is result.answer else replace(result, answer=answer)


def _dry_result(draft: Draft) -> SendResult:
    """The result of a dry run, with the document if it is wanted."""
    checked, foreseen = draft.document, draft.foreseen
    # A draft without a fault has passed its checks.
    assert checked is not None  # noqa: S101
    assert foreseen is not None  # noqa: S101
    wanted = draft.options.get("includeDocument")
    document = (checked.network_document or checked.document) if wanted else None
    return SendResult(None, None, foreseen.warnings, dry_run=True, document=document)
