"""Our engine in the words of the comparison."""

from lxml import etree

from einvoice.rules import PACKS, Syntax
from tests.conformance.agreement import Ours
from tests.oracle.official import Fired


def check(content: bytes) -> Ours:
    """Both layers of the document's syntax, with no schema before them."""
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    cii = etree.QName(root).localname == "CrossIndustryInvoice"
    engine = PACKS[0].engine(Syntax.CII if cii else Syntax.UBL)
    verdict = engine.check(root)
    fired = (
        Fired(each.layer, each.id, each.flag, each.place)
        for each in verdict.findings
        if each.rule is not None
    )
    return Ours(tuple(fired), verdict.fatal, frozenset(verdict.failed_layers))
