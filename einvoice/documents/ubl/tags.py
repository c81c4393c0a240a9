"""`cbc.ID`, `cac.Party`: the names of UBL's elements as the parser knows them, for readers."""

from __future__ import annotations

from einvoice.documents.tree import Names
from einvoice.documents.ubl.names import CAC, CBC

cac = Names(CAC)
cbc = Names(CBC)
