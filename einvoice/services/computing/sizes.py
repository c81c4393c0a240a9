"""How large a document is that this process reads and judges itself.

Measured on one core, in ms: reading and judging 15,000 tags (about 550 lines) 20 to 50, by the
number of findings; a megabyte of attachments 8. Each bound is about 50 ms.
"""

from __future__ import annotations

MAX_TAGS = 15_000
MAX_BYTES = 5 * 1024**2
_MIN_BYTES = MAX_TAGS * len("<a>")  # a shorter document has fewer tags


def is_large(document: bytes, times: int = 1) -> bool:
    """Whether reading and judging a document so many times may take more than 50 ms."""
    if len(document) * times < _MIN_BYTES:
        return False
    return len(document) * times > MAX_BYTES or document.count(b"<") * times > MAX_TAGS
