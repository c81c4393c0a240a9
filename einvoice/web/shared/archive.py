"""Code shared by routes that return documents, originals, PDFs and evidence."""

from __future__ import annotations

from einvoice.domain.errors import ArchiveDamaged, ArchiveUnavailable, DocumentDropped

REFUSALS = (DocumentDropped, ArchiveDamaged, ArchiveUnavailable)
