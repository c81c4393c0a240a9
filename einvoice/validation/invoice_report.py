"""The report on an invoice before it is written and sent."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from einvoice import clock
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.field_names import SEND_FIELDS, FieldNames
from einvoice.domain.invoice import Identifier, Invoice, Routing
from einvoice.rules import PEPPOL_BIS_BILLING, Choice, ChosenBy, Declared, Syntax
from einvoice.rules.evaluation import without_repetition
from einvoice.rules.rule_sets import AS_FLAGGED
from einvoice.validation import texts
from einvoice.validation.availability import or_unavailable
from einvoice.validation.document_report import worded
from einvoice.validation.report import Finding, Report
from einvoice.xml import parse

_PEPPOL = Choice(PEPPOL_BIS_BILLING, ChosenBy.NETWORK)
# Rules whose findings are the cause of others, which would be misleading alone: they are first.
_CAUSES = frozenset(
    {"BR-O-11", "BR-O-12", "BR-O-13", "BR-O-14"}
    | {
        f"BR-{category}-{rule}"
        for category in ("AE", "E", "G", "IC", "Z")
        for rule in ("05", "06", "07")
    }
)


@or_unavailable
def findings(
    invoice: Invoice,
    routing: Routing | None,
    on: date | None = None,
    language: str = texts.DEFAULT_LANGUAGE,
    names: FieldNames = SEND_FIELDS,
    choice: Choice = _PEPPOL,
    *,
    announced: bool = False,
) -> Report:
    """The report on the invoice as it will be written for this routing, by the rules of the day.

    routing  None: the request has none, as where a document is only validated
    names    what the request calls its fields
    choice   the rule set, whose documents are UBL, and why it judges
    announced  with a warning for what the next release of the rule set will refuse

    A correct invoice is not written as XML here. One with findings is, to word them, which raises
    InvalidField for a text with characters that XML does not allow.
    """
    day = on or clock.today()
    pack = choice.rule_set.on(day)
    engine = pack.engine(
        Syntax.UBL, announced=choice.rule_set.announced(day) if announced else None
    )
    verdict = without_repetition(engine.check_invoice(invoice))
    if not verdict.findings:
        return Report(pack.id, (), "ubl", invoice.document_kind.value, choice.by)
    scenario = choice.rule_set.scenario_in(pack, _declared(invoice)) or AS_FLAGGED
    verdict = scenario.applied(verdict)
    root = parse(document_xml(invoice))
    found = list(worded(verdict, root, language, names))
    if routing is not None:
        found = [_as_sent(one, invoice, routing) for one in found]
    found = [replace(one, field=names.of(one.field)) if one.field else one for one in found]
    found.sort(key=lambda one: one.rule_id not in _CAUSES)
    return Report(pack.id, tuple(found), "ubl", invoice.document_kind.value, choice.by)


def _declared(invoice: Invoice) -> Declared:
    """The kind that the document of an invoice will name."""
    root = next(tag for tag, kind in Syntax.UBL.roots.items() if kind == invoice.kind.value)
    return Declared(root, invoice.customization, invoice.profile, (invoice.customization,))


def _as_sent(finding: Finding, invoice: Invoice, routing: Routing) -> Finding:
    """The finding with the field that the caller set, if several are written to its element."""
    field = finding.field or ""
    ends = (routing.sender, routing.receiver)
    selling, buying = reversed(ends) if invoice.document_kind.is_self_billed else ends
    for party, routed, name, participant in (
        (invoice.seller, selling, "supplier", "routing.senderParticipantId"),
        (invoice.buyer, buying, "buyer", "routing.receiverParticipantId"),
    ):
        if routed is None:
            continue
        identifier = Identifier(routed.value, routed.scheme)
        if field == participant and party.endpoint not in (None, identifier):
            return replace(finding, field=f"invoice.{name}.endpointId")
        if field == f"invoice.{name}.companyId" and party.legal_id == identifier:
            return replace(finding, field=participant)
    return finding
