"""Namespaces and code lists of the Cross Industry Invoice D16B."""

from __future__ import annotations

from typing import Final

_UNECE: Final = "urn:un:unece:uncefact:data:standard"

RSM: Final = f"{_UNECE}:CrossIndustryInvoice:100"
RAM: Final = f"{_UNECE}:ReusableAggregateBusinessInformationEntity:100"
UDT: Final = f"{_UNECE}:UnqualifiedDataType:100"
QDT: Final = f"{_UNECE}:QualifiedDataType:100"

ROOT: Final = f"{{{RSM}}}CrossIndustryInvoice"

# The codes of UNTDID 1001 that EN 16931 treats as credit notes (BR-CL-01). UBL has a document of
# its own for them; in CII only the code distinguishes them.
CREDIT_NOTE_TYPES: Final = frozenset(
    ["81", "83", "261", "262", "296", "308", "381", "396", "420", "458", "502", "503", "532"]
)
# BT-8: the same three events have codes of UNTDID 2475 in CII and of UNTDID 2005 in UBL.
TAX_POINT_CODES: Final = {"5": "3", "29": "35", "72": "432"}
