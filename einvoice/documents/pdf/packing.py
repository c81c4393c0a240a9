"""Compresses the PDF, and changes its metadata.

The accessibility tags are most of its bytes, and typst writes them uncompressed: in object streams
a long invoice takes a seventh of the size.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pikepdf


def packed(pdf: bytes, change: Callable[[str], str] | None = None) -> bytes:
    """The PDF in fewer bytes; `change` is applied to its XMP metadata."""
    with pikepdf.open(BytesIO(pdf)) as document:
        if change is not None:
            metadata = document.Root.Metadata
            metadata.write(change(metadata.read_bytes().decode("utf-8")).encode("utf-8"))
        written = BytesIO()
        document.save(
            written,
            deterministic_id=True,
            fix_metadata_version=False,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
        )
    return written.getvalue()
