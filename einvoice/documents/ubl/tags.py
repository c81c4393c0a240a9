"""Qualified names of UBL elements: `cbc.ID` is `{namespace}ID`."""

from __future__ import annotations

from einvoice.documents.tree import Names
from einvoice.documents.ubl.names import CAC, CBC

cac = Names(CAC)
cbc = Names(CBC)
