"""`ram.ID`, `rsm.ExchangedDocument`: the names of CII's elements as the parser knows them."""

from __future__ import annotations

from einvoice.documents.cii.names import QDT, RAM, RSM, UDT
from einvoice.documents.tree import Names

rsm = Names(RSM)
ram = Names(RAM)
udt = Names(UDT)
qdt = Names(QDT)
