"""The size limit of an access point (`Capabilities.max_bytes`), at the send and before submitting.

The limit is for the document itself, not for what the network wraps around it.
"""

from __future__ import annotations

from einvoice.domain.errors import DocumentTooLarge
from einvoice.network.reasons import TOO_LARGE
from einvoice.network.types import AccessPoint, Rejected


def check_size(point: AccessPoint, document: bytes) -> None:
    """Raise DocumentTooLarge for a document that is larger than the access point takes."""
    limit = point.capabilities.max_bytes
    if limit is not None and len(document) > limit:
        raise DocumentTooLarge(f"{_both_sizes(document, limit)} Send smaller attachments.", limit)


def too_large(point: AccessPoint, document: bytes) -> Rejected | None:
    """The outcome of a document that became too large after it was accepted, else None.

    The limit may have changed since, and a PDF may have been embedded.
    """
    limit = point.capabilities.max_bytes
    if limit is None or len(document) <= limit:
        return None
    reason = _both_sizes(document, limit)
    return Rejected(TOO_LARGE.code, reason, reason_code=TOO_LARGE.code)


def _both_sizes(document: bytes, limit: int) -> str:
    return f"The document has {len(document):,} bytes; the network takes at most {limit:,}."
