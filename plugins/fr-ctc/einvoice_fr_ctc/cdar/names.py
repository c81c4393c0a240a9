"""Namespaces of CDAR."""

from __future__ import annotations

from typing import Final

_DATA: Final = "urn:un:unece:uncefact:data:standard"
RSM: Final = f"{_DATA}:CrossDomainAcknowledgementAndResponse:100"
RAM: Final = f"{_DATA}:ReusableAggregateBusinessInformationEntity:100"
QDT: Final = f"{_DATA}:QualifiedDataType:100"
UDT: Final = f"{_DATA}:UnqualifiedDataType:100"
ROOT: Final = f"{{{RSM}}}CrossDomainAcknowledgementAndResponse"
PREFIXES: Final = {"rsm": RSM, "ram": RAM, "qdt": QDT, "udt": UDT}
