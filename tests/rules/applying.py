"""Suggestions applied to a document by machine, where they name a value or say what to remove."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

from einvoice.validation import Finding
from einvoice.validation.locations import ElementIndex, local_name

_VALUES = (
    r"Give (urn:\S+) as CustomizationID",
    r"such as (RO-[A-Z]{2})",
    r"Write (SECTOR1)",
    r"^Use (\d+)",
    r"(?:like|such as) ([A-Z]{2}\d[\dA-Z]+|\d{10,11})\b",
)


def applied(document: etree._Element, finding: Finding) -> bool:
    """Apply the suggestion of a finding; whether it was one that a machine can apply."""
    said = finding.suggestion or ""
    element = ElementIndex(document).at(finding.location or "")
    assert element is not None
    below = _below(element, finding.about or "")
    if said.startswith("Leave it out"):
        _remove(element, said)
        return True
    shortened = re.match(r"Shorten .* to (\d+) characters", said)
    if shortened:
        _change(below, finding.about, lambda text: text[: int(shortened[1])])
        return True
    value = next((found[1] for one in _VALUES if (found := re.search(one, said))), None)
    if value is not None:
        _change(below, finding.about, lambda _: value)
    return value is not None


def _remove(element: etree._Element, said: str) -> None:
    if local_name(element) == "PaymentMeansCode":
        del element.attrib["name"]
    else:
        element.getparent().remove(element)


def _below(element: etree._Element, path: str) -> etree._Element:
    for name in path.split("/"):
        if name and name[0] not in "@.":
            local = name.rpartition(":")[2]
            found = [child for child in element if local_name(child) == local]
            element = found[0] if found else etree.SubElement(element, f"{{{_CBC}}}{local}")
    return element


_CBC = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"


def _change(element: etree._Element, path: str | None, change: Callable[[str], str]) -> None:
    attribute = (path or "").rpartition("@")[2] if "@" in (path or "") else ""
    if attribute:
        element.set(attribute, change(element.get(attribute, "")))
    else:
        element.text = change(element.text or "")
