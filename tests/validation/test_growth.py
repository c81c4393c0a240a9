"""A document costs time in proportion to its size, whatever a sender writes into it.

Documents come from anybody: participants of Peppol need no account here.
"""

from __future__ import annotations

from datetime import date
from itertools import count
from pathlib import Path

import pytest

from einvoice import clock, cpu_deadline, validation
from einvoice.services.computing.sizes import MAX_BYTES, MAX_TAGS, is_large
from einvoice.xml import NotXml, parse
from tests import effort, growth

DAY = date(2026, 11, 21)
SAMPLE = (Path(__file__).parents[1] / "samples" / "good_ubl.xml").read_text()
XRECHNUNG = (Path(__file__).parents[1] / "samples" / "xrechnung_ubl.xml").read_text()
UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
ROOT = (
    f'<Invoice xmlns="{UBL}Invoice-2" xmlns:cac="{UBL}CommonAggregateComponents-2" '
    f'xmlns:cbc="{UBL}CommonBasicComponents-2"'
)
VALUES = {
    "braces": "{",
    "named braces": "{a",
    "quotes": "'",
    "the words of a message": "' is not a valid value of the ",
    "a list": "Expected is ( ",
    "the start of a message": "Element 'a': '",
    "digits": "0",
    "points": "0.",
    "blanks": " ",
    "letters": "a",
    "signs": "-",
    "openings": "&lt;!--",
    "at signs": "a@a.",
    "payment terms": "#SKONTO#TAGE=1",
}
SHAPES = {
    "attributes": ('<cbc:ID a="" ', "x{0}='' ", "/>"),
    "namespaces": ("<cbc:ID ", "xmlns:n{0}='urn:{0}' ", "/>"),
    "elements": ("", "<x{0}/>", ""),
    "one element": ("", "<cbc:ID/>", ""),
    "comments": ("", "<!-- {0} -->", ""),
    "instructions": ("<?x ", "<!--", "?>"),
    "sections": ("<cbc:ID>", "<![CDATA[{0}]]>", "</cbc:ID>"),
    "references": ("<cbc:ID>", "&#65;", "</cbc:ID>"),
    "a name": ("<", "a", "/>"),
    "lines": ("", "<cac:InvoiceLine><cbc:ID>{0}</cbc:ID></cac:InvoiceLine>", ""),
    "notes": ("", "<cbc:Note>{0}</cbc:Note>", ""),
}
PLACES = {
    "date": "<cac:InvoicePeriod><cbc:StartDate>{}</cbc:StartDate></cac:InvoicePeriod>",
    "amount": '<cac:LegalMonetaryTotal><cbc:PayableAmount currencyID="EUR">{}'
    "</cbc:PayableAmount></cac:LegalMonetaryTotal>",
    "text": "<cbc:ID>{}</cbc:ID><cbc:Note>{}</cbc:Note>",
    "mail": "<cac:AccountingSupplierParty><cac:Party><cac:Contact><cbc:ElectronicMail>{}"
    "</cbc:ElectronicMail></cac:Contact></cac:Party></cac:AccountingSupplierParty>",
    "terms": "<cac:PaymentTerms><cbc:Note>{}</cbc:Note></cac:PaymentTerms>",
}


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """The first document of a process compiles schema and rules, which grows with nothing."""
    checked(with_value("date", "1", 10))


def checked(document: bytes) -> None:
    validation.check(document, on=DAY)


def parsed(document: bytes) -> None:
    try:
        parse(document)
    except NotXml:
        return


def with_value(place: str, unit: str, size: int) -> bytes:
    value = unit * (size // len(unit))
    return f"{ROOT}>{PLACES[place].replace('{}', value)}</Invoice>".encode()


def of_shape(shape: str, size: int) -> bytes:
    begin, unit, end = SHAPES[shape]
    made = "".join(unit.format(number) for number in range(size // len(unit)))
    return f"{ROOT}>{begin}{made}{end}</Invoice>".encode()


@pytest.mark.parametrize("place", PLACES)
def test_a_long_value_is_judged_in_time_in_proportion(place):
    """A date of 32 KB of braces once took 21 seconds, in which nothing else was answered."""
    slow = {
        name: fault
        for name, unit in VALUES.items()
        if (fault := growth.fault(checked, lambda size, u=unit: with_value(place, u, size)))
    }

    assert slow == {}


@pytest.mark.parametrize("work", [parsed, checked])
def test_a_document_of_any_shape_takes_time_in_proportion(work):
    slow = {
        shape: fault
        for shape in SHAPES
        if (fault := growth.fault(work, lambda size, s=shape: of_shape(s, size), floor=0.05))
    }

    assert slow == {}


# -- the largest documents that are judged in the web process --------------------------------------

_AMOUNT = '<cbc:Amount currencyID="Q{0}">1.2345</cbc:Amount></cac:AllowanceCharge>'
_CODE = "<cbc:AllowanceChargeReasonCode>Q{0}</cbc:AllowanceChargeReasonCode>"
_ADJUSTMENT = "<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator>"
_REFERENCE = (
    '<cac:AdditionalDocumentReference><cbc:ID schemeID="Z{0}">{0}</cbc:ID>'
    "</cac:AdditionalDocumentReference>"
)
# What is repeated up to the bound of tags, and before which element.
REPEATED = {
    "allowances": ("<cac:TaxTotal>", _ADJUSTMENT + _AMOUNT),
    "allowances of a line": ("<cac:Item>", _ADJUSTMENT + _CODE + _AMOUNT),
    "attachments": ("<cac:AccountingSupplierParty>", _REFERENCE),
    "totals": (
        "<cac:LegalMonetaryTotal>",
        '<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">{0}</cbc:TaxAmount></cac:TaxTotal>',
    ),
    "errors of the schema": (
        "<cac:InvoiceLine>",
        "<cac:InvoiceLine>" + "<cbc:Note a=''/>" * 1_900 + "</cac:InvoiceLine>",
    ),
}
# The elements whose text is as long as a document may be: codes of lists, identifiers.
LONG = {
    "currency": (SAMPLE, "DocumentCurrencyCode", " "),
    "specification": (SAMPLE, "CustomizationID", "#"),
    "means of payment": (XRECHNUNG, "PaymentMeansCode", "#"),
}
MAX_SECONDS = 0.4  # five times what each takes, less than MAX_CPU_SECONDS_HERE


def largest(before: str, unit: str) -> bytes:
    """The sample with so many units that it is just not large."""
    room = MAX_TAGS - SAMPLE.count("<")
    units = "".join(unit.format(number) for number in range(room // unit.count("<")))
    return SAMPLE.replace(before, units + before, 1).encode()


def longest(sample: str, element: str, unit: str) -> bytes:
    at = sample.index(">", sample.index(f"<cbc:{element}")) + 1
    return (sample[:at] + unit * (MAX_BYTES - len(sample.encode())) + sample[at:]).encode()


def test_no_document_that_is_judged_in_the_web_process_takes_long():
    """A thread cannot be ended: what is worse than these is judged in a computing process."""
    documents = {name: largest(*how) for name, how in REPEATED.items()}
    documents |= {name: longest(*how) for name, how in LONG.items()}
    assert not any(is_large(document) for document in documents.values())
    slow = [
        name
        for name, document in documents.items()
        if not effort.within(MAX_SECONDS, lambda document=document: checked(document))
    ]

    assert slow == []


ASKS = {  # documents, and how often judging and wording them asks for the time at least
    "nodes": (SAMPLE.encode(), 2),
    "findings": (largest(*REPEATED["allowances"]), 2_000),
    "an error of the schema": (with_value("date", "x", 1_000), 1),
    "many errors": (largest(*REPEATED["errors of the schema"]), 2),
}


@pytest.mark.parametrize("name", ASKS)
def test_judging_ends_at_its_deadline(name, monkeypatch):
    """Whether it has passed at the first step, in the middle, or at the last."""
    document, least = ASKS[name]
    asked = count()
    monkeypatch.setattr(clock, "cpu_seconds", lambda: next(asked))
    checked(document)
    assert next(asked) == 0  # without a deadline nobody asks
    with cpu_deadline.within(1_000_000):
        checked(document)
    times = next(asked) - 2

    assert times >= least
    for seconds in (0, times // 2, times - 1):
        with pytest.raises(cpu_deadline.Overdue), cpu_deadline.within(seconds):
            checked(document)
    with cpu_deadline.within(times):
        checked(document)
