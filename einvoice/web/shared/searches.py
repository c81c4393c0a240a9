"""Searches and counts, for which PostgreSQL may take seconds where a tenant has millions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from einvoice.web import concurrency

# Filters that an index of texts finds (store/lists), which takes longer for more hits.
_SEARCHED = frozenset({"q", "party"})


def slot_of(query: Mapping[str, Any]) -> AbstractContextManager[None]:
    """Let other requests compute while the page of this query is read, if it is searched.

    A page along an index takes milliseconds: leaving the slot for it would cost more.
    """
    if _SEARCHED & query.keys():
        return concurrency.computing_slot_released()
    return nullcontext()
