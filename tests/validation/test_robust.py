"""Any bytes have a report: no exception is raised, and the time is bounded."""

from __future__ import annotations

import itertools
import time
from datetime import date

import pytest

from einvoice import validation
from einvoice.validation import Light
from tests.validation.damage import bases, damaged, samples, systematic

DAY = date(2026, 11, 21)
SAMPLES = [file.name for file in samples()]
SEVERITIES = {"error", "warning", "information"}


def reported(data: bytes, seed: int) -> None:
    """With the schema and without it there is a report that can be serialised."""
    for schema in (True, False):
        report = validation.check(data, on=DAY, schema=schema)
        body = report.as_json()

        assert body["trafficLight"] in set(Light), seed
        assert {finding.severity for finding in report.findings} <= SEVERITIES, seed
        assert all(f.message for f in validation.folded(report.findings)), seed
        assert report.is_document or report.light is Light.RED, seed


@pytest.mark.parametrize(
    "block", [0, *(pytest.param(block, marks=pytest.mark.more) for block in range(1, 10))]
)
def test_two_thousand_broken_documents_have_a_report(block: int) -> None:
    """200 seeds in each of ten blocks; a failure names its seed."""
    for seed in range(block * 200, block * 200 + 200):
        reported(damaged(seed), seed)


@pytest.mark.long
@pytest.mark.parametrize("block", range(98))
def test_a_hundred_thousand_broken_documents_have_a_report(block: int) -> None:
    """With the two thousand above."""
    for seed in range(2_000 + block * 1_000, 3_000 + block * 1_000):
        reported(damaged(seed), seed)


def each_value(document: bytes, step: int) -> None:
    for number, data in enumerate(itertools.islice(systematic(document), 0, None, step)):
        reported(data, number)


@pytest.mark.parametrize("document", bases()[: len(SAMPLES)], ids=SAMPLES)
def test_a_bad_value_in_any_place_is_reported(document: bytes) -> None:
    """Every 47th pair of place and value."""
    each_value(document, 47)


@pytest.mark.long
@pytest.mark.parametrize("document", bases()[: len(SAMPLES)], ids=SAMPLES)
def test_every_bad_value_in_every_place_is_reported(document: bytes) -> None:
    """Ten thousand documents for each sample."""
    each_value(document, 1)


MIB = 1024**2
UBL = b"urn:oasis:names:specification:ubl:schema:xsd:"
ROOT = (
    b'<Invoice xmlns="%bInvoice-2" xmlns:cac="%bCommonAggregateComponents-2" '
    b'xmlns:cbc="%bCommonBasicComponents-2">' % (UBL, UBL, UBL)
)


def filled(size: int, piece: bytes) -> bytes:
    """An invoice of this size made of one piece."""
    return ROOT + piece * (size // len(piece)) + b"</Invoice>"


NOTES = b"<cbc:Note>x</cbc:Note>"

HOSTILE = {
    "errors behind very many siblings": lambda size: filled(size, NOTES).replace(
        b"</Invoice>", b'<cbc:Note y="">x</cbc:Note>' * 90 + b"</Invoice>"
    ),
    "a bomb of entities": lambda size: (
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + filled(size, b"&b;")
    ),
    "only opening tags": lambda size: b"<a>" * (size // 3),
    "only spaces": lambda size: b" " * size,
    "only zero bytes": lambda size: bytes(size),
    "an attribute without end": lambda size: b'<Invoice a="' + b"x" * size,
    "very many attributes": lambda size: (
        b"<Invoice " + b"".join(b'a%d="" ' % n for n in range(size // 12)) + b"/>"
    ),
    "very many empty elements": lambda size: filled(size, b"<x/>"),
    "a comment without end": lambda size: b"<!--" + b"-" * size,
    "one text": lambda size: ROOT + b"<cbc:ID>" + b"9" * size + b"</cbc:ID></Invoice>",
    "empty lines": lambda size: filled(size, b"<cac:InvoiceLine/>"),
    "empty allowances": lambda size: filled(
        size, b"<cac:AllowanceCharge><cbc:Amount/></cac:AllowanceCharge>"
    ),
    "unknown names": lambda size: filled(size, b"<cac:Xaaaa/>" * 3 + b"<cbc:Y/>"),
    "endpoints": lambda size: filled(size, b"<cbc:EndpointID schemeID='x'>1</cbc:EndpointID>"),
}


@pytest.mark.parametrize("size", [MIB, pytest.param(10 * MIB, marks=pytest.mark.more)])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_megabytes_are_refused_in_linear_time(name: str, size: int) -> None:
    """At most 0.08 seconds for each when written; quadratic time would be minutes for ten."""
    document = HOSTILE[name](size)
    began = time.thread_time()
    report = validation.check(document, on=DAY)
    seconds = time.thread_time() - began

    assert report.light is Light.RED
    assert seconds < max(2.0, size / MIB)
