"""Code shared by routes that compute in separate processes (services/computing)."""

from __future__ import annotations

from einvoice.domain.errors import ComputationTooLarge, ComputingUnavailable

REFUSALS = (ComputingUnavailable, ComputationTooLarge)
