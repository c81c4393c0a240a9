"""PINT by the official rules: the sheets and examples of phive-rules-peppol 4.2.3."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from lxml import etree

from tests.oracle import sources
from tests.oracle.official import _processor, _text

_SVRL = "{http://purl.oclc.org/dsdl/svrl}"
_SHEETS, _EXAMPLES = "external/schematron/", "external/test-files/"
Found = set[tuple[str, str]]  # (rule id, flag)


@dataclass(frozen=True)
class Published:
    """A rule set: its folder of sheets, and that of examples; a text to replace in examples."""

    rule_set: str
    sheets: str
    examples: str
    changes: tuple[tuple[str, str], ...] = ()

    def documents(self) -> list[tuple[str, bytes]]:
        """(name, content) of the published examples. Raises `sources.Unavailable`."""
        with zipfile.ZipFile(sources.PINT_EXAMPLES.path()) as archive:
            names = [name for name in sorted(archive.namelist()) if self._holds(name)]
            return [(name, self._changed(archive.read(name))) for name in names]

    def _holds(self, name: str) -> bool:
        return name.startswith(f"{_EXAMPLES}{self.examples}/") and name.endswith(".xml")

    def _changed(self, content: bytes) -> bytes:
        for old, new in self.changes:
            content = content.replace(old.encode(), new.encode())
        return content

    def found(self, document: bytes) -> Found | None:
        """What the official rules find; None where one of them stops."""
        from saxonche import PySaxonApiError

        node = _processor().parse_xml(xml_text=_text(document))
        try:
            reports = [sheet.transform_to_string(xdm_node=node) for sheet in _compiled(self.sheets)]
        except PySaxonApiError:
            return None
        return {pair for report in reports for pair in _fired(report)}


@cache
def _compiled(folder: str) -> list[Any]:
    with zipfile.ZipFile(sources.PINT_RULES.path()) as archive:
        names = [name for name in sorted(archive.namelist())
                 if name.startswith(f"{_SHEETS}{folder}/") and name.endswith(".xslt")]  # fmt: skip
        texts = [archive.read(name).decode() for name in names]
    compiler = _processor().new_xslt30_processor
    return [compiler().compile_stylesheet(stylesheet_text=text) for text in texts]


def _fired(report: str) -> Iterator[tuple[str, str]]:
    for entry in etree.fromstring(report.encode()).iter(f"{_SVRL}failed-assert"):
        yield entry.get("id", ""), entry.get("flag") or "fatal"
