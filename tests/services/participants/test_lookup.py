"""Stored lookups: when one is sufficient to route by, and when the directory is asked again."""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.directory import CUSTOMER
from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    DocumentTypeNotSupported,
    ReceiverNotRegistered,
    UnknownAccessPointRef,
)
from einvoice.domain.identifiers import (
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    BIS_INVOICE_CII,
    WILDCARD_SCHEME,
    DocumentTypeId,
    ParticipantId,
)
from einvoice.services.caches import Caches
from einvoice.services.directory import entries
from einvoice.services.participants import lookup
from einvoice.services.principal import Principal
from einvoice.store.core import db
from einvoice.store.core.types import Moment
from einvoice.store.sending import registrations
from einvoice.store.sending.registrations import RegistrationRecord
from einvoice.web.runtime import runtime_of

FRESH_FOR = 900.0
PINT = DocumentTypeId(WILDCARD_SCHEME, "urn:a::Invoice##urn:peppol:pint:billing-1@jp-1::2.1")
WILDCARD = DocumentTypeId(WILDCARD_SCHEME, "urn:a::Invoice##urn:peppol:pint:billing-1*::2.1")
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


def test_a_stored_lookup_with_a_wildcard_is_sufficient(point):
    """PINT documents are registered for all countries at once."""
    old = replace(KNOWN, document_types=[str(WILDCARD)], checked_at=clock.now() - timedelta(days=9))

    assert lookup.stored_route(old, (PINT,), point, FRESH_FOR) is not None
    assert lookup.stored_route(old, (BIS_INVOICE,), point, FRESH_FOR) is None


def test_without_a_stored_lookup_the_directory_is_asked(point):
    assert lookup.stored_route(None, (BIS_INVOICE,), point, FRESH_FOR) is None


@pytest.mark.parametrize(
    ("types", "document_type", "syntax", "accepted"),
    [
        ((str(BIS_INVOICE),), BIS_INVOICE, "ubl", True),
        ((str(BIS_INVOICE),), BIS_INVOICE, "toll", False),
        ((str(BIS_INVOICE),), BIS_CREDIT_NOTE, "ubl", False),
        ((), BIS_INVOICE, "ubl", False),
        (None, BIS_CREDIT_NOTE, "ubl", True),  # a network without a directory
        ((str(WILDCARD),), PINT, "ubl", True),
        ((str(WILDCARD),), BIS_INVOICE, "ubl", False),
    ],
)
def test_a_route_accepts_the_documents_of_its_lookup_in_the_syntaxes_of_its_access_point(
    point, types, document_type, syntax, accepted
):
    assert lookup.Route(point, "id", types).accepts(document_type, syntax) is accepted


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({}, None),
        ({"participant": "0088:9520000000011"}, UnknownAccessPointRef),
        ({"registered": False}, ReceiverNotRegistered),
        ({"document_types": [str(BIS_CREDIT_NOTE)]}, DocumentTypeNotSupported),
    ],
)
def test_a_reference_is_checked_for_its_receiver_and_document(app, tenant, changes, refusal):
    record = replace(KNOWN, id=str(uuid.uuid4()), **changes)
    reference = registrations.remember(record, tenant, "test")
    if changes.get("registered") is False:
        registrations.refresh(
            reference, registered=False, document_types=KNOWN.document_types, now=clock.now()
        )
    who = Principal(tenant, Environment.TEST, frozenset())
    receiver = ParticipantId.parse(KNOWN.participant)
    given = (reference, receiver, BIS_INVOICE, who, Caches())

    if refusal is None:
        assert lookup.registration_of(*given).id == reference
    else:
        with pytest.raises(refusal):
            lookup.registration_of(*given)


OF_THE_RELEASE_BEFORE = sa.text(
    """
    INSERT INTO registrations (id, tenant_id, environment, participant, access_point, registered,
        document_types, checked_at, created_at)
    VALUES (:id, :tenant, 'test', :participant, :access_point, true, '[]', :now, :now)
    ON CONFLICT (tenant_id, environment, participant) DO UPDATE SET registered = true
    RETURNING id
    """
).bindparams(sa.bindparam("now", type_=Moment))


def test_the_release_before_stores_lookups_beside_those_of_further_access_points(app, tenant):
    """Its statement names the columns of the unique constraint, so these stay unique."""
    first, further = (
        registrations.remember(
            replace(KNOWN, id=str(uuid.uuid4()), access_point=name), tenant, "test"
        )
        for name in ("simulator", "another")
    )
    given = {"tenant": tenant, "participant": KNOWN.participant, "access_point": "simulator"}
    with db.writing() as connection:
        again = connection.execute(
            OF_THE_RELEASE_BEFORE, given | {"id": "x", "now": clock.now()}
        ).scalar_one()

    found = registrations.all_of_participant(KNOWN.participant, tenant, "test")
    assert again == first
    assert {(each.id, each.access_point) for each in found} == {
        (first, "simulator"),
        (further, "another"),
    }


def test_values_for_an_invoice_have_the_reference_of_the_last_lookup_that_found_it(app, tenant):
    entry = entries.create(CUSTOMER, tenant, {"name": "N", "peppol_id": KNOWN.participant})
    points = runtime_of(app).access_points
    for days, name, registered in ((3, "a", True), (2, "b", True), (1, "c", False)):
        record = replace(
            KNOWN, id=name, access_point=name, checked_at=clock.now() - timedelta(days=days)
        )
        registrations.remember(replace(record, registered=registered), tenant, "test")
    found = entries.invoice_defaults(CUSTOMER, tenant, entry.id, clock.today(), points)

    assert found.access_point_ref == "b"
