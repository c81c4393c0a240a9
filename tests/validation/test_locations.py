"""Places of findings as locations: part of the invoice, line and item, all indices from 0."""

from __future__ import annotations

import pytest
from lxml import etree

from einvoice.validation.locations import ElementIndex, location_of

DOCUMENT = etree.fromstring(
    "<Invoice>"
    "<AdditionalDocumentReference><ID/></AdditionalDocumentReference>"
    "<AdditionalDocumentReference><Attachment/></AdditionalDocumentReference>"
    "<AdditionalDocumentReference><Attachment/></AdditionalDocumentReference>"
    "<AllowanceCharge><ChargeIndicator>false</ChargeIndicator></AllowanceCharge>"
    "<AllowanceCharge><ChargeIndicator> true </ChargeIndicator></AllowanceCharge>"
    "<AllowanceCharge><ChargeIndicator>1</ChargeIndicator></AllowanceCharge>"
    "<AllowanceCharge><ChargeIndicator>false</ChargeIndicator></AllowanceCharge>"
    "<InvoiceLine><Price><AllowanceCharge/></Price></InvoiceLine>"
    "<InvoiceLine><AllowanceCharge/></InvoiceLine>"
    "</Invoice>"
)


@pytest.mark.parametrize(
    ("place", "part", "line", "item"),
    [
        ("AdditionalDocumentReference[1]", "attachment", None, None),
        ("AdditionalDocumentReference[2]", "attachment", None, 0),
        ("AdditionalDocumentReference[3]/Attachment[1]", "attachment", None, 1),
        ("AdditionalDocumentReference[4]", "attachment", None, None),
        ("AllowanceCharge[1]", "allowance", None, 0),
        ("AllowanceCharge[2]", "charge", None, 0),
        ("AllowanceCharge[3]/Amount[1]", "charge", None, 1),
        ("AllowanceCharge[4]", "allowance", None, 1),
        ("AllowanceCharge[5]", "allowance", None, None),
        ("InvoiceLine[1]/Price[1]/AllowanceCharge[1]", "line", 0, None),
        ("InvoiceLine[2]/AllowanceCharge[1]", "line allowance", 1, 0),
        ("LegalMonetaryTotal[1]", "totals", None, None),
        ("ID[1]", "document", None, None),
    ],
)
def test_a_place_is_in_a_part_of_the_invoice(place, part, line, item):
    """Only references with an attachment are counted, and charges apart from allowances."""
    location = location_of(f"/Invoice[1]/{place}", index=ElementIndex(DOCUMENT))

    assert (location.part, location.line, location.item) == (part, line, item)


def test_without_an_index_there_is_no_item():
    location = location_of("/Invoice[1]/AdditionalDocumentReference[2]")

    assert (location.part, location.item) == ("attachment", None)


def test_a_path_below_the_place_decides_the_part_of_the_document():
    """A rule of the whole invoice may be about one of its parts."""
    location = location_of("/Invoice[1]", "cac:LegalMonetaryTotal/cbc:PayableAmount/@currencyID")

    assert location.part == "totals"
    assert location.path == "/Invoice/LegalMonetaryTotal/PayableAmount"


@pytest.mark.parametrize(
    ("place", "found"),
    [
        ("/Invoice[1]/InvoiceLine[2]", True),
        ("/Invoice[1]/InvoiceLine[3]", False),
        ("/Invoice[1]/InvoiceLine[3]/Price[1]", False),
        ("/CreditNote[1]/InvoiceLine[1]", False),
        ("", False),
    ],
)
def test_an_element_is_found_by_its_place(place, found):
    assert (ElementIndex(DOCUMENT).at(place) is not None) is found
