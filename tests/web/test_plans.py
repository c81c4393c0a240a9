"""Plans of tenants: documents a month and networks (decisions 21.1)."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.store.core import db
from einvoice.store.tables import Event
from einvoice.web.limits import Budget, seconds_to_wait
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.pages.visitor import Visitor
from tests.web.platform import Platform
from tests.web.submission.documents import request_of, two_lines

TENANTS = "/api/platform/tenants"


@pytest.fixture
def platform(service) -> Platform:
    return Platform(service)


def percents(service, tenant: str) -> list[tuple[int, int]]:
    """Percent and number of documents of the events of a tenant."""
    query = sa.select(Event.payload).where(Event.tenant_id == tenant, Event.type == "plan.usage")
    with service.app_context(), db.reading() as connection:
        found = connection.execute(query.order_by(Event.sequence)).scalars()
        return [(payload["percent"], payload["documents"]) for payload in found]


def sent(platform: Platform, tenant: str) -> int:
    count: int = platform.get(f"{TENANTS}/{tenant}/plan").json["sent"]["test"]
    return count


@pytest.mark.parametrize(
    ("above", "answers"),
    [
        ("refuse", [200] * 5 + [402] * 2),
        ("wait", [200] * 5 + [429] * 2),
        ("allow", [200] * 7),
    ],
)
def test_the_document_after_the_last_one_of_the_month_meets_the_plan(
    service, platform, above, answers
):
    """Events at 80 and 100 percent, once each, for the tenant and its platform."""
    tenant = platform.created("c-1", plan={"monthlyDocuments": 5, "aboveLimit": above})
    body = platform.body(tenant)

    found = [platform.send(tenant, body).status_code for _ in answers]

    assert found == answers
    assert sent(platform, tenant) == answers.count(200)
    assert percents(service, tenant) == [(80, 4), (100, 5)]
    assert percents(service, platform.id) == [(80, 4), (100, 5)]


def test_a_refusal_says_when_the_plan_begins_again(platform, monkeypatch):
    """Nothing of it is stored, and its key is free."""
    tenant = platform.created("c-1", plan={"monthlyDocuments": 0, "aboveLimit": "wait"})
    body = platform.body(tenant)
    end = datetime(2026, 11, 30, 23, 59, 30, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: end)

    refused = platform.send(tenant, body, Idempotency_Key="k")

    assert slug(refused) == "plan-limit-paused"
    assert refused.headers["Retry-After"] == "31"
    platform.call("PATCH", f"{TENANTS}/{tenant}", {"plan": {"monthlyDocuments": 1}})
    assert platform.send(tenant, body, Idempotency_Key="k").status_code == 200
    assert slug(platform.send(tenant, body)) == "plan-limit-reached"
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 12, 1, tzinfo=UTC))
    assert platform.send(tenant, body).status_code == 200


def test_repetitions_dry_runs_and_refusals_do_not_count(platform):
    tenant = platform.created("c-1", plan={"monthlyDocuments": 1})
    body = platform.body(tenant)

    dry = platform.send(tenant, body | {"options": {"dryRun": True}})
    wrong = platform.send(tenant, body | {"invoice": {}})
    first = platform.send(tenant, body, Idempotency_Key="k")
    again = platform.send(tenant, body, Idempotency_Key="k")

    assert [dry.status_code, wrong.status_code, first.status_code] == [200, 400, 200]
    assert again.json["invoiceId"] == first.json["invoiceId"]
    assert sent(platform, tenant) == 1


def test_a_dry_run_is_refused_when_a_send_would_be(platform):
    tenant = platform.created("c-1", plan={"monthlyDocuments": 1})
    body = platform.body(tenant)
    dry = body | {"options": {"dryRun": True}}
    before = platform.send(tenant, dry)
    sent = platform.send(tenant, body)
    above = [platform.send(tenant, each) for each in (dry, body)]

    assert [before.status_code, sent.status_code] == [200, 200]
    assert {(each.status_code, slug(each)) for each in above} == {(402, "plan-limit-reached")}


def test_concurrent_sends_share_what_is_left(service, platform):
    """Of 12 at once, with 4 keys sent twice, exactly 5 are accepted."""
    tenant = platform.created("c-1", plan={"monthlyDocuments": 5})
    body = platform.body(tenant)
    keys = [{"Idempotency_Key": f"k-{n % 4}"} for n in range(8)] + [{}] * 4

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda key: platform.send(tenant, body, **key), keys))

    ids = {answer.json["invoiceId"] for answer in answers if answer.status_code == 200}
    others = Counter(answer.status_code for answer in answers) - Counter({200: len(answers)})
    assert (len(ids), sent(platform, tenant)) == (5, 5)
    assert set(others) == {402}
    assert Caller(service, tenant=tenant).count() == 5


def test_the_documents_of_a_batch_meet_the_plan_one_by_one(service, platform):
    tenant = platform.created("c-1", plan={"monthlyDocuments": 2})
    caller = Caller(service, tenant=tenant)
    batch = {"invoices": [request_of(two_lines(number=f"B-{n}")) for n in range(4)]}

    items = caller.bearer("POST", "/v1/invoices/batch", batch).json["results"]

    refused = [item.get("error", {}).get("type", "").rpartition("/")[2] for item in items]
    assert refused == ["", "", "plan-limit-reached", "plan-limit-reached"]
    assert sent(platform, tenant) == 2


def test_a_plan_that_is_set_within_the_month_counts_what_was_sent_before(platform):
    tenant = platform.created("c-1")
    body = platform.body(tenant)
    assert platform.send(tenant, body).status_code == 200

    platform.call("PATCH", f"{TENANTS}/{tenant}", {"plan": {"monthlyDocuments": 2}})
    answers = [platform.send(tenant, body).status_code for _ in range(2)]

    assert answers == [200, 402]
    platform.call("PATCH", f"{TENANTS}/{tenant}", {"plan": None})
    assert platform.send(tenant, body).status_code == 200


def test_a_network_that_the_plan_lacks_is_refused(platform):
    """The simulator of the sandbox stands for any network of the plan."""
    tenant = platform.created("c-1", plan={"networks": []})
    body = platform.body(tenant)

    refused = platform.send(tenant, body)

    assert slug(refused) == "not-in-plan"
    assert refused.json["detail"] == "Your plan does not have the network simulator; it has: none."
    platform.call("PATCH", f"{TENANTS}/{tenant}", {"plan": {"networks": ["ksef"]}})
    assert platform.send(tenant, body).status_code == 200


@pytest.mark.parametrize(
    ("own", "remaining", "seconds"),
    [(0, 1, 40), (7, 1, 7), (900, 1, 900), (0, 0, 40), (1, 0, 40), (900, 0, 900)],
)
def test_a_refusal_with_a_wait_of_its_own_asks_for_no_less(own, remaining, seconds):
    """Such as that of a plan until the next month, though the budget has room in a minute."""
    budget = Budget(limit=2, remaining=remaining, reset=0, retry_after=40)

    assert seconds_to_wait(own, budget) == seconds


@pytest.mark.parametrize(
    "plan", [{"networks": []}, {"networks": ["ksef"]}, {"monthlyDocuments": 5}], ids=str
)
def test_a_plan_that_is_read_and_written_again_is_the_same(platform, plan):
    """None and all networks are different answers: a program changes a member and writes all."""
    tenant = platform.created("c-1", plan=plan)
    path = f"{TENANTS}/{tenant}"
    read = platform.get(f"{path}/plan").json["plan"]

    again = platform.call("PATCH", path, {"plan": read | {"users": 3}}).json["plan"]

    assert read["networks"] == plan.get("networks")
    assert again == read | {"users": 3}


# -- people ----------------------------------------------------------------------------------------


def test_people_beyond_the_plan_meet_it_wherever_they_enter(service, platform):
    """At the API and at the pages; who has a seat keeps it, and programs need none."""
    tenant = platform.created("c-1", plan={"users": 2})
    ann, bob, eve = (Dashboard(service, tenant, subject=name) for name in ("ann", "bob", "eve"))

    entered = [each.get("/api/tenant").status_code for each in (ann, bob, ann)]
    refused = eve.get("/api/tenant")
    page = Visitor(service, tenant, subject="eve").get("/dashboard/settings/participants")

    assert entered == [200, 200, 200]
    assert slug(refused) == "not-in-plan"
    assert refused.json["detail"] == (
        "Your plan has 2 people, and as many use this account: a seat is free when the access of "
        "one of them is ended, or after 30 days without use."
    )
    assert page.status_code == 402
    assert platform.get(f"{TENANTS}/{tenant}/plan").json["users"] == 2
    assert platform.get("/api/tenant", tenant).status_code == 200
    assert Caller(service, tenant=tenant).get("/api/invoices").status_code == 200


def test_a_seat_is_free_when_its_person_is_ended_or_stays_away(service, platform, monkeypatch):
    """For 30 days; a request of every day or month keeps it."""
    tenant = platform.created("c-1", plan={"users": 1})
    ann, eve, kim = (Dashboard(service, tenant, subject=name) for name in ("ann", "eve", "kim"))
    assert ann.get("/api/tenant").status_code == 200
    assert slug(eve.get("/api/tenant")) == "not-in-plan"
    assert ann.post("/api/sessions/end", {"subject": "ann"}).status_code == 200

    real = clock.now
    found = []
    for days in (0, 29, 58, 89):
        monkeypatch.setattr(clock, "now", lambda days=days: real() + timedelta(days=days))
        found.append((days, eve.get("/api/tenant").status_code, slug(kim.get("/api/tenant"))))

    assert found == [
        (0, 200, "not-in-plan"), (29, 200, "not-in-plan"), (58, 200, "not-in-plan"),
        (89, 200, "not-in-plan"),
    ]  # fmt: skip
    monkeypatch.setattr(clock, "now", lambda: real() + timedelta(days=119, minutes=1))
    assert kim.get("/api/tenant").status_code == 200


def test_of_many_people_at_once_as_many_enter_as_the_plan_has(service, platform):
    tenant = platform.created("c-1", plan={"users": 3})
    people = [Dashboard(service, tenant, subject=f"p-{n}") for n in range(8)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda one: one.get("/api/tenant").status_code, people * 2))

    assert found[:8].count(200) + found[8:].count(200) == 6
    assert platform.get(f"{TENANTS}/{tenant}/plan").json["users"] == 3


def test_a_plan_without_people_lets_all_in(service, platform):
    tenant = platform.created("c-1", plan={"monthlyDocuments": 5})
    people = [Dashboard(service, tenant, subject=f"p-{n}") for n in range(3)]

    assert [each.get("/api/tenant").status_code for each in people] == [200] * 3
    platform.call("PATCH", f"{TENANTS}/{tenant}", {"plan": {"users": 0}})
    assert slug(people[0].get("/api/tenant")) == "not-in-plan"
