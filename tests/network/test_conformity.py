"""Values of plugins are compared with the types that the interface declares."""

from __future__ import annotations

import dataclasses
import inspect

from einvoice import clock
from einvoice.domain.identifiers import BIS_INVOICE
from einvoice.network import (
    checks,
    connections,
    duties,
    endpoints,
    mailboxes,
    types,
)
from einvoice.network.conformity import fault_of
from einvoice.network.types import (
    Delivered,
    NetworkFinding,
    NeverSeen,
    NotRegistered,
    NotSent,
    Outcome,
    Pending,
    Registration,
    Rejected,
    Unknown,
    receipt,
)
from tests.tables import each_row

NAIVE = clock.now().replace(tzinfo=None)
RECEIPT = receipt(b"<Receipt/>")
OUTCOMES = "Delivered or Rejected or Pending or NotSent or Blocked or Unknown"


@each_row(
    ("value", "fault"),
    [
        (Delivered((RECEIPT,)), None),
        (Delivered([RECEIPT]), None),
        (Delivered(RECEIPT), "Delivered.evidence is Evidence, not tuple"),
        (Delivered((receipt("<R/>"),)), "Delivered.evidence[0].content is str, not bytes"),
        (Delivered((), Pending("r", NAIVE)), "Delivered.follow_up.next_poll_at has no time zone"),
        (Pending("r", clock.now(), state={"page": "1"}), None),
        (Pending(7), "Pending.reference is int, not str"),
        (Pending("r", state={"page": 1}), "Pending.state['page'] is int, not str"),
        (Pending("r", state={1: "page"}), "Pending.state: a key is int, not str"),
        (Rejected("X-1", "no", 400, findings=(NetworkFinding("no"),)), None),
        (Rejected("X-1", None), "Rejected.reason is NoneType, not str"),
        (Rejected("X-1", "no", "400"), "Rejected.upstream_status is str, not int or None"),
        (NotSent("busy", 5), None),
        (NotSent("busy", "5"), "NotSent.retry_after is str, not float or None"),
        (Unknown("silence", float("inf")), "Unknown.ask_after is not finite"),
        (None, f"NoneType, not {OUTCOMES}"),
        (NeverSeen(), f"NeverSeen, not {OUTCOMES}"),
        (Delivered, f"type, not {OUTCOMES}"),
    ],
    ids=str,
)
def test_an_outcome_is_of_the_interface_or_its_fault_names_the_place(value, fault):
    assert fault_of(value, Outcome) == fault


def test_a_registration_lists_document_types():
    answers = Registration | NotRegistered

    assert fault_of(Registration((BIS_INVOICE,)), answers) is None
    assert fault_of(NotRegistered(), answers) is None
    text = fault_of(Registration((str(BIS_INVOICE),)), answers)
    assert text == "Registration.document_types[0] is str, not DocumentTypeId"


def test_a_fault_shows_no_value():
    """It may be a secret of an account."""
    works = connections.Works(connection_id="c", credentials={"key": b"s3cret"})

    assert fault_of(works, connections.CheckOutcome) == "Works.credentials['key'] is bytes, not str"


def test_every_value_of_the_interface_can_be_compared():
    """A field whose name hides its type would raise at the first value."""
    found = {
        each
        for module in (types, connections, mailboxes, endpoints, checks, duties)
        for _, each in inspect.getmembers(module, inspect.isclass)
        if dataclasses.is_dataclass(each) and each.__module__ == module.__name__
    }

    assert len(found) > 30
    for each in found:
        empty = object.__new__(each)
        for field in dataclasses.fields(each):
            object.__setattr__(empty, field.name, object())
        assert dataclasses.fields(each) == () or fault_of(empty, each), each
