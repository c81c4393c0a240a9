"""Send an invoice: check it, store it, leave the sending to a worker, wait for the first answer.

The first answer is fixed once (decisions 0.1): Processing, or network-failed if the network
rejected the document while the request was still waiting.
"""

from __future__ import annotations

from collections.abc import Callable

from einvoice.domain.errors import RequestRefused
from einvoice.domain.request import SendRequest
from einvoice.services.runtime import Runtime
from einvoice.services.send.accept import accept, refuse_overload
from einvoice.services.send.check import check
from einvoice.services.send.command import SendCommand
from einvoice.services.send.document import AcceptableDocument
from einvoice.services.send.replay import replay_or_raise
from einvoice.services.send.result import SendResult


def send(command: SendCommand, request: SendRequest, runtime: Runtime) -> SendResult:
    """Send the invoice of a request, or only check it (`options.dryRun`).

    Every refusal is a RequestRefused. A key that was accepted before answers with the first
    result, whatever the body says now.
    """
    if request["options"].get("dryRun"):
        document = check(request, command, runtime)
        return SendResult(None, None, document.warnings, dry_run=True)
    return send_checked(command, lambda: check(request, command, runtime), runtime)


def send_checked(
    command: SendCommand, checked: Callable[[], AcceptableDocument], runtime: Runtime
) -> SendResult:
    """Accept the document that `checked` returns, and wait for the first answer."""
    try:
        document = checked()
        refuse_overload(runtime)
    except RequestRefused as refusal:
        return replay_or_raise(command, runtime, refusal)
    with runtime.waiting_room.seat(command.wait > 0) as seated:
        return accept(command, document, runtime, command.wait if seated else 0.0)
