"""The bill of the toll authority: its XML, the rules for it, and how an invoice becomes one."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

from lxml import etree

from einvoice.domain.additions import Additions, AttachedXml, Handout, QrCode
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.identifiers import DocumentTypeId, ProcessId
from einvoice.domain.invoice import (
    DocumentKind,
    Invoice,
    Item,
    Line,
    Party,
    Price,
    TaxCategory,
    TaxSubtotal,
    Totals,
)
from einvoice.domain.profiles import Adapted, Profile
from einvoice.domain.request import SendWarning
from einvoice.rules import Declared, Layer, Pack, RuleSet, Syntax
from einvoice.rules.book import Book, Chapter, Kind, Pattern, Values
from einvoice.rules.node import Node
from einvoice.rules.values import ZERO
from einvoice.rules.view import View

_HERE = Path(__file__).parent
NAMESPACE = "urn:example:toll:1"
_NAMES = {"t": NAMESPACE}
ROOT = f"{{{NAMESPACE}}}Toll"
MAX_NUMBER_LENGTH = 12

TOLL = Syntax(
    "TOLL",
    roots={ROOT: "invoice"},
    prefixes={NAMESPACE: "toll"},
    terms="toll:(Number|Issued|Seller|Buyer|Text|Net|Vat|Total)$",
    schema=_HERE / "toll.xsd",
)
LAYER = Layer("TOLL", TOLL, "network", _HERE / "words")

_contexts = Pattern()
_BILL = _contexts.context("/toll:Toll")
_chapter = Chapter(LAYER, gathers=("toll:Line",))


@_chapter.rule("TOLL-01", "BT-1", at=_BILL, kind=Kind.FORMAT)
def number_is_short(bill: Node, _: View) -> Values | None:
    """The number has at most 12 characters."""
    number = bill.text_of("toll:Number")
    if len(number) <= MAX_NUMBER_LENGTH:
        return None
    return {"text": number, "length": len(number)}


@_chapter.rule("TOLL-02", "BT-48", at=_BILL, kind=Kind.PRESENCE)
def buyer_has_a_number(bill: Node, _: View) -> Values | None:
    """The buyer has a number, or is a consumer."""
    known = ({"number", "consumer"} & buyer.attributes.keys() for buyer in bill.all("toll:Buyer"))
    return None if all(known) else {}


@_chapter.rule("TOLL-03", "BT-112", at=_BILL, kind=Kind.SUM)
def total_is_the_sum(bill: Node, view: View) -> Values | None:
    """The total is the sum of the lines with VAT."""
    parts = [line.number("toll:Net") for line in view.everywhere("toll:Line")]
    expected = sum((part for part in [*parts, bill.number("toll:Vat")] if part is not None), ZERO)
    declared = bill.number("toll:Total")
    return None if declared == expected else {"declared": declared, "expected": expected}


def is_toll_bill(document: Declared) -> bool:
    return document.root == ROOT


RULES = RuleSet(
    "toll-bill",
    (
        Pack(
            "toll-bill-1.0",
            "Toll bill 1.0",
            date(2026, 1, 1),
            None,
            (Book.of(LAYER, "1.0", [_chapter]),),
        ),
    ),
    recognises=is_toll_bill,
)


def adapt(invoice: Invoice) -> Adapted:
    """An invoice as a toll bill can hold it: without notes; attachments are refused."""
    if invoice.supporting:
        raise InvalidField(
            [FieldError("/invoice/attachments", "no-place", "has no place in a toll bill")]
        )
    if not invoice.notes:
        return Adapted(invoice)
    dropped = SendWarning("dropped-note", "A toll bill holds no note.", "invoice.note")
    return Adapted(replace(invoice, notes=()), (dropped,))


def write(invoice: Invoice) -> bytes:
    """The toll bill of an invoice."""
    bill = etree.Element(ROOT, nsmap={None: NAMESPACE})
    _add(bill, "Number", invoice.number)
    _add(bill, "Issued", invoice.issue_date.isoformat())
    _add_party(bill, "Seller", invoice.seller)
    buyer = _add_party(bill, "Buyer", invoice.buyer)
    if not (invoice.buyer.vat_id or invoice.buyer.endpoint):
        buyer.set("consumer", "true")
    for line in invoice.lines:
        item = etree.SubElement(bill, f"{{{NAMESPACE}}}Line")
        _add(item, "Text", line.item.name)
        _add(item, "Net", line.extension)
    _add(bill, "Vat", invoice.totals.tax or Decimal(0))
    _add(bill, "Total", invoice.totals.tax_inclusive)
    return etree.tostring(bill, xml_declaration=True, encoding="UTF-8")


def read(document: bytes) -> Invoice:
    """The invoice in a toll bill, which has one rate of VAT."""
    bill = etree.fromstring(document)
    nets = [Decimal(net) for net in bill.xpath("t:Line/t:Net/text()", namespaces=_NAMES)]
    vat, total = (Decimal(bill.findtext(f"t:{name}", "0", _NAMES)) for name in ("Vat", "Total"))
    category = TaxCategory("S")
    lines = tuple(
        Line(str(number), Decimal(1), "C62", net, Item("Toll", category), Price(net))
        for number, net in enumerate(nets, 1)
    )
    net = sum(nets, Decimal(0))
    return Invoice(
        DocumentKind.INVOICE,
        bill.findtext("t:Number", "", _NAMES),
        date.fromisoformat(bill.findtext("t:Issued", "", _NAMES)),
        "380",
        "EUR",
        Party(bill.findtext("t:Seller", "", _NAMES)),
        Party(bill.findtext("t:Buyer", "", _NAMES)),
        lines,
        Totals(net, net, total, total, vat),
        (TaxSubtotal(net, vat, category),),
    )


def _add(above: etree._Element, name: str, value: object) -> etree._Element:
    element = etree.SubElement(above, f"{{{NAMESPACE}}}{name}")
    element.text = str(value)
    return element


def _add_party(bill: etree._Element, name: str, party: Party) -> etree._Element:
    element = _add(bill, name, party.name)
    if party.vat_id:
        element.set("number", party.vat_id)
    return element


SEAL = "TOLL_SEAL"
_SEALED = {"de": "Von der Mautbehörde gesiegelt", "en": "Sealed by the toll authority"}


def seal(number: str, document: bytes) -> bytes:
    """The receipt of the authority, sealed over the bill: nobody knows its code before."""
    code = hashlib.sha256(b"key of the authority" + document).hexdigest()[:24]
    return f"<Seal><Number>{number}</Number><Code>{code}</Code></Seal>".encode()


def additions(handout: Handout) -> Additions:
    """The code of the seal, its number, and the seal itself. Nothing before the clearance."""
    sealed = handout.evidence.get(SEAL)
    if sealed is None or handout.reference is None:
        return Additions()
    code = etree.fromstring(sealed).findtext("Code", "")
    caption = _SEALED.get(handout.language, _SEALED["en"])
    return Additions(
        codes=(QrCode(f"{handout.reference};{code}", caption),),
        lines=(f"{caption}: {handout.reference}",),
        attached=AttachedXml("toll-seal.xml", sealed),
    )


BILL_TYPE = DocumentTypeId("toll-docid", f"{NAMESPACE}::Toll##1.0")
PROFILE = Profile(
    name="toll-bill",
    network="toll",
    rule_set=RULES.name,
    process=ProcessId("toll-procid", "clearance"),
    types={(DocumentKind.INVOICE, "toll"): BILL_TYPE},
    syntax="toll",
    write=write,
    adapt=adapt,
    read=read,
    additions=additions,
)
