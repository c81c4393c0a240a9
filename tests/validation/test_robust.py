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


SIZE = 10 * 1024 * 1024
UBL = b"urn:oasis:names:specification:ubl:schema:xsd:"
ROOT = (
    b'<Invoice xmlns="%bInvoice-2" xmlns:cac="%bCommonAggregateComponents-2" '
    b'xmlns:cbc="%bCommonBasicComponents-2">' % (UBL, UBL, UBL)
)


def filled(piece: bytes) -> bytes:
    """An invoice of ten megabytes made of one piece."""
    return ROOT + piece * (SIZE // len(piece)) + b"</Invoice>"


NOTES = b"<cbc:Note>x</cbc:Note>"

HOSTILE = {
    "errors behind half a million siblings": lambda: filled(NOTES).replace(
        b"</Invoice>", b'<cbc:Note y="">x</cbc:Note>' * 90 + b"</Invoice>"
    ),
    "a bomb of entities": lambda: (
        b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + filled(b"&b;")
    ),
    "only opening tags": lambda: b"<a>" * (SIZE // 3),
    "only spaces": lambda: b" " * SIZE,
    "only zero bytes": lambda: bytes(SIZE),
    "an attribute without end": lambda: b'<Invoice a="' + b"x" * SIZE,
    "a million attributes": lambda: (
        b"<Invoice " + b"".join(b'a%d="" ' % n for n in range(SIZE // 12)) + b"/>"
    ),
    "a million empty elements": lambda: filled(b"<x/>"),
    "a comment without end": lambda: b"<!--" + b"-" * SIZE,
    "one text": lambda: ROOT + b"<cbc:ID>" + b"9" * SIZE + b"</cbc:ID></Invoice>",
    "empty lines": lambda: filled(b"<cac:InvoiceLine/>"),
    "empty allowances": lambda: filled(b"<cac:AllowanceCharge><cbc:Amount/></cac:AllowanceCharge>"),
    "unknown names": lambda: filled(b"<cac:Xaaaa/>" * 3 + b"<cbc:Y/>"),
    "endpoints": lambda: filled(b"<cbc:EndpointID schemeID='x'>1</cbc:EndpointID>"),
}


# One of each kind of refusal; the others are refused in the same places.
EVERY_DAY = ("errors behind half a million siblings", "a bomb of entities", "only opening tags")


@pytest.mark.parametrize(
    "name",
    [name if name in EVERY_DAY else pytest.param(name, marks=pytest.mark.more) for name in HOSTILE],
)
def test_ten_hostile_megabytes_are_refused_in_linear_time(name: str) -> None:
    """At most 0.8 seconds when written; quadratic time would be minutes."""
    document = HOSTILE[name]()
    began = time.thread_time()
    report = validation.check(document, on=DAY)
    seconds = time.thread_time() - began

    assert report.light is Light.RED
    assert seconds < 10.0
