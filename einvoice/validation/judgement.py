"""The judgement on raw bytes, without words: well-formed XML, then the schema, then the rules.

Any bytes have a judgement. Only ValidationUnavailable is raised, for a failure of the rules
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import cast

from lxml import etree

from einvoice import rules
from einvoice.documents import tax_data
from einvoice.documents.hybrid import OpenedPdf
from einvoice.documents.schemas import SchemaError, schema_errors, unknown_document
from einvoice.rules import (
    Choice,
    ChosenBy,
    Declared,
    Flag,
    Pack,
    RuleSets,
    RulesVerdict,
    Scenario,
    Syntax,
)
from einvoice.rules.evaluation import NOTHING_FOUND, without_repetition
from einvoice.rules.reading import Element
from einvoice.rules.rule_sets import NAMED, SCHEMA_ONLY
from einvoice.rules.specifications import former_of, specification_of
from einvoice.validation.availability import or_unavailable
from einvoice.validation.locations import local_name
from einvoice.validation.pdf import Misfit, misfits_of
from einvoice.validation.report import Light
from einvoice.xml import MAX_BYTES, NotXml, as_utf8, other_encoding, parse

FORMER = "former"  # what is not judged of a document of a former specification: a key of the texts
_CONTEXT = "{*}ExchangedDocumentContext"
# The paths of BT-24 and BT-23.
_DECLARED = {
    Syntax.UBL: ("{*}CustomizationID", "{*}ProfileID"),
    Syntax.CII: (
        f"{_CONTEXT}/{{*}}GuidelineSpecifiedDocumentContextParameter/{{*}}ID",
        f"{_CONTEXT}/{{*}}BusinessProcessSpecifiedDocumentContextParameter/{{*}}ID",
    ),
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """The results on one document, as far as it could be read.

    pack    the release of the rule set that judged it
    choice  the rule set, and why it was this one
    alien   the specification identifier (BT-24) of a document that is judged by a rule set whose
            publisher has no scenario for it, and so refuses it; None: it has one
    unjudged  what of the document no rule judged (Scenario.unjudged)
    encoding  what a document declares that is not UTF-8 by that name, and was read as UTF-8
    misfits   where the document and the PDF that it is attached to do not fit
    """

    pack: Pack
    choice: Choice
    root: etree._Element | None = None
    unreadable: NotXml | None = None
    syntax: Syntax | None = None  # None: not a known kind of document
    schema: tuple[SchemaError, ...] = ()
    verdict: RulesVerdict | None = None  # None: the rules were not run
    alien: str | None = None
    unjudged: str | None = None
    misfits: tuple[Misfit, ...] = ()
    encoding: str | None = None
    # The specification known by name of a document that is not judged (`unjudged`), or judged by a
    # rule set of its own: it is never converted into one of another specification.
    named: str | None = None

    @property
    def kind(self) -> str | None:
        """The name of the document element."""
        return None if self.root is None else etree.QName(self.root).localname

    @property
    def is_document(self) -> bool:
        """Whether it is an invoice or credit note of a syntax that is read here, valid or not."""
        return self.syntax is not None

    @property
    def is_former(self) -> bool:
        """Whether it is an invoice of a former specification, which is known by name alone."""
        return self.unjudged == FORMER

    @property
    def light(self) -> Light:
        refused = self.schema or self.alien is not None or any(map(_is_error, self.misfits))
        if self.verdict is None or refused or self.verdict.fatal:
            return Light.RED
        unsure = (
            self.unjudged is not None
            or self.encoding is not None
            or any(each.severity == "warning" for each in self.misfits)
        )
        doubtful = self.verdict.doubtful or unsure
        return Light.AMBER if doubtful else Light.GREEN

    @property
    def specification(self) -> str:
        """BT-24, as the document has it; "" if there is none."""
        return (declared(self.root).specification or "") if self.root is not None else ""


def _is_error(misfit: Misfit) -> bool:
    return misfit.severity == "error"


@or_unavailable
def judge(
    data: bytes,
    *,
    on: date,
    schema: bool = True,
    rule_sets: RuleSets | None = None,
    asked: str | None = None,
    network: str | None = None,
    announced: bool = False,
    covered: bool = True,
    foreign: bool | None = None,
    pdf: OpenedPdf | None = None,
    max_bytes: int = MAX_BYTES,
    levels: Mapping[str, Flag] | None = None,
) -> Judgement:
    """Judge a document by the rules in force on a day, of the set that is for such documents.

    The rules presume a document that the schema accepts, so they are run on no other. Without
    `schema` it is not checked, and the rules are run on any document.

    rule_sets  the sets to choose from; None: the service's own
    asked      the name of the set to judge by, whatever the document says
    network    the name of the set of the network that the document is sent to
    announced  with a warning for what the next release of the set will refuse
    covered    a document of a set that is not installed is judged by EN 16931, as far as it goes;
               False: by the set of the network
    foreign    whether a document of a specification that no set knows is judged by its schema
               alone; False: by the set of the network, as a document of another specification than
               its envelope says. None: one that is known by name (rules/specifications) is
    pdf        the opened PDF that the document is attached to
    max_bytes  a longer document is not read
    levels     rule id → level, in place of its own and the scenario's
    """
    known = rule_sets or rules.built_in()
    try:
        root, source, encoding = _read(data, pdf, max_bytes)
    except NotXml as unreadable:
        choice = known.choose(None, asked=asked, network=network)
        return Judgement(choice.rule_set.on(on), choice, unreadable=unreadable)
    says = declared(root, in_pdf=pdf is not None)
    choice = known.choose(says, asked=asked, network=network, covered=covered)
    named = None if asked or foreign is False else specification_of(says)
    is_unknown = choice.by is ChosenBy.NETWORK and (
        (named is not None and not choice.rule_set.takes(says))
        or (foreign and not known.knows(says))
    )
    if is_unknown:
        choice = Choice(rules.EN16931, ChosenBy.NETWORK)
    pack = choice.rule_set.on(on)
    misfits = tuple(misfits_of(pdf, says)) if pdf else ()
    read = Judgement(pack, choice, root, misfits=misfits, encoding=encoding)
    if (former := former_of(root.tag)) is not None:
        return replace(read, verdict=NOTHING_FOUND, unjudged=FORMER, named=former)
    syntax = known.syntax_of(root.tag)
    if syntax is None or not pack.judges(syntax):
        return replace(read, schema=(unknown_document(root),))
    scenario = (
        (NAMED if named else SCHEMA_ONLY) if is_unknown else choice.rule_set.scenario_in(pack, says)
    )
    file = (scenario.schema if scenario else None) or syntax.schema
    if errors := tuple(schema_errors(root, file)) if schema else ():
        return replace(read, syntax=syntax, schema=errors)
    later = choice.rule_set.announced(on) if announced else None
    verdict = _verdict(root, source, pack, syntax, later, scenario, choice.rule_set.within)
    return replace(
        read,
        syntax=syntax,
        verdict=verdict.at(levels or {}),
        alien=(says.specification or "") if scenario is None else None,
        unjudged=_unjudged(scenario, choice),
        named=named if scenario is NAMED or choice.by is ChosenBy.DOCUMENT else None,
    )


def _read(
    data: bytes, pdf: OpenedPdf | None, max_bytes: int
) -> tuple[etree._Element, bytes, str | None]:
    """The document element, its bytes in UTF-8, and what they declared else. Raises NotXml."""
    source = _invoice_in(data, pdf)
    encoding = other_encoding(source) if len(source) <= max_bytes else None
    source = as_utf8(source) if encoding else source
    return parse(source, max_bytes=max_bytes), source, encoding


def _unjudged(scenario: Scenario | None, choice: Choice) -> str | None:
    """The part of a document that no rule judges; None where the rules that run were asked for."""
    if scenario is None or (choice.by is ChosenBy.REQUEST and scenario.layers != frozenset()):
        return None
    return scenario.unjudged


def _invoice_in(data: bytes, pdf: OpenedPdf | None) -> bytes:
    """The document, or the one in the PDF. Raises NotXml if the PDF has none."""
    if pdf is not None and pdf.problem is not None:
        raise NotXml(pdf.problem, pdf.problem)
    return data if pdf is None else pdf.xml


def _verdict(
    root: etree._Element,
    source: bytes,
    pack: Pack,
    syntax: Syntax,
    later: Pack | None,
    scenario: Scenario | None,
    within: Pack | None,
) -> RulesVerdict:
    """The findings of the rules that count, at their levels."""
    layers = scenario.layers if scenario else None
    if layers is not None and not any(layer.syntax == syntax for layer in layers):
        return NOTHING_FOUND
    engine = pack.engine(syntax, announced=later, layers=layers)
    found = engine.check(cast("Element", root), source)  # the stubs of lxml allow bytes as names
    verdict = without_repetition(found)
    if within is not None:
        verdict = verdict.joined(_verdict_within(root, within))
    return scenario.applied(verdict) if scenario else verdict


def _verdict_within(root: etree._Element, pack: Pack) -> RulesVerdict:
    """The findings on the invoices that a report repeats, at their places in the report."""
    engine, verdict = pack.engine(Syntax.UBL), NOTHING_FOUND
    for invoice in tax_data.repeated_invoices(root):
        found = engine.check(cast("Element", invoice))
        placed = (
            replace(each, place=tax_data.place_in_report(each.place)) for each in found.findings
        )
        verdict = verdict.joined(RulesVerdict(tuple(placed), found.failed_layers))
    return verdict


def declared(root: etree._Element, *, in_pdf: bool = False) -> Declared:
    """The kind that a document names: its document element and, in UBL or CII, BT-24 and BT-23."""
    syntax = Syntax.CII if root.tag in Syntax.CII.roots else Syntax.UBL
    path, process_path = _DECLARED[syntax]
    specification, process = root.findtext(path), root.findtext(process_path)
    written = (text for found in root.iterfind(path) for text in _written(found, root.tag))
    return Declared(
        root.tag,
        specification and specification.strip(),
        process and process.strip(),
        tuple(written),
        in_pdf,
    )


def place_of_specification(root: etree._Element) -> str:
    """The location of BT-24; of the document element where the document has none."""
    path = _DECLARED[Syntax.CII if root.tag in Syntax.CII.roots else Syntax.UBL][0]
    element = root.find(path)
    steps = [root] if element is None else [element, *element.iterancestors()]
    return "".join(f"/{local_name(step)}[1]" for step in reversed(steps))


def _written(element: etree._Element, root: str) -> list[str]:
    """The string value of an element of a UBL invoice, else its text nodes (Declared.written)."""
    pieces = [text for text in (element.text, *(each.tail for each in element)) if text]
    return ["".join(pieces)] if Syntax.UBL.roots.get(root) == "invoice" else pieces


def rule_set(on: date) -> str:
    """The id of the release of Peppol BIS Billing in force on a day."""
    return rules.PEPPOL_BIS_BILLING.on(on).id
