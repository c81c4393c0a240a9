"""Evidence of networks, as artefacts of invoices."""

from __future__ import annotations

import hashlib
from datetime import datetime

from einvoice.domain import ids
from einvoice.network.types import Evidence
from einvoice.store.invoices.artefacts import NewArtefact

MAX_TEXT_CHARACTERS = 2_000


def storable_text(text: str) -> str:
    """Text of a network in a form that databases accept: without NUL and lone surrogates, cut."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "")[:MAX_TEXT_CHARACTERS]


def artefact_of(
    evidence: Evidence,
    key: str,
    now: datetime,
    *,
    tenant_id: str,
    invoice_id: str,
    transmission_id: str | None,
) -> NewArtefact:
    """The artefact to store, with a new id. `key`: the number in the name of its file."""
    reference = evidence.authority_reference
    return NewArtefact(
        id=str(ids.time_ordered(now)),
        tenant_id=tenant_id,
        invoice_id=invoice_id,
        transmission_id=transmission_id,
        kind=evidence.kind.code,
        name=evidence.kind.file_name_of(key),
        content_type=storable_text(evidence.content_type or evidence.kind.content_type),
        sha256=hashlib.sha256(evidence.content).hexdigest(),
        size=len(evidence.content),
        authority_reference=None if reference is None else storable_text(reference),
        legal_original=evidence.legal_original,
        retention_years=evidence.retention_years,
        created_at=now,
        content=evidence.content,
    )
