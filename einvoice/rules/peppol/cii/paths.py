"""The groups of a CII invoice that the Peppol rules ask for, and text() as XPath has it."""

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
SETTLEMENT = f"{TRADE}/ram:ApplicableHeaderTradeSettlement"
LINE = f"{TRADE}/ram:IncludedSupplyChainTradeLineItem"
SELLER = f"{AGREEMENT}/ram:SellerTradeParty"
BUYER = f"{AGREEMENT}/ram:BuyerTradeParty"
REPRESENTATIVE = f"{AGREEMENT}/ram:SellerTaxRepresentativeTradeParty"
MEANS = "ram:SpecifiedTradeSettlementPaymentMeans"
COUNTRY = "ram:PostalTradeAddress/ram:CountryID"
LEGAL_ID = "ram:SpecifiedLegalOrganization/ram:ID"
TAX_ID = "ram:SpecifiedTaxRegistration/ram:ID"


def written(view: View, nodes: Sequence[Node]) -> str:
    """text() of the nodes where a rule needs one: comments cut a text in two.

    Raises MoreThanOneItem.
    """
    if len(nodes) == 1:
        return view.text_node(nodes[0])
    pieces = [piece for node in nodes for piece in view.text_nodes(node)]
    if len(pieces) > 1:
        raise MoreThanOneItem(nodes[0], nodes[0].name, len(pieces))
    return pieces[0] if pieces else ""


def written_at(node: Node, view: View, path: str) -> str:
    """normalize-space(path/text()). Raises MoreThanOneItem."""
    return normalized(written(view, node.all(path)))


def number(text: str) -> float:
    """number(): NaN for what is none."""
    found = parse_double(text)
    return math.nan if found is None else found


def schemes(nodes: Sequence[Node], attribute: str = "schemeID") -> str:
    """The attribute of the nodes where a rule needs one; "" if none has it.

    Raises MoreThanOneItem.
    """
    found = [node for node in nodes if attribute in node.attributes]
    if len(found) > 1:
        raise MoreThanOneItem(found[0], found[0].name, len(found))
    return found[0].attributes[attribute] if found else ""


def of_scheme(nodes: Sequence[Node], scheme: str) -> list[Node]:
    """The identifiers of one scheme."""
    return [node for node in nodes if node.attributes.get("schemeID") == scheme]


def one(nodes: Sequence[Node]) -> str:
    """The text of the nodes where a rule needs one; "" if there is none. Raises MoreThanOneItem."""
    if len(nodes) > 1:
        raise MoreThanOneItem(nodes[0], nodes[0].name, len(nodes))
    return nodes[0].text if nodes else ""
