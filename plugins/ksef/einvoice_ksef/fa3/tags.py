"""The elements of FA(3) as names of lxml."""

from __future__ import annotations

from typing import Final

from einvoice.documents.tree import Names
from einvoice_ksef.fa3.structure import NAMESPACE

fa: Final = Names(NAMESPACE)


def tag(name: str) -> str:
    """The name of an element that is put together, such as P_13_1."""
    return f"{{{NAMESPACE}}}{name}"
