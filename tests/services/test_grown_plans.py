"""Each service begins the kind of transaction that its statements need on grown tables.

PostgreSQL plans some statements along their indexes only in a transaction of `db.writing_by_key`.
The services run here as in production; the plans of all that they execute are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from flask import current_app

from einvoice import clock
from einvoice.domain import artefacts
from einvoice.domain.connections import State
from einvoice.domain.directory import CUSTOMER
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.network.types import Delivered, Evidence, Unknown
from einvoice.services import retention
from einvoice.services.account import key_expiry
from einvoice.services.connections import parked_documents
from einvoice.services.delivery import job_parts, operations, settlement, transmit
from einvoice.services.delivery.job_parts import JobPart
from einvoice.services.directory import csv_import, entries, seed
from einvoice.services.inbound import bills
from einvoice.services.invoices import share_links
from einvoice.services.participants import reachability
from einvoice.services.principal import Session
from einvoice.services.webhooks import deliveries, redelivery
from einvoice.services.webhooks.attempts import AttemptedDelivery
from einvoice.services.webhooks.posts import PostedGroup
from einvoice.store import outbox
from einvoice.store.connections import parked
from einvoice.store.core import db
from einvoice.store.sending import acceptance, resends, sequences, transmissions
from einvoice.store.sending.resends import Resend
from einvoice.store.webhooks import webhooks
from einvoice.web.runtime import runtime_of
from einvoice.webhooks import sending
from tests.builders import new_send
from tests.computing import InProcess
from tests.store import grown
from tests.store.plans import executed, leased, read_whole
from tests.store.plans import grown_app as grown_app
from tests.tables import each_row

ANN = grown.TENANTS[0]
HOOK = f"hook-{ANN}"
NOW = clock.now()
ANNA = Session(ANN, "anna", None, Role.OWNER)
RECEIPT = Evidence(artefacts.RECEIPT, b"<Receipt/>")


def advance() -> None:
    """Submit what waits; the simulator delivers in a moment, so the rows are rescheduled."""
    rows = leased("transmission")[:5]
    transmit.advance(rows, "token", runtime_of(current_app))


def settle() -> None:
    """Deliver some with a receipt, and repeat others."""
    held = transmissions.held(leased("transmission")[10:20], "token", NOW)
    outcomes = [Delivered((RECEIPT,)), Unknown("the network is silent")]
    settlement.write(
        [settlement.settled(w, outcomes[i % 2], None) for i, w in enumerate(held)], "token"
    )


def keep_evidence() -> None:
    [work] = transmissions.held(leased("transmission")[20:21], "token", NOW)
    settlement.keep_evidence(work, [RECEIPT], None, "token")


def complete() -> None:
    works = transmissions.held(leased("transmission")[21:25], "token", NOW)
    runtime = runtime_of(current_app)
    point = runtime.access_points["simulator"]
    part = JobPart(point, "token", runtime)
    transmit._complete(part, job_parts.extend_leases(part, works))


def settle_webhooks() -> None:
    due = webhooks.due(leased("webhook"), "token", NOW)
    results = [sending.Delivered(sending.Reply(1, 200)), sending.Failed(sending.Reply(1, 500))]
    done = [AttemptedDelivery(d, results[i % 2]) for i, d in enumerate(due[:-5])]
    deliveries.settle(PostedGroup(done, put_back=due[-5:]))


def check_reachability() -> None:
    reachability.check(leased("lookup")[:5], "token", runtime_of(current_app))


def resend() -> None:
    resends.resend(
        Resend(
            f"{ANN}-inv-503", f"{ANN}-txn-503", clock.timestamp(clock.now()), ANN, "test",
            "simulator", "processing", None, NOW, outbox.BULK, NOW,
        )
    )  # fmt: skip


def settle_by_hand() -> None:
    operations.resolve(f"{ANN}-txn-60", "delivered", b"<Receipt/>", "receipt.xml", None)


def send_in_a_sequence() -> None:
    """Four documents of one key of a connection, two of which are final."""
    sends = [new_send(ANN, connection_id="con", sequence_key="unit") for _ in range(4)]
    acceptance.accept_many(sends)
    for send in sends[:2]:
        assert sequences.holder_of(send.transmission_id) in (None, sends[0].transmission_id)
        operations.resolve(send.transmission_id, "delivered", b"<R/>", "r.xml", None)
    assert [one.waiting for one in operations.blocking_sequences()] == [1]


def park_documents() -> None:
    """Of a connection that needs a person, works again, and is revoked."""
    acceptance.accept_many([new_send(ANN, connection_id="con") for _ in range(4)])
    for state in (State.NEEDS_PERSON, State.ACTIVE, State.NEEDS_PERSON):
        with db.writing() as connection:
            parked_documents.park_or_resume(connection, "con", state)
    assert parked.count(["con"])
    assert operations.parked("con")
    parked_documents.reconcile()


def edit_an_entry() -> None:
    added = entries.create(CUSTOMER, ANN, {"name": "New", "peppol_id": "0208:0403019261"})
    entries.change(CUSTOMER, ANN, added.id, {"peppol_id": None})
    entries.remove(CUSTOMER, ANN, added.id)


SERVICES: dict[str, Callable[[], object]] = {
    "submit": advance,
    "settle": settle,
    "keep late evidence": keep_evidence,
    "complete": complete,
    "settle by hand": settle_by_hand,
    "retry now": lambda: operations.retry_now(f"{ANN}-txn-70"),
    "resend": resend,
    "accept a batch": lambda: acceptance.accept_many(
        [new_send(ANN, number=f"Z-{i}", key=f"new-{i}") for i in range(50)]
    ),
    "settle webhooks": settle_webhooks,
    "recover webhooks": lambda: redelivery.recover(
        ANN, HOOK, since=NOW - timedelta(days=20), environment=Environment.TEST
    ),
    "test a webhook": lambda: redelivery.send_test(ANN, HOOK),
    "redeliver a webhook": lambda: redelivery.redeliver(ANN, HOOK, f"{ANN}-del-90"),
    "drop webhooks of deleted endpoints": lambda: webhooks.drop_orphans(
        leased("webhook"), "token"
    ),
    "check reachability": check_reachability,
    "seed a directory": lambda: seed.seed(CUSTOMER, ANN),
    "import a directory": lambda: csv_import.run(
        CUSTOMER, ANN, b"Name,TaxId\nA,1\nn5,T5\n", computing=InProcess()
    ),
    "edit an entry": edit_an_entry,
    "send in a sequence": send_in_a_sequence,
    "park documents": park_documents,
    "sweep": retention.sweep,
    "announce expiring keys": key_expiry.warn,
    "process a bill": lambda: bills.mark(f"{ANN}-inv-4", ANNA, processed=True),
    "share an invoice": lambda: share_links.share(f"{ANN}-inv-101", ANNA),
    "revoke a link": lambda: share_links.revoke(f"{ANN}-inv-100", ANNA),
}  # fmt: skip


@each_row("name", SERVICES)
def test_a_service_reads_no_table_whole(grown_app, name):
    """So its cost stays the same while tables grow, before their first statistics too.

    One after the other: what one of them removes, those before it have used.
    """
    with executed() as found:
        SERVICES[name]()

    assert found
    assert read_whole(found) == {}
