"""The metadata of an artefact in responses."""

from __future__ import annotations

from typing import Any

from einvoice import clock
from einvoice.services.invoices.detail import ArtefactSummary


def artefact_body(item: ArtefactSummary) -> dict[str, Any]:
    """The metadata of an artefact as JSON."""
    return {
        "artefactId": item.id,
        "type": item.kind,
        "name": item.name,
        "contentType": item.content_type,
        "sizeBytes": item.size,
        "sha256": item.sha256,
        "createdAt": clock.timestamp(item.created_at),
        "authorityReference": item.authority_reference,
        "legalOriginal": item.legal_original,
        "retentionYears": item.retention_years,
    }
