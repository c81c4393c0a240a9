"""The two separate environments: test keys reach test networks only (decisions 19.6)."""

from __future__ import annotations

from enum import StrEnum


class Environment(StrEnum):
    TEST = "test"
    LIVE = "live"
