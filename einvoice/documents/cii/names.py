"""Namespaces and code lists of the Cross Industry Invoice D16B."""

from __future__ import annotations

from typing import Final

_UNECE: Final = "urn:un:unece:uncefact:data:standard"

RSM: Final = f"{_UNECE}:CrossIndustryInvoice:100"
RAM: Final = f"{_UNECE}:ReusableAggregateBusinessInformationEntity:100"
UDT: Final = f"{_UNECE}:UnqualifiedDataType:100"
QDT: Final = f"{_UNECE}:QualifiedDataType:100"

ROOT: Final = f"{{{RSM}}}CrossIndustryInvoice"

# BT-8: the same three events have codes of UNTDID 2475 in CII and of UNTDID 2005 in UBL.
TAX_POINT_CODES: Final = {"5": "3", "29": "35", "72": "432"}
