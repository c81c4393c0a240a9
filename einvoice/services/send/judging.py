"""Judging documents: small ones in this process, large ones in a computing process.

Measured on one core, in ms: deriving, judging and writing an invoice 0.02 to 0.06 a line, and a
quarter of that for each of its allowances, charges and classifications; writing a megabyte of
attachments 3.5. Each bound is about 50 ms, which reading the longest body does not take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from einvoice import clock
from einvoice.documents.hybrid import is_pdf
from einvoice.documents.hybrid.opening import opened
from einvoice.domain.request import LineRequest, SendDefaults, SendRequest
from einvoice.services.computing.pool import Computing
from einvoice.services.computing.sizes import is_large
from einvoice.services.forms import NetworkForms
from einvoice.services.send.preparing import JudgedSend, prepare
from einvoice.services.send.submission import JudgedDocument, Submission, read

MAX_LINES = 1_000
MAX_OBJECTS = MAX_LINES
MAX_ATTACHED_BYTES = 5 * 1024**2
MAX_BODY_BYTES = MAX_ATTACHED_BYTES * 4 // 3  # in base64
PARTS_PER_LINE = 4  # allowances, charges and classifications that count as a line


def opened_submission(submission: Submission, tenant_id: str, computing: Computing) -> Submission:
    """The submission of the invoice that is attached to a PDF; any other one as it is.

    A PDF is opened in a computing process, whatever its size. One without an invoice is left to the
    report. Raises ComputingUnavailable and ComputationTooLarge.
    """
    if not is_pdf(submission.content):
        return submission
    found = computing.run(tenant_id, opened, submission.content)
    return replace(submission, content=found.xml or submission.content, pdf=found)


def judged(
    submission: Submission,
    tenant_id: str,
    computing: Computing,
    forms: NetworkForms,
    *,
    announced: bool = False,
) -> JudgedDocument:
    """The document with its verdict; `forms` are those of the network.

    `announced`: with a warning for what the next release of the rules will refuse.

    Raises ComputingUnavailable and ComputationTooLarge for a large one.
    """
    on = submission.on or clock.today()
    large = is_large(submission.content)
    return computing.run_by_size(tenant_id, large, read, submission, on, forms, announced)


def is_large_body(body: bytes) -> bool:
    """Whether the computations of a send may take more than 50 ms, by its body before it is read.

    Each line and each of its parts is an object. An attachment is one too, and long.
    """
    return body.count(b"{") > MAX_OBJECTS or len(body) > MAX_BODY_BYTES


def is_large_send(request: SendRequest, times: int = 1) -> bool:
    """Whether deriving, judging and writing the invoice so many times may take more than 50 ms."""
    invoice = request["invoice"]
    lines, most = invoice["lineItems"], MAX_LINES // times
    if len(lines) > most or _parts(lines) > PARTS_PER_LINE * (most - len(lines)):
        return True
    attached = sum(len(entry["content"]) for entry in invoice.get("attachments", ()))
    return attached * times > MAX_ATTACHED_BYTES


def _parts(lines: Sequence[LineRequest]) -> int:
    """The number of allowances, charges and classifications of all lines."""
    return sum(
        len(line.get("allowances", ()))
        + len(line.get("charges", ()))
        + len(line.get("classifications", ()))
        for line in lines
    )


def judged_send(
    request: SendRequest,
    defaults: SendDefaults,
    tenant_id: str,
    computing: Computing,
    language: str,
    forms: NetworkForms,
    profile: str,
    on: date | None = None,
) -> JudgedSend:
    """The findings on the invoice that a send would write, and the warnings of its answer.

    profile  the name of the one that it would follow
    on       the day whose rules judge it; None: today

    Raises what `prepare` raises; ComputingUnavailable and ComputationTooLarge for a large one.
    """
    day = on or clock.today()
    large, run = is_large_send(request), computing.run_by_size
    return run(tenant_id, large, prepare, request, defaults, day, language, forms, profile)
