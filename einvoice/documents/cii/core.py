"""The part of an extension's document that is an invoice of EN 16931, in its elements.

EXTENDED of Factur-X has lines that only group others or inform, logistics services beside the
charges, and two identifiers of a buyer where EN 16931 has one.
"""

from __future__ import annotations

from copy import deepcopy

from lxml import etree

from einvoice.documents.cii.tags import ram, rsm, udt

_GROUPING = frozenset({"GROUP", "INFORMATION"})
_STATUS = f"{ram.AssociatedDocumentLineDocument}/{ram.LineStatusReasonCode}"
_TRANSACTION = rsm.SupplyChainTradeTransaction
_SETTLEMENT = f"{_TRANSACTION}/{ram.ApplicableHeaderTradeSettlement}"
_SERVICES = f"{_SETTLEMENT}/{ram.SpecifiedLogisticsServiceCharge}"
_BUYER = f"{_TRANSACTION}/{ram.ApplicableHeaderTradeAgreement}/{ram.BuyerTradeParty}"


def core_of(root: etree._Element) -> etree._Element:
    """A copy of a CII document without what an extension adds; the document itself if it has none.

    A logistics service becomes a charge (BG-21) of its amount, reason and VAT category.
    """
    if not any((_grouping(root), root.findall(_SERVICES), _surplus_ids(root))):
        return root
    core = deepcopy(root)
    for element in (*_grouping(core), *_surplus_ids(core)):
        remove(element)
    for service in core.findall(_SERVICES):
        service.addprevious(_charge(service))
        remove(service)
    return core


def _grouping(root: etree._Element) -> list[etree._Element]:
    lines = root.iterfind(f"{_TRANSACTION}/{ram.IncludedSupplyChainTradeLineItem}")
    return [line for line in lines if (line.findtext(_STATUS) or "").strip() in _GROUPING]


def _surplus_ids(root: etree._Element) -> list[etree._Element]:
    """The identifiers of the buyer without a scheme, beside one with a scheme."""
    buyer = root.find(_BUYER)
    if buyer is None or buyer.find(ram.GlobalID) is None:
        return []
    return buyer.findall(ram.ID)


def remove(element: etree._Element | None) -> None:
    """Take an element out of its document; the document element stays."""
    above = None if element is None else element.getparent()
    if element is not None and above is not None:
        above.remove(element)


def _charge(service: etree._Element) -> etree._Element:
    charge = etree.Element(ram.SpecifiedTradeAllowanceCharge)
    indicator = etree.SubElement(charge, ram.ChargeIndicator)
    etree.SubElement(indicator, udt.Indicator).text = "true"
    for name, source in (
        (ram.ActualAmount, ram.AppliedAmount),
        (ram.Reason, ram.Description),
        (ram.CategoryTradeTax, ram.AppliedTradeTax),
    ):
        for found in service.findall(source)[:1]:
            moved = deepcopy(found)
            moved.tag = name
            moved.tail = None
            charge.append(moved)
    return charge
