"""Stored lookups: when one is sufficient to route by, and when the directory is asked again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE, BIS_INVOICE_CII
from einvoice.services.participants import lookup
from einvoice.store.registrations import RegistrationRecord
from einvoice.web.runtime import runtime_of

FRESH_FOR = 900.0
KNOWN = RegistrationRecord(
    id="known", participant="0088:9520000000004", access_point="simulator", registered=True,
    document_types=[str(BIS_INVOICE)], checked_at=clock.now(),
)  # fmt: skip


@pytest.fixture
def point(app):
    return runtime_of(app).access_points["simulator"]


@pytest.mark.parametrize(
    ("changes", "age", "sufficient"),
    [
        ({}, 0, True),
        ({}, 100_000, True),  # the receiver takes the document: the age does not matter
        ({"document_types": [str(BIS_INVOICE_CII)]}, 100_000, True),  # one of the types is enough
        ({"document_types": []}, FRESH_FOR - 60, True),  # fresh: the document is refused at once
        ({"document_types": []}, FRESH_FOR, False),  # old: it may take the document by now
        ({"document_types": [str(BIS_CREDIT_NOTE)]}, FRESH_FOR + 60, False),
        ({"registered": False}, 0, False),
        ({"access_point": "another"}, 0, False),
    ],
)
def test_which_stored_lookup_is_sufficient(point, changes, age, sufficient):
    known = replace(KNOWN, checked_at=clock.now() - timedelta(seconds=age), **changes)
    found = lookup.stored_route(known, (BIS_INVOICE_CII, BIS_INVOICE), point, FRESH_FOR)

    assert (found is not None) is sufficient
    if found is not None:
        assert (found.registration_id, list(found.document_types)) == (
            "known",
            known.document_types,
        )


def test_without_a_stored_lookup_the_directory_is_asked(point):
    assert lookup.stored_route(None, (BIS_INVOICE,), point, FRESH_FOR) is None


@pytest.mark.parametrize(
    ("types", "document_type", "accepted"),
    [
        ((str(BIS_INVOICE),), BIS_INVOICE, True),
        ((str(BIS_INVOICE),), BIS_CREDIT_NOTE, False),
        ((), BIS_INVOICE, False),
        (None, BIS_CREDIT_NOTE, True),  # a network without a directory
    ],
)
def test_a_route_accepts_the_documents_of_its_lookup(point, types, document_type, accepted):
    assert lookup.Route(point, "id", types).accepts(document_type) is accepted
