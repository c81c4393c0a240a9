"""Paths of the groups of a CII invoice, and text() of nodes as XPath evaluates it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.node import Node
from einvoice.rules.values import normalized, parse_double
from einvoice.rules.view import View

INVOICE = "/rsm:CrossIndustryInvoice"
TRADE = "rsm:SupplyChainTradeTransaction"
AGREEMENT = f"{TRADE}/ram:ApplicableHeaderTradeAgreement"
DELIVERY = f"{TRADE}/ram:ApplicableHeaderTradeDelivery"
SETTLEMENT = f"{TRADE}/ram:ApplicableHeaderTradeSettlement"
SELLER = f"{AGREEMENT}/ram:SellerTradeParty"
BUYER = f"{AGREEMENT}/ram:BuyerTradeParty"
REPRESENTATIVE = f"{AGREEMENT}/ram:SellerTaxRepresentativeTradeParty"
ITEM = "ram:IncludedSupplyChainTradeLineItem"
LINE = f"{TRADE}/{ITEM}"
ITEM_DOCUMENT = "ram:AssociatedDocumentLineDocument"
LINE_STATUS = f"{ITEM_DOCUMENT}/ram:LineStatusReasonCode"
LINE_SETTLEMENT = "ram:SpecifiedLineTradeSettlement"
BILLED_QUANTITY = "ram:SpecifiedLineTradeDelivery/ram:BilledQuantity"
ALLOWANCE = "ram:SpecifiedTradeAllowanceCharge"
INDICATOR = "ram:ChargeIndicator/udt:Indicator"
MEANS = "ram:SpecifiedTradeSettlementPaymentMeans"
COUNTRY = "ram:PostalTradeAddress/ram:CountryID"
LEGAL_ID = "ram:SpecifiedLegalOrganization/ram:ID"
GUIDELINE = "rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID"
TAX_ID = "ram:SpecifiedTaxRegistration/ram:ID"


def single_text_node(view: View, nodes: Sequence[Node]) -> str:
    """text() of the nodes where a rule needs at most one; "" if there is none.

    A comment splits a text into two text nodes. Raises MoreThanOneItem.
    """
    if len(nodes) == 1:
        return view.text_node(nodes[0])
    pieces = [piece for node in nodes for piece in view.text_nodes(node)]
    if len(pieces) > 1:
        raise MoreThanOneItem(nodes[0], nodes[0].name, len(pieces))
    return pieces[0] if pieces else ""


def normalized_text(node: Node, view: View, path: str) -> str:
    """normalize-space(path/text()). Raises MoreThanOneItem."""
    return normalized(single_text_node(view, node.all(path)))


def to_double(text: str) -> float:
    """number(): NaN for a text that is not an xs:double."""
    found = parse_double(text)
    return math.nan if found is None else found


def single_scheme(nodes: Sequence[Node]) -> str:
    """The schemeID of the nodes where a rule needs at most one; "" if there is none.

    Raises MoreThanOneItem.
    """
    found = [node for node in nodes if "schemeID" in node.attributes]
    if len(found) > 1:
        raise MoreThanOneItem(found[0], found[0].name, len(found))
    return found[0].attributes["schemeID"] if found else ""


def with_scheme(nodes: Sequence[Node], scheme: str) -> list[Node]:
    """The identifiers with this schemeID."""
    return [node for node in nodes if node.attributes.get("schemeID") == scheme]


def single_text(nodes: Sequence[Node]) -> str:
    """The text of the nodes where a rule needs at most one; "" if none. Raises MoreThanOneItem."""
    if len(nodes) > 1:
        raise MoreThanOneItem(nodes[0], nodes[0].name, len(nodes))
    return nodes[0].text if nodes else ""
