"""How large a send is that this process evaluates itself; a computing process evaluates others.

Measured on one core, in ms: deriving, judging and writing an invoice 0.02 to 0.06 a line, and a
quarter of that for each of its allowances, charges and classifications; writing a megabyte of
attachments 3.5. Each bound is about 50 ms, which reading the longest body does not take.
"""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.domain.request import LineRequest, SendRequest

MAX_LINES = 1_000
MAX_OBJECTS = MAX_LINES
MAX_ATTACHED_BYTES = 5 * 1024**2
MAX_BODY_BYTES = MAX_ATTACHED_BYTES * 4 // 3  # in base64
PARTS_PER_LINE = 4  # allowances, charges and classifications that count as a line


def is_large_body(body: bytes) -> bool:
    """Whether evaluating a send may take more than 50 ms, by its body before it is read.

    Each line and each of its parts is an object. An attachment is one too, and long.
    """
    return body.count(b"{") > MAX_OBJECTS or len(body) > MAX_BODY_BYTES


def is_large_send(request: SendRequest, times: int = 1) -> bool:
    """Whether evaluating the invoice so many times may take more than 50 ms."""
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
