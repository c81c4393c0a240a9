"""The first answer of a send: wait for the network, then fix the answer once (decisions 0.1)."""

from __future__ import annotations

from einvoice.domain.delivery import SendAnswer
from einvoice.domain.errors import NetworkFailed
from einvoice.services.runtime import Runtime
from einvoice.services.send.command import SendCommand
from einvoice.store.invoices import invoices
from einvoice.store.sending import first_answers, network_findings
from einvoice.validation import refusal_in_words


def wait_and_answer(
    invoice_id: str, transmission_id: str, command: SendCommand, runtime: Runtime, wait: float
) -> SendAnswer:
    """Wait up to `wait` seconds for the outcome, then fix the answer. Raises NetworkFailed."""
    runtime.waiting_room.wait(transmission_id, wait, until_settled=command.until_settled)
    return fix_answer(invoice_id, transmission_id, command)


def fix_answer(invoice_id: str, transmission_id: str, command: SendCommand) -> SendAnswer:
    """Fix the first answer. Raises NetworkFailed if the document was rejected in time."""
    answer = first_answers.fix(transmission_id, command.scope, until_settled=command.until_settled)
    if answer is SendAnswer.NETWORK_FAILED:
        raise network_failed(invoice_id, transmission_id, command.language)
    return answer


def network_failed(invoice_id: str, transmission_id: str, language: str) -> NetworkFailed:
    """The refusal with what the access point answered; its errors in words of this language."""
    failure = invoices.failure(transmission_id)
    named = network_findings.of_transmission(transmission_id)
    return NetworkFailed(
        f"The access point rejected the invoice: {failure.reason}",
        error_code=failure.error_code or "rejected",
        upstream_status=failure.upstream_status,
        retryable=bool(failure.retryable),
        invoice_id=invoice_id,
        transaction_id=transmission_id,
        findings=[refusal_in_words(each, language) for each in named],
    )
