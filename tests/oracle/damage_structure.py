"""Damage to the structure: elements that a structure rule of the XSLT forbids or counts."""

import re
from typing import NamedTuple

from lxml import etree

from tests.oracle.damage import Element


class Target(NamedTuple):
    """What to add to break a structure rule: a context, the path below it, how many times."""

    context: str
    path: str
    times: int


_STEP = r"(?:[a-z]+:[A-Za-z]+|\([a-z]+:[A-Za-z]+(?: ?\| ?[a-z]+:[A-Za-z]+)+\))"
_PATH = rf"(?://)?{_STEP}(?:/{_STEP})*(?:/@[A-Za-z]+)?|@[A-Za-z]+"
_FORBIDDEN = re.compile(rf"^not ?\(\(?({_PATH})\)?\)$")
_COUNTED = re.compile(rf"^\(? ?\(?count\(({_PATH})\) ?(?:<=|=) ?1\)?$")


def targets(stylesheet: bytes) -> tuple[list[Target], dict[str, str]]:
    """The targets of all structure rules of an official XSLT, and its namespaces."""
    root = etree.fromstring(stylesheet, etree.XMLParser(resolve_entities=False, huge_tree=True))
    found = []
    for template in root.iter("{http://www.w3.org/1999/XSL/Transform}template"):
        for entry in template.iter("{http://purl.oclc.org/dsdl/svrl}failed-assert"):
            test = " ".join(entry.get("test", "").split())
            if wrong := _FORBIDDEN.match(test):
                found.append(Target(template.get("match", ""), wrong[1], 1))
            elif wrong := _COUNTED.match(test):
                found.append(Target(template.get("match", ""), wrong[1], 2))
    return found, {prefix: uri for prefix, uri in root.nsmap.items() if prefix}


def build(root: Element, target: Target, paths: dict[str, str]) -> str:
    """Add the elements of a target below the first element of its context."""
    context = target.context if target.context.startswith("/") else f"//{target.context}"
    try:
        node = next(iter(root.getroottree().xpath(context, namespaces=paths)), None)
    except etree.XPathError:
        node = None
    if node is None or not isinstance(node.tag, str):
        return f"no place for {target.path}"
    steps = re.findall(rf"{_STEP}|@[A-Za-z]+", target.path)
    for number, step in enumerate(steps):
        node = _step(node, step, paths, target.times if number == len(steps) - 1 else 0)
    return f"built {target.path}"


def _step(node: Element, step: str, paths: dict[str, str], times: int) -> Element:
    """The child of this name, added if missing; the last step is added until it occurs `times`."""
    if step.startswith("@"):
        node.set(step[1:], "x")
        return node
    written = re.findall(r"([a-z]+):([A-Za-z]+)", step)
    names = [f"{{{paths[prefix]}}}{local}" for prefix, local in written]
    present = [each for each in node if each.tag in names]
    wanted = max(times, 1)
    while len(present) < wanted:
        child = etree.SubElement(node, present[0].tag if present else names[0])
        child.text = present[0].text if present else "1"
        present.append(child)
    return present[0]
