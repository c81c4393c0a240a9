"""The judgement on raw bytes, without words: well-formed XML, then the schema, then the rules.

Any bytes have a judgement. Only ValidationUnavailable is raised, for a failure of the rules
themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import cast

from lxml import etree

from einvoice.documents.schemas import SchemaError, schema_errors
from einvoice.rules import PACKS, RulesVerdict, Syntax, pack_on
from einvoice.rules.packs import Pack
from einvoice.rules.reading import Element
from einvoice.rules.vocabulary import PREFIXES
from einvoice.validation.availability import or_unavailable
from einvoice.validation.report import Light
from einvoice.xml import NotXml, parse

_ROOTS = {"Invoice": Syntax.UBL, "CreditNote": Syntax.UBL, "CrossIndustryInvoice": Syntax.CII}
_PREFIXES = {"Invoice": "ubl", "CreditNote": "cn", "CrossIndustryInvoice": "rsm"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """The results on one document, as far as it could be read."""

    pack: Pack
    root: etree._Element | None = None
    unreadable: NotXml | None = None
    syntax: Syntax | None = None  # None: not a known kind of document
    schema: tuple[SchemaError, ...] = ()
    verdict: RulesVerdict | None = None  # None: the rules were not run

    @property
    def kind(self) -> str | None:
        """The name of the document element."""
        return None if self.root is None else etree.QName(self.root).localname

    @property
    def is_document(self) -> bool:
        """Whether it is an invoice or credit note, valid or not."""
        return self.syntax is not None

    @property
    def light(self) -> Light:
        if self.verdict is None or self.schema or self.verdict.fatal:
            return Light.RED
        return Light.AMBER if self.verdict.findings else Light.GREEN


@or_unavailable
def judge(data: bytes, *, on: date, schema: bool = True) -> Judgement:
    """Judge a document by the rules in force on a day.

    The rules presume a document that the schema accepts, so they are run on no other. Without
    `schema` it is not checked, and the rules are run on any document.
    """
    pack = rules_on(on)
    try:
        root = parse(data)
    except NotXml as unreadable:
        return Judgement(pack, unreadable=unreadable)
    syntax = syntax_of(root)
    errors = tuple(schema_errors(root)) if schema or syntax is None else ()
    if syntax is None or errors:
        return Judgement(pack, root, syntax=syntax, schema=errors)
    verdict = pack.engine(syntax).check(
        cast("Element", root)
    )  # the stubs of lxml allow bytes as names
    return Judgement(pack, root, syntax=syntax, verdict=verdict)


def syntax_of(root: etree._Element) -> Syntax | None:
    """The syntax of a document, by the name and namespace of its root; None if unknown."""
    name = etree.QName(root)
    syntax = _ROOTS.get(name.localname)
    if syntax is None:
        return None
    prefix = PREFIXES[syntax].get(name.namespace or "")
    return syntax if prefix == _PREFIXES[name.localname] else None


def rule_set(on: date) -> str:
    """The id of the rule pack in force on a day."""
    return rules_on(on).id


def rules_on(on: date) -> Pack:
    """The pack in force on a day; the newest if none is known for so late a day."""
    try:
        return pack_on(on)
    except LookupError:
        return PACKS[-1]
