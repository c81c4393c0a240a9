"""Our engine, with its verdict in the form of the comparison."""

from lxml import etree

from einvoice.rules import PACKS, Syntax
from tests.conformance.agreement import OurVerdict
from tests.oracle.official import Fired


def check(content: bytes) -> OurVerdict:
    """The verdict of both layers of the document's syntax, without the schema."""
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    cii = etree.QName(root).localname == "CrossIndustryInvoice"
    engine = PACKS[0].engine(Syntax.CII if cii else Syntax.UBL)
    verdict = engine.check(root)
    fired = (
        Fired(each.layer, each.id, each.flag, each.place)
        for each in verdict.findings
        if each.rule is not None
    )
    return OurVerdict(tuple(fired), verdict.fatal, frozenset(verdict.failed_layers))
