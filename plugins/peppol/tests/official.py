"""The official rules of Peppol, as XSLT in phive-rules-peppol 4.2.3 of Maven Central.

Tests that need them are skipped where the local Maven repository has no such file; it is there
after `mvn dependency:get -Dartifact=com.helger.phive.rules:phive-rules-peppol:4.2.3`.
"""

from __future__ import annotations

import zipfile
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

VERSION = "4.2.3"
JAR = (
    Path.home() / ".m2/repository/com/helger/phive/rules/phive-rules-peppol" / VERSION
) / f"phive-rules-peppol-{VERSION}.jar"
SVRL = "{http://purl.oclc.org/dsdl/svrl}"
MLS = "schematron/mls/1.0.0/xslt/peppol-mls-1.0.0.xslt"
INVOICE_RESPONSE = "schematron/openpeppol/2025.5/xslt/PEPPOLBIS-T111.xslt"
REPORTING = "schematron/reporting"
TSR = f"{REPORTING}/tsr/1.0.5/xslt/peppol-transaction-statistics-reporting-1.0.5.xslt"
EUSR = f"{REPORTING}/eusr/1.1.5/xslt/peppol-end-user-statistics-reporting-1.1.5.xslt"
TSR_SCHEMA = "schemas/peppol-transaction-statistics-reporting-1.0.1.xsd"
EUSR_SCHEMA = "schemas/peppol-end-user-statistics-reporting-1.1.xsd"


def _content(name):
    if not JAR.exists():
        pytest.skip(f"phive-rules-peppol {VERSION} is not in the local Maven repository")
    with zipfile.ZipFile(JAR) as archive:
        return archive.read(f"external/{name}")


@cache
def _rules(name):
    saxonche = pytest.importorskip("saxonche")
    processor = saxonche.PySaxonProcessor(license=False)
    compiler = processor.new_xslt30_processor()
    return processor, compiler.compile_stylesheet(stylesheet_text=_content(name).decode())


def failures(name, document):
    """The ids of the official rules that a document breaks, warnings among them."""
    processor, rules = _rules(name)
    node = processor.parse_xml(xml_text=document.decode())
    report = etree.fromstring(rules.transform_to_string(xdm_node=node).encode())
    return [each.get("id") for each in report.iter(f"{SVRL}failed-assert")]


def conforms(name, document):
    """Whether a document is valid by an official XML Schema."""
    return etree.XMLSchema(etree.fromstring(_content(name))).validate(etree.fromstring(document))
