"""Invoice Response: written by the official rules, and read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice_peppol import invoice_response
from einvoice_peppol.invoice_response import (
    Clarification,
    Condition,
    InvalidResponse,
    InvoiceResponse,
    Party,
)
from plugins.peppol.tests import official

ACCEPTED = InvoiceResponse(
    id="ir-1",
    issued_at=datetime(2026, 11, 20, 12, 0, 5, tzinfo=UTC),
    buyer=Party(ParticipantId("0208", "0123456749"), "Buyer & Sons"),
    seller=Party(ParticipantId("0088", "9520000000004"), "Seller"),
    code="AP",
    number="INV <1>",
    type_code="380",
    invoice_date="2026-11-01",
)
REASON = Clarification("REF", "The order number is missing")
CORRECTION = Clarification("PIN", None, (Condition("BT-48", "BE0123456749"), Condition("BT-13")))
CASES = [
    ACCEPTED,
    replace(ACCEPTED, code="AB"),
    replace(ACCEPTED, code="IP", effective_date="2026-11-19"),
    replace(ACCEPTED, code="UQ", clarifications=(REASON,)),
    replace(ACCEPTED, code="CA", clarifications=(REASON,)),
    replace(ACCEPTED, code="RE", clarifications=(REASON, Clarification("NIN"))),
    replace(ACCEPTED, code="RE", clarifications=(Clarification("OTH", "other"),)),
    replace(ACCEPTED, code="PD"),
    replace(ACCEPTED, code="AP", type_code="381", invoice_date=None),
    replace(ACCEPTED, note="Paid next week & in full"),
    replace(ACCEPTED, code="CA", clarifications=(CORRECTION,)),
]


@pytest.mark.parametrize("case", CASES)
def test_what_is_written_is_read_again(case):
    assert invoice_response.read(invoice_response.write(case)) == case


@pytest.mark.parametrize("case", CASES)
def test_what_is_written_keeps_the_official_rules(case):
    found = official.failures(official.INVOICE_RESPONSE, invoice_response.write(case))

    assert found == []


def test_the_official_rules_find_a_wrong_document():
    """The rules run: a rejection needs a clarification."""
    content = invoice_response.write(ACCEPTED).replace(b">AP<", b">RE<")

    assert "PEPPOL-T111-R001" in official.failures(official.INVOICE_RESPONSE, content)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"code": "ZZ"}, "response code"),
        ({"id": ""}, "lacks its id"),
        ({"number": " "}, "number or type"),
        ({"type_code": ""}, "number or type"),
        ({"code": "RE"}, "needs a clarification"),
        ({"clarifications": (Clarification("???"),)}, "clarification is"),
        ({"clarifications": (Clarification("PPD", "half"),)}, "PPD belongs"),
        ({"code": "PD", "clarifications": (Clarification("PPD"),)}, "PPD belongs"),
    ],
)
def test_what_breaks_a_rule_is_not_written(changes, words):
    with pytest.raises(InvalidResponse, match=words):
        invoice_response.write(replace(ACCEPTED, **changes))


def change(before, after):
    return invoice_response.write(ACCEPTED).replace(before, after)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html/>",
        change(b"invoice_response:3</cbc:Cust", b"other:3</cbc:Cust"),
        change(b"DocumentReference", b"OtherReference"),
        change(b"2026-11-20", b"soon"),
        change(b"SenderParty", b"OtherParty"),
        change(b"EndpointID", b"OtherID"),
        change(b">AP<", b">??<"),
    ],
)
def test_what_is_no_invoice_response_is_refused(content):
    with pytest.raises(InvalidResponse):
        invoice_response.read(content)


def test_a_document_without_a_time_is_read():
    """It is optional there."""
    content = change(b"<cbc:IssueTime>12:00:05Z</cbc:IssueTime>", b"")

    assert invoice_response.read(content).issued_at == datetime(2026, 11, 20, tzinfo=UTC)
