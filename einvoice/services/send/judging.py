"""Judging documents: small ones in this process, large ones in a computing process.

Measured on one core, in ms: reading and judging 15,000 tags (about 550 lines) 20 to 50, by the
number of findings; a megabyte of attachments 8; deriving, judging and writing an invoice 0.02 to
0.06 a line, and a quarter of that for each of its allowances, charges and classifications; writing
a megabyte of attachments 3.5. Each bound below is about 50 ms. Reading the longest body takes less.
"""

from __future__ import annotations

from collections.abc import Sequence

from einvoice import clock
from einvoice.domain.request import LineRequest, SendDefaults, SendRequest
from einvoice.services.computing.pool import Computing
from einvoice.services.send.preparing import JudgedSend, prepare
from einvoice.services.send.submission import JudgedDocument, Submission, read

MAX_TAGS = 15_000
MAX_BYTES = 5 * 1024**2
MAX_LINES = 1_000
PARTS_PER_LINE = 4  # allowances, charges and classifications that count as a line
_MIN_BYTES = MAX_TAGS * len("<a>")  # a shorter document has fewer tags


def is_large(content: bytes) -> bool:
    """Whether reading and judging a document may take more than 50 ms."""
    if len(content) < _MIN_BYTES:
        return False
    return len(content) > MAX_BYTES or content.count(b"<") > MAX_TAGS


def judged(submission: Submission, tenant_id: str, computing: Computing) -> JudgedDocument:
    """The document with its verdict.

    Raises ComputingUnavailable and ComputationTooLarge for a large one.
    """
    if is_large(submission.content):
        return computing.run(tenant_id, read, submission, clock.today())
    return read(submission, clock.today())


def is_large_send(request: SendRequest) -> bool:
    """Whether deriving, judging and writing the invoice may take more than 50 ms."""
    invoice = request["invoice"]
    lines = invoice["lineItems"]
    if len(lines) > MAX_LINES or _parts(lines) > PARTS_PER_LINE * (MAX_LINES - len(lines)):
        return True
    return sum(len(attached["content"]) for attached in invoice.get("attachments", ())) > MAX_BYTES


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
) -> JudgedSend:
    """The findings on the invoice that a send would write, and the warnings of its answer.

    Raises what `prepare` raises; ComputingUnavailable and ComputationTooLarge for a large one.
    """
    if is_large_send(request):
        return computing.run(tenant_id, prepare, request, defaults, clock.today(), language)
    return prepare(request, defaults, clock.today(), language)
