"""The document as a whole: identifiers, issue date, lines and electronic addresses."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.cii_paths import BUYER, GUIDELINE, SELLER, SETTLEMENT
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import filled, present
from einvoice.rules.values import XML_SPACE
from einvoice.rules.view import View

document = Chapter(
    Layer.CEN_CII,
    gathers=("ram:IncludedSupplyChainTradeLineItem", "ram:CountryID", "ram:CategoryCode"),
)
_TYPE = "rsm:ExchangedDocument"

filled(
    document,
    contexts.DOCUMENT,
    [
        ("BR-01", "BT-24", GUIDELINE),
        ("BR-02", "BT-1", f"{_TYPE}/ram:ID"),
        ("BR-04", "BT-3", f"{_TYPE}/ram:TypeCode"),
        ("BR-05", "BT-5", f"{SETTLEMENT}/ram:InvoiceCurrencyCode"),
        ("BR-06", "BT-27", f"{SELLER}/ram:Name"),
        ("BR-07", "BT-44", f"{BUYER}/ram:Name"),
        ("BR-09", "BT-40", f"{SELLER}/ram:PostalTradeAddress/ram:CountryID"),
        ("BR-11", "BT-55", f"{BUYER}/ram:PostalTradeAddress/ram:CountryID"),
    ],
)
present(
    document,
    contexts.DOCUMENT,
    [
        ("BR-08", "BG-5", f"{SELLER}/ram:PostalTradeAddress"),
        ("BR-10", "BG-8", f"{BUYER}/ram:PostalTradeAddress"),
    ],
)


@document.rule("BR-03", "BT-2", at=contexts.DOCUMENT, kind=Kind.PRESENCE)
def has_an_issue_date(invoice: Node, _: View) -> Values | None:
    """The issue date (BT-2) is given, in format 102."""
    days = invoice.all(f"{_TYPE}/ram:IssueDateTime/udt:DateTimeString")
    dated = [day for day in days if day.attributes.get("format") == "102"]
    if len(dated) > 1:
        raise MoreThanOneItem(dated[0], "ram:IssueDateTime/udt:DateTimeString", len(dated))
    return None if dated and dated[0].text.strip(XML_SPACE) else BROKEN


@document.rule("BR-16", "BG-25", at=contexts.DOCUMENT, kind=Kind.PRESENCE)
def has_a_line(_: Node, view: View) -> Values | None:
    """An invoice has at least one line (BG-25)."""
    return None if view.everywhere("ram:IncludedSupplyChainTradeLineItem") else BROKEN


@document.rule("BR-62", "BT-34 BT-34-1", at=contexts.DOCUMENT, kind=Kind.PRESENCE)
def seller_endpoint_has_a_scheme(invoice: Node, _: View) -> Values | None:
    """The electronic address of the seller (BT-34) has a scheme."""
    return _endpoint_with_scheme(invoice, SELLER)


@document.rule("BR-63", "BT-49 BT-49-1", at=contexts.DOCUMENT, kind=Kind.PRESENCE)
def buyer_endpoint_has_a_scheme(invoice: Node, _: View) -> Values | None:
    """The electronic address of the buyer (BT-49) has a scheme."""
    return _endpoint_with_scheme(invoice, BUYER)


def _endpoint_with_scheme(invoice: Node, path: str) -> Values | None:
    """Check the first address of each party; together they may have one scheme."""
    addresses = [
        party.all("ram:URIUniversalCommunication")[0]
        for party in invoice.all(path)
        if party.has("ram:URIUniversalCommunication")
    ]
    uris = [uri for address in addresses for uri in address.all("ram:URIID")]
    schemes = [uri for uri in uris if "schemeID" in uri.attributes]
    if len(schemes) > 1:
        raise MoreThanOneItem(
            schemes[0], f"{path}/ram:URIUniversalCommunication/ram:URIID", len(schemes)
        )
    given = schemes[0].attributes["schemeID"] if schemes else ""
    return None if not addresses or given.strip(XML_SPACE) else BROKEN


@document.rule("BR-B-01", "BT-95 BT-102 BT-118 BT-151", at=contexts.DOCUMENT, kind=Kind.CATEGORY)
def split_payment_is_italian(_: Node, view: View) -> Values | None:
    """Split payment (BT-118, BT-151: B) is only used inside Italy."""
    if not _any_category(view, "B"):
        return None
    foreign = [code.text for code in view.everywhere("ram:CountryID") if code.text != "IT"]
    return {"countries": foreign} if foreign else None


@document.rule("BR-B-02", "BT-95 BT-102 BT-118 BT-151", at=contexts.DOCUMENT, kind=Kind.CATEGORY)
def split_payment_excludes_standard_rate(_: Node, view: View) -> Values | None:
    """Split payment (B) and the standard rate (S) are not used in one invoice (BT-118, BT-151)."""
    return BROKEN if _any_category(view, "B") and _any_category(view, "S") else None


def _any_category(view: View, category: str) -> bool:
    return any(code.text == category for code in view.everywhere("ram:CategoryCode"))
