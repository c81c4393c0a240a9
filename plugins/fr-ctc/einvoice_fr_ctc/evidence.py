"""Statuses of an invoice from platforms, as its artefacts."""

from __future__ import annotations

from typing import Final

from einvoice.domain.artefacts import RECEIPT, ArtefactKind
from einvoice.network.types import Evidence

RETENTION_YEARS: Final = 10
LIFE_CYCLE: Final = ArtefactKind("LIFE_CYCLE", "application/xml", "life-cycle-{number}.xml")


def acknowledgement(answer: bytes, flow_id: str) -> Evidence:
    """The acknowledgement of a flow."""
    return Evidence(
        RECEIPT,
        answer,
        "application/json",
        authority_reference=flow_id,
        retention_years=RETENTION_YEARS,
    )
