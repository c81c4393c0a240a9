"""What the routes share that compute in processes of their own (services/computing)."""

from __future__ import annotations

from einvoice.domain.errors import ComputationTooLarge, ComputingUnavailable

REFUSALS = (ComputingUnavailable, ComputationTooLarge)
