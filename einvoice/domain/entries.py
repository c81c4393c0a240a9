"""Entries that this service has published of participant ids in the directory of a network."""

from __future__ import annotations

from enum import StrEnum


class EntryState(StrEnum):
    """How far an entry is.

    NEW      nothing was written: the network has none
    WRITING  it is written or withdrawn; the network may have it
    LISTED   the network has it
    REFUSED  the network refuses it
    """

    NEW = "new"
    WRITING = "writing"
    LISTED = "listed"
    REFUSED = "refused"
