"""Qualified names of CII elements: `ram.ID` is `{namespace}ID`."""

from __future__ import annotations

from einvoice.documents.cii.names import QDT, RAM, RSM, UDT
from einvoice.documents.tree import Names

rsm = Names(RSM)
ram = Names(RAM)
udt = Names(UDT)
qdt = Names(QDT)
