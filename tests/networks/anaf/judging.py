"""What is wrong with a document: first by the UBL schema, then by the rules of CIUS-RO.

The rules are the official ones where their files and Saxon are installed (EINVOICE_NETWORKS), else
those of the service.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lxml import etree

from einvoice import clock
from einvoice.documents.schemas import schema_errors
from einvoice.validation import judge

ROOT = Path(__file__).resolve().parents[3]
_NETWORKS = Path(os.environ.get("EINVOICE_NETWORKS", ROOT.parent / "shared" / "networks"))
OFFICIAL = _NETWORKS / "ro" / "schematron" / "1.0.9" / "EN16931-CIUS_RO-UBL-validation.xslt"

Judge = Callable[[bytes], list[str]]


def schema_fault(root: etree._Element) -> str | None:
    """The first error of the schema in the words of the authority's parser."""
    errors = schema_errors(root)
    if not errors:
        return None
    name = errors[0].path.rpartition("/")[2].partition("[")[0]
    return (
        f"org.xml.sax.SAXParseException; lineNumber: {errors[0].line}; columnNumber: 1; "
        f"cvc-type.3.1.3: The value of element 'cbc:{name}' is not valid."
    )


def by_own_rules(document: bytes) -> list[str]:
    """The fatal findings of the service's rules."""
    verdict = judge(document, on=clock.today(), schema=False, asked="cius-ro").verdict
    fatal = [] if verdict is None else [each for each in verdict.findings if each.flag == "fatal"]
    return [f"E: validari globale  SCHEMATRON   eroare: [{each.id}]-..." for each in fatal]


class OfficialRules:
    """The combined official rules, run by Saxon in one thread."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1)
        self._processor: Any = None
        self._rules: Any = None

    def __call__(self, document: bytes) -> list[str]:
        return self._thread.submit(self._run, document).result()

    def _run(self, document: bytes) -> list[str]:
        if self._processor is None:
            from saxonche import PySaxonProcessor

            self._processor = PySaxonProcessor(license=False)
            compiler = self._processor.new_xslt30_processor()
            self._rules = compiler.compile_stylesheet(stylesheet_file=str(OFFICIAL))
        node = self._processor.parse_xml(xml_text=document.decode())
        report = etree.fromstring(self._rules.transform_to_string(xdm_node=node).encode())
        return [
            f"E: validari globale  SCHEMATRON   eroare: {each.findtext('{*}text')}"
            for each in report.iter("{*}failed-assert")
            if each.get("flag") == "fatal"
        ]


def official_or_own() -> Judge:
    return OfficialRules() if OFFICIAL.exists() else by_own_rules
