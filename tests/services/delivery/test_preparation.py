"""An access point that prepares nothing: the document is refused, or waits."""

from __future__ import annotations

import pytest

from einvoice.network.types import NotSent, Rejected
from einvoice.services.delivery import handover
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller

REFUSED = Rejected("T-9", "no chain for this branch", reason_code="document-refused")


@pytest.fixture
def caller(make_app):
    return Caller(make_app())


@pytest.fixture
def preparing(caller, monkeypatch):
    """`preparing(answer)`: from now on the simulator prepares nothing, with this answer."""
    point = type(runtime_of(caller.app).access_points["simulator"])

    def answering(answer):
        def prepare(self, envelope):
            if isinstance(answer, Exception):
                raise answer
            return answer

        monkeypatch.setattr(point, "prepare", prepare)

    return answering


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        (REFUSED, "Failed", "document-refused"),
        (NotSent("the counter is locked"), "Processing", None),
        (RuntimeError("broken"), "Processing", None),
    ],
)
def test_a_document_that_cannot_be_prepared_fails_at_once_or_waits(
    caller, preparing, answer, status, reason
):
    """Nothing was submitted in any case, so only a refusal is final."""
    invoice = caller.sent()
    preparing(answer)
    caller.work()

    found = caller.get(f"/api/invoices/{invoice}").json
    assert (found["networkStatus"], found["reasonCode"]) == (status, reason)
    assert not any(entry["event"] == "submitted" for entry in found["history"])


def test_a_document_that_waited_is_prepared_again(caller, preparing, monkeypatch):
    invoice = caller.sent()
    preparing(NotSent("the counter is locked", retry_after=0.0))
    caller.work()
    monkeypatch.undo()
    caller.work()

    assert caller.get(f"/api/invoices/{invoice}").json["networkStatus"] != "Failed"


@pytest.mark.parametrize(("renew_after", "left"), [(0.0, 0), (600.0, 3)])
def test_documents_that_take_longer_to_prepare_than_a_lease_are_sent(
    caller, monkeypatch, move, renew_after, left
):
    """Their leases are extended on the way; without that, no document passes the fence."""
    point = type(runtime_of(caller.app).access_points["simulator"])
    prepare = point.prepare

    def taking_long(self, envelope):
        move(seconds=16)  # of the thirty of a lease
        return prepare(self, envelope)

    monkeypatch.setattr(point, "prepare", taking_long)
    monkeypatch.setattr(handover, "RENEW_SECONDS", renew_after)
    invoices = [caller.sent() for _ in range(3)]
    caller.work()

    found = [caller.get(f"/api/invoices/{each}").json["history"] for each in invoices]
    unsent = [each for each in found if not any(entry["event"] == "submitted" for entry in each)]
    assert len(unsent) == left
