"""The official rules run by SaxonC, with verdicts in the form of the corpus."""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from tests.oracle import sources

if TYPE_CHECKING:
    from saxonche import PySaxonProcessor

_SVRL = "{http://purl.oclc.org/dsdl/svrl}"
_REPORTED = (f"{_SVRL}failed-assert", f"{_SVRL}successful-report")
_NAMESPACE = re.compile(r"\*:|Q\{[^}]*\}|\[namespace-uri\(\)='[^']*'\]")
_PLAIN = re.compile(rb"<\?xml version=[\"']1.0[\"'] encoding=[\"']UTF-8[\"']")
_ATTRIBUTE = re.compile(r"@\*\[local-name\(\)='([^']*)'[^\]]*\]")


class Fired(NamedTuple):
    """One report of one rule at one place; `at` has local names and positions."""

    source: str
    id: str
    flag: str
    at: str


@dataclass(frozen=True, slots=True)
class OfficialVerdict:
    """The reports of the layers on one document; `failed_layers` had an error and give none."""

    fired: Counter[Fired] = field(default_factory=Counter)
    failed_layers: frozenset[str] = frozenset()

    def __add__(self, other: "OfficialVerdict") -> "OfficialVerdict":
        return OfficialVerdict(self.fired + other.fired, self.failed_layers | other.failed_layers)


@cache
def _processor() -> "PySaxonProcessor":
    """Imported here: with SaxonC and its rules a process has 130 MB more."""
    from saxonche import PySaxonProcessor

    return PySaxonProcessor(license=False)


@cache
def _compiled(layer: str) -> Any:
    text = sources.stylesheet(layer).decode()
    return _processor().new_xslt30_processor().compile_stylesheet(stylesheet_text=text)


def syntax_of(document: bytes) -> str:
    """UBL or CII, by the name of the root element."""
    root = etree.fromstring(document, _hardened())
    return "CII" if etree.QName(root).localname == "CrossIndustryInvoice" else "UBL"


def _hardened() -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)


def verdict(document: bytes, layers: tuple[str, ...]) -> OfficialVerdict:
    """Run the named layers over one well-formed document; raises `sources.Unavailable`."""
    node = _processor().parse_xml(xml_text=_text(document))
    return sum((_layer(node, layer) for layer in layers), OfficialVerdict())


def _text(document: bytes) -> str:
    """The document as a string; decoded by lxml unless it declares UTF-8."""
    if _PLAIN.match(document):
        return document.decode()
    return etree.tostring(etree.fromstring(document, _hardened()), encoding="unicode")


def _layer(node: Any, layer: str) -> OfficialVerdict:
    from saxonche import PySaxonApiError

    executable = _compiled(layer)
    try:
        report = executable.transform_to_string(xdm_node=node)
    except PySaxonApiError:
        return OfficialVerdict(failed_layers=frozenset({layer}))
    svrl = etree.fromstring(report.encode(), _hardened())
    return OfficialVerdict(Counter(_fired(entry, layer) for entry in svrl.iter(*_REPORTED)))


def _fired(entry: etree._Element, layer: str) -> Fired:
    flag = entry.get("flag") or "fatal"
    rule = entry.get("id") or (f"not-used: {entry.get('test')}" if "FACTURX" in layer else "")
    return Fired(layer, rule, flag, _place(entry.get("location", "")))


def _place(location: str) -> str:
    return _NAMESPACE.sub("", _ATTRIBUTE.sub(r"@\1", location))
