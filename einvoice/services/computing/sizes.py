"""How large a document is that this process reads and judges itself.

Measured on one core, in ms of CPU: reading and judging 15,000 tags (about 130 lines) 15 to 50, with
1,000 findings to word up to 150; 15,000 attributes of one element 15; two megabytes of attachments
10, of text in the field whose rules look at it most 180. What takes longer than that ends at a
deadline (Computing.run). tests/validation/test_growth.py has the worst documents.
"""

from __future__ import annotations

MAX_TAGS = 15_000
MAX_ATTRIBUTES = 15_000  # and other equals signs
MAX_BYTES = 2 * 1024**2
_MIN_BYTES = MAX_TAGS * len("<a>")  # a shorter document has fewer tags and attributes


def is_large(document: bytes, times: int = 1) -> bool:
    """Whether reading and judging a document so many times may take long."""
    if len(document) * times < _MIN_BYTES:
        return False
    return (
        len(document) * times > MAX_BYTES
        or document.count(b"<") * times > MAX_TAGS
        or document.count(b"=") * times > MAX_ATTRIBUTES
    )
