"""Our engine, with its verdict in the form of the comparison."""

from datetime import date

from lxml import etree

from einvoice.rules import Pack, Syntax, built_in
from einvoice.validation import Light, judge
from tests.conformance.agreement import OurVerdict
from tests.oracle.official import Fired

DAY = date(2026, 11, 21)  # whose releases the corpora follow


def pack_of(rule_set: str, day: date = DAY) -> Pack:
    """The release of a rule set that the corpora follow."""
    return built_in()[rule_set].on(day)


def check(content: bytes, rule_set: str = "peppol-bis-billing", day: date = DAY) -> OurVerdict:
    """The verdict of all layers of the document's syntax, without the schema."""
    root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    cii = etree.QName(root).localname == "CrossIndustryInvoice"
    engine = pack_of(rule_set, day).engine(Syntax.CII if cii else Syntax.UBL)
    verdict = engine.check(root, content)
    fired = (
        Fired(each.layer, each.id, each.flag, each.place)
        for each in verdict.findings
        if each.rule is not None
    )
    return OurVerdict(tuple(fired), verdict.fatal, frozenset(verdict.failed_layers))


def accepts(content: bytes, rule_set: str, day: date = DAY) -> bool:
    """Whether a document is not red by a rule set, its schema and its scenario included."""
    return judge(content, on=day, asked=rule_set).light is not Light.RED
