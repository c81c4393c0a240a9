"""Changes to a sample invoice, of which the tables of cases are made.

A path is a sequence of local names; the first element (or attribute) that matches is changed. So
`drop("SellerTradeParty/Name")` removes the name of the seller, at any depth.
"""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

from lxml import etree

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
CII = {
    "ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
    "udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
    "rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
    "qdt": "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
}

Element = etree._Element
Change = Callable[[Element], None]


def good(name: str) -> Element:
    """A copy of a sample that breaks no rule."""
    return etree.parse(SAMPLES / name).getroot()


def changed(root: Element, *changes: Change) -> bytes:
    for change in changes:
        change(root)
    return etree.tostring(root)


def found(root: Element, path: str) -> list[Element]:
    """Every element that ends a chain of these local names; "." is the root."""
    if path == ".":
        return [root]
    steps = "/".join(f"*[local-name()='{name}']" for name in path.split("/"))
    return root.xpath(f"//{steps}")


def first(root: Element, path: str) -> Element:
    return found(root, path)[0]


def drop(path: str) -> Change:
    """Remove the first element, or with "/@name" its attribute."""
    element, _, attribute = path.partition("/@")

    def change(root: Element) -> None:
        chosen = first(root, element)
        if attribute:
            del chosen.attrib[attribute]
        else:
            chosen.getparent().remove(chosen)

    return change


def drop_all(path: str) -> Change:
    def change(root: Element) -> None:
        for each in found(root, path):
            each.getparent().remove(each)

    return change


def put(path: str, text: str) -> Change:
    """Set the text of the first element, or with "/@name" of its attribute."""
    element, _, attribute = path.partition("/@")

    def change(root: Element) -> None:
        chosen = first(root, element)
        if attribute:
            chosen.set(attribute, text)
        else:
            chosen.text = text

    return change


def put_all(path: str, text: str) -> Change:
    def change(root: Element) -> None:
        for each in found(root, path):
            each.text = text

    return change


def twice(path: str) -> Change:
    """Duplicate the first element, directly after it."""

    def change(root: Element) -> None:
        chosen = first(root, path)
        chosen.addnext(deepcopy(chosen))

    return change


def add(path: str, xml: str) -> Change:
    """Append XML (prefixes rsm, ram, udt, qdt) to the first element."""
    declared = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in CII.items())

    def change(root: Element) -> None:
        first(root, path).extend(etree.fromstring(f"<x {declared}>{xml}</x>"))

    return change


def both(*changes: Change) -> Change:
    def change(root: Element) -> None:
        for each in changes:
            each(root)

    return change
