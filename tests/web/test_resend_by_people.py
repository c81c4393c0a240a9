"""POST /api/invoices/{invoiceId}/resend by a person at the dashboard (decisions 20.6)."""

from __future__ import annotations

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services.principal import Principal, Session
from einvoice.services.send import resend as resending
from tests.builders import accepted
from tests.web.caller import ASYNC, slug
from tests.web.dashboard import Dashboard
from tests.web.resending import REJECTING


@pytest.fixture
def failed(caller) -> str:
    """The id of an invoice that failed."""
    invoice = caller.sent(REJECTING)
    caller.work()
    return invoice


def resend(person: Dashboard, invoice: str, **headers: str):
    return person.post(f"/api/invoices/{invoice}/resend", Prefer=ASYNC, **headers)


def test_a_member_sends_a_failed_invoice_again(service, caller, failed):
    """As a program does: another transaction id, and 409 for the next one."""
    member = Dashboard(service, caller.tenant, Role.MEMBER)
    before = caller.get(f"/api/invoices/{failed}").json
    answer, second = resend(member, failed), resend(member, failed)
    after = caller.get(f"/api/invoices/{failed}").json

    assert answer.status_code == 200, answer.text
    assert (before["networkStatus"], after["networkStatus"]) == ("Failed", "Processing")
    assert answer.json["transactionId"] == after["transactionId"] != before["transactionId"]
    assert (second.status_code, slug(second)) == (409, "conflict")


def test_a_viewer_does_not(service, caller, failed):
    answer = resend(Dashboard(service, caller.tenant, Role.VIEWER), failed)

    assert (answer.status_code, slug(answer)) == (403, "forbidden")
    assert answer.json["requiredRole"] == "member"


def test_a_persons_resend_is_in_the_audit_log_and_a_keys_is_not(service, caller, failed):
    owner = Dashboard(service, caller.tenant)
    by_person = resend(owner, failed)
    resend(owner, failed)  # refused
    caller.work()
    by_key = caller.call("POST", f"/api/invoices/{failed}/resend", Prefer=ASYNC)
    items = owner.get("/api/audit?action=invoice.resent").json["items"]

    assert (by_person.status_code, by_key.status_code) == (200, 200)
    assert [(i["target"], i["actor"], i["actorKind"], i["detail"]) for i in items] == [
        (failed, "ann", "person", {"transactionId": by_person.json["transactionId"]})
    ]


def test_a_persons_key_is_replayed_and_shared_with_programs(service, caller, failed):
    """Idempotency keys belong to the tenant and the environment of the invoice."""
    owner = Dashboard(service, caller.tenant)
    first = resend(owner, failed, Idempotency_Key="again")
    second = resend(owner, failed, Idempotency_Key="again")
    program = caller.call(
        "POST", f"/api/invoices/{failed}/resend", Prefer=ASYNC, Idempotency_Key="again"
    )

    assert first.data == second.data == program.data
    replays = [a.headers["Idempotency-Replay"] for a in (first, second, program)]
    assert replays == ["false", "true", "true"]


def test_a_stranger_gets_404_and_nothing_is_sent(service, caller, failed):
    count = caller.count()
    answer = resend(Dashboard(service), failed)

    assert (answer.status_code, slug(answer)) == (404, "not-found")
    assert caller.count() == count


@pytest.mark.parametrize("environment", list(Environment))
def test_a_person_sends_in_the_environment_of_the_invoice(service, environment):
    """People see both; a program acts as itself."""
    person = Dashboard(service)
    who = Session(person.tenant, "ann", None, Role.MEMBER)
    program = Principal(person.tenant, environment, frozenset(), "key")
    with service.app_context():
        invoice = accepted(person.tenant, environment=environment.value).invoice_id
        found = [resending.sender_of(invoice, one) for one in (who, program)]

    assert found == [Principal(person.tenant, environment, frozenset()), program]
