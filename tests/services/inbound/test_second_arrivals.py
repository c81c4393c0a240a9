"""One bill of two networks, and bank accounts that differ from those of earlier bills."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
import sqlalchemy as sa

from einvoice.domain.artefacts import MAIL
from einvoice.domain.environments import Environment
from einvoice.network import samples
from einvoice.network.types import Evidence
from einvoice.services.account import tenants
from einvoice.services.inbound import arrival_storage, bills
from einvoice.services.inbound.arrival_storage import Arrival
from einvoice.services.invoices import detail
from einvoice.services.principal import Principal
from einvoice.store.core import db
from einvoice.store.inbound import bill_arrivals
from einvoice.store.inbound.received import MessageKey
from einvoice.store.tables import Artefact, BillArrival, Invoice, Transmission
from einvoice.web.runtime import runtime

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
MEANS = (
    b"<cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>"
    b"<cac:PayeeFinancialAccount><cbc:ID>%s</cbc:ID></cac:PayeeFinancialAccount>"
    b"</cac:PaymentMeans>"
)
OWN, OTHER = b"BE68 5390 0754 7034", b"DE89370400440532013000"
MAIL_EVIDENCE = (Evidence(MAIL, b"Subject: a mail"),)


def a_document(number="B-1", account=None, total=None):
    document = samples.inbound(number=number).document
    if account is not None:
        document = document.replace(b"<cac:TaxTotal>", MEANS % account + b"<cac:TaxTotal>", 1)
    return document.replace(b">121.00<", total) if total else document


def arrive(owner, access_point, document, *, connection=None, evidence=()):
    """Store a document as it comes by an access point; whether it is a bill of its own."""
    sample = samples.inbound()
    digest = hashlib.sha256(document).hexdigest()
    arrival = Arrival(
        key=MessageKey(access_point, digest, "s", "r"),
        tenant_id=owner,
        environment=Environment.TEST,
        sender=sample.sender,
        receiver=sample.receiver,
        document_type=sample.document_type,
        process=sample.process,
        document=document,
        connection_id=connection,
        evidence=evidence,
    )
    if arrival_storage.known(arrival) is not None:
        return None
    parts = runtime()
    read = arrival_storage.read(arrival, parts.computing, parts.forms)
    with db.writing() as database:
        return arrival_storage.add(database, read)


def by_network(owner, document):
    return arrive(owner, "loopback-test", document)


def by_mail(owner, document):
    return arrive(owner, "mail-in-test", document, connection="c", evidence=MAIL_EVIDENCE)


def rows(*columns):
    with db.reading() as connection:
        return list(map(tuple, connection.execute(sa.select(*columns))))


def listed():
    query = sa.select(Transmission.invoice_id).where(Transmission.listed_at.is_not(None))
    with db.reading() as connection:
        return list(connection.execute(query).scalars())


@pytest.fixture
def owner(app, tenant):
    tenants.own_participant(tenant, Environment.TEST, samples.RECEIVER)
    return tenant


@pytest.fixture
def reader(owner):
    return Principal(owner, Environment.TEST, scopes=frozenset())


def test_a_mail_with_a_bill_that_a_network_has_brought_is_kept_with_it(owner, reader):
    """One bill, two arrivals, with the mail as evidence; repeated, it is the same."""
    by_network(owner, a_document())
    again = a_document() + b"<!-- as a PDF has it -->"

    assert (by_mail(owner, again), by_mail(owner, again)) == (False, None)
    [(bill,)] = rows(Invoice.id)
    [arrival] = detail.get(bill, reader).arrivals
    assert (arrival.access_point, arrival.replaced_id) == ("mail-in-test", None)
    assert rows(Artefact.kind, Artefact.invoice_id) == [("MAIL", bill)]


def test_a_further_arrival_is_known_by_its_message(owner):
    """Of several at once those that were kept with a bill, and no others."""
    by_network(owner, a_document())
    again = a_document() + b"<!-- as a PDF has it -->"
    by_mail(owner, again)
    digest = hashlib.sha256(again).hexdigest()
    kept = MessageKey("mail-in-test", digest, "s", "r")
    others = [
        replace(kept, **change)
        for change in (
            {"instance_id": "x"},
            {"receiver": "t"},
            {"sender": "t"},
            {"access_point": "x"},
        )
    ]

    [(bill,)] = rows(Invoice.id)
    found = bill_arrivals.known_among([kept, *others])
    assert {key: each.invoice_id for key, each in found.items()} == {kept: bill}
    assert bill_arrivals.known_among([]) == {}


def test_a_bill_that_a_network_brings_after_the_mail_takes_its_place(owner, reader):
    """What the tenant has done with it stays: nobody books and pays it twice."""
    by_mail(owner, a_document())
    [(first,)] = rows(Invoice.id)
    bills.mark(first, reader, processed=True)
    by_network(owner, a_document() + b"<!-- of the network -->")

    [shown] = listed()
    found = detail.get(shown, reader)
    assert shown != first
    assert found.bill.processed_at is not None
    assert [each.replaced_id for each in found.arrivals] == [first]


@pytest.mark.parametrize("other", [a_document("B-2"), a_document(total=b">122.00<")])
def test_another_document_is_another_bill(owner, other):
    by_network(owner, a_document())

    assert by_mail(owner, other) is True
    assert rows(BillArrival.id) == []


def test_the_bill_of_another_tenant_is_not_the_same(owner, app):
    by_network(owner, a_document())
    stranger = tenants.create("Another")

    assert by_mail(stranger, a_document() + b"<!-- again -->") is True


def codes():
    return [[each["code"] for each in warnings] for (warnings,) in rows(Invoice.warnings)]


def test_an_account_that_differs_from_earlier_bills_is_a_warning(owner):
    """On the bill of any network; spaces are no difference."""
    by_network(owner, a_document("B-1", OWN))
    by_mail(owner, a_document("B-2", OWN.replace(b" ", b"")))
    by_network(owner, a_document("B-3", OTHER))

    assert [("iban-changed" in each) for each in codes()] == [False, False, True]
    [warnings] = [w for (w,) in rows(Invoice.warnings) if w and w[0]["code"] == "iban-changed"]
    assert warnings[0]["values"] == {"new": OTHER.decode(), "known": "BE68539007547034"}


def test_a_doubted_account_stays_doubted_until_its_bill_is_processed(owner, reader):
    """A second bill of the same forger is no proof; a person's word is."""
    for number, account in (("B-1", OWN), ("B-2", OTHER), ("B-3", OTHER)):
        by_network(owner, a_document(number, account))
    before = codes()
    second = next(i for i, number in rows(Invoice.id, Invoice.number) if number == "B-2")
    bills.mark(second, reader, processed=True)
    by_network(owner, a_document("B-4", OTHER))

    assert [("iban-changed" in each) for each in before] == [False, True, True]
    assert "iban-changed" not in codes()[-1]


def test_the_accounts_of_another_tenant_are_not_compared(owner):
    by_network(tenants.create("Another"), a_document("B-1", OWN))
    by_network(owner, a_document("B-2", OTHER))

    assert codes() == [[], []]
