"""The plan and the alarms of a simulated week (bench.week), without its processes."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from email.message import EmailMessage
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import yaml

from bench.week import alarms, foreign, lives, plan, post
from bench.week.alarms import Alarm
from bench.week.bills import Bill, entries
from bench.week.book import Found, is_noticed, journeys, settled, told
from bench.week.browsing import Journey
from bench.week.faults import DONE, LATE_MINUTES, NOBODY, TOLD_BY, Happened
from bench.week.operator import NOT_IN_THE_LOG
from bench.week.plan import LASTS, PAUSE, Arrival, Form, Incoming, Kind, Shape, Way
from bench.week.suppliers import Received
from einvoice.clock import Pace
from einvoice_peppol import sbdh, sending

if TYPE_CHECKING:
    from bench.week.town import Town

PACE = Pace(96.0, datetime(2026, 11, 28, 14, 0, tzinfo=UTC))


def test_the_same_seed_is_the_same_week() -> None:
    """So that a defect is found again."""
    assert plan.draw(7, 24, 60, 9) == plan.draw(7, 24, 60, 9)
    assert plan.draw(7, 24, 60, 9) != plan.draw(8, 24, 60, 9)


def test_every_kind_of_fault_happens_in_a_week_and_none_beside_another() -> None:
    """An alert is of one fault, so that nobody guesses which one it told of."""
    faults = plan.draw(1, 168, 60, 5).faults

    assert {one.kind for one in faults} == set(Kind)
    pairs = pairwise(faults)
    assert all(after.begins - before.ends >= PAUSE for before, after in pairs)


def test_a_number_is_sent_once_in_the_plan() -> None:
    drawn = plan.draw(1, 48, 10, 20)
    numbers = Counter(number for one in drawn.sends for number in one.numbers)
    bills = Counter(number for one in drawn.incoming for number in one.bills)

    assert set(numbers.values()) == {1}
    assert set(bills.values()) == {1}


def test_one_in_five_plain_sends_does_not_wait_for_its_outcome() -> None:
    """Its answer is the acceptance, by which the service is measured. No other way or form does."""
    drawn = plan.draw(1, 24, 60, 20)
    plain = [one for one in drawn.sends if one.form is Form.JSON and one.way is Way.PLAIN]
    at_once = [one for one in drawn.sends if lives.waits_not(one)]

    assert 0.15 < len(at_once) / len(plain) < 0.25
    assert set(at_once) <= set(plain)


def test_everybody_lives_there_and_small_tenants_have_their_platform() -> None:
    tenants = {one.number: one for one in plan.draw(1, 8, 5, 13).tenants}
    small = [one for one in tenants.values() if one.shape is Shape.SMALL]

    assert {one.shape for one in tenants.values()} == set(Shape)
    assert len(small) == plan.SMALL_TENANTS
    assert {tenants[one.platform or 0].shape for one in small} == {Shape.PLATFORM}


def test_a_fault_lasts_as_long_as_processes_and_scrapes_take() -> None:
    for minutes in (30, 600):
        drawn = plan.draw(1, 168, minutes, 5)
        least = min(one.lasts for one in drawn.faults if one.lasts) / drawn.rate * 60

        assert least >= plan.LEAST_SECONDS


def test_each_fault_that_lasts_is_told_by_an_alert_and_mended_by_a_page() -> None:
    rules = yaml.safe_load(alarms.RULES.read_text())["groups"][0]["rules"]
    names = {one["alert"] for one in rules}

    lasting = {kind for kind, minutes in LASTS.items() if minutes}
    told = {kind for kind, alerts in TOLD_BY.items() if alerts}
    assert told == lasting - NOBODY
    assert told <= DONE.keys() <= lasting
    assert {name for alerts in TOLD_BY.values() for name in alerts} <= names


@pytest.mark.parametrize(
    ("rule", "hurried"),
    [
        ("for: 15m", "for: 9375ms"),
        ("for: 1m", "for: 5000ms"),
        ("increase(a[1h])", "increase(a[37500ms])"),
        ("increase(a[5m])", "increase(a[10000ms])"),
        ("a offset 1h", "a offset 37500ms"),
        ("time() - a > 7200", "(1795874400 + (time() - 1795874400) * 96) - a > 7200"),
    ],
)
def test_a_rule_waits_by_the_clock_of_the_week(rule: str, hurried: str) -> None:
    """But never shorter than processes and scrapes need in reality."""
    text = f"rules:\n  - alert: EinvoiceSome\n    x: {rule}\n"

    assert f"x: {hurried}\n" in alarms.hurried(text, PACE)


def test_a_rule_about_the_speed_of_processes_is_as_in_reality() -> None:
    text = "rules:\n  - alert: EinvoiceWorkOverdue\n    for: 2m\n"

    assert alarms.hurried(text, PACE) == text


@pytest.mark.parametrize(
    ("began", "ended", "told"),
    [(10, None, True), (25, 26, True), (25.1, None, False), (5, 9.9, False), (5, 10, True)],
)
def test_a_fault_is_told_by_an_alert_that_fires_in_time(
    began: float, ended: float | None, told: bool
) -> None:
    """Also by one that fired before it and still does."""
    fired = [Alarm("A", began, ended), Alarm("B", 10)]

    assert (alarms.told_at(fired, ("A",), (10, 25)) is not None) == told


def test_a_network_without_documents_meanwhile_needs_no_alert() -> None:
    """At night, nobody sends to an authority that is away."""
    drawn = plan.draw(1, 24, 60, 9)
    accepted = {number: one.minute for one in drawn.sends for number in one.numbers}
    late = dict.fromkeys(accepted, 1000.0)

    assert drawn.has_sends(Kind.KSEF_GATEWAY, 0, 480, accepted)
    assert not drawn.has_sends(Kind.KSEF_GATEWAY, 490, 1440, accepted)
    assert not drawn.has_sends(Kind.KSEF_GATEWAY, 0, 480, late)
    assert drawn.has_sends(Kind.REDIS_AWAY, 490, 1440, accepted)


@pytest.mark.parametrize("count", [0, 1])
def test_a_document_without_an_answer_may_be_a_bill_or_none(count: int) -> None:
    """Its sender does not know; the book says once that nobody answered."""
    week = replace(plan.draw(1, 1, 1, 1), incoming=(Incoming(0, 0, "B", Arrival.GOOD),))
    bills = [Bill("id", "B", "green", frozenset())] * count

    found = list(entries(week, Received(unanswered={"B"}), {0: bills}))

    assert [one.text for one in found] == ["the document B was never acknowledged"]


@pytest.mark.parametrize(
    ("found", "broken"),
    [
        (Found("1", "A", "Delivered", frozenset({"RECEIPT"})), []),
        (Found("1", "A", "Delivered", frozenset({"ORIGINAL"})), ["lost"]),
        (Found("1", "A", "Failed", frozenset(), failure="It is away."), ["lost"]),
        (Found("1", "A", "Processing", frozenset()), ["lost"]),
        (Found("1", "bounced", "Failed", frozenset()), []),
        (Found("1", "bounced", "Processing", frozenset()), ["lost"]),
        (Found("undecided", "A", "Processing", frozenset()), ["person"]),
        (Found("1", "A", "Failed", frozenset(), failure=NOT_IN_THE_LOG), []),
        (Found("1", "A", "Processing", frozenset(), failure=NOT_IN_THE_LOG), ["lost"]),
    ],
)
def test_a_document_is_delivered_with_its_receipt_or_a_promise_is_broken(
    found: Found, broken: list[str]
) -> None:
    """One that an operator has to decide, and is told of, is not lost; nor one that he settled."""
    entered = list(settled([found], {"bounced"}, {"undecided"}))

    assert [one.kind for one in entered] == broken
    assert all(found.failure is None or found.failure in one.text for one in entered)


@pytest.mark.parametrize(
    ("kind", "accepted", "oldest", "noticed"),
    [
        (Kind.BUYERS_AWAY, 100.0, LATE_MINUTES, True),
        (Kind.BUYERS_AWAY, 100.0, LATE_MINUTES - 1, False),
        (Kind.BUYERS_AWAY, 126.0, LATE_MINUTES, False),
        (Kind.DATABASE_AWAY, 126.0, 0.0, True),
    ],
)
def test_a_network_that_is_away_is_noticed_by_a_document_that_is_late(
    kind: Kind, accepted: float, oldest: float, noticed: bool
) -> None:
    """One that was accepted early enough; a fault of the service itself, by anybody."""
    week = plan.draw(1, 24, 60, 9)
    own = next(one for one in week.tenants if one.shape not in plan.NATIONAL)
    number = next(number for one in week.sends for number in one.numbers
                  if one.tenant == own.number and one.form is plan.Form.JSON)  # fmt: skip
    fault = Happened(kind, 100.0, 200.0, oldest=oldest)

    assert is_noticed(week, fault, {number: accepted}) is noticed


@pytest.mark.parametrize(
    ("journey", "broken"),
    [
        (Journey(0, 9, "write", "no answer"), ["page"]),
        (Journey(0, 10, "write", "no answer"), []),
        (Journey(12, 13, "write", "no answer"), []),
        (Journey(20, 30, "write", "no answer"), []),
        (Journey(21, 30, "write", "no answer"), ["page"]),
        (Journey(0, 9, "write"), []),
    ],
)
def test_a_person_gets_done_what_no_fault_prevents(journey: Journey, broken: list[str]) -> None:
    """A fault that begins while a form is filled in prevents it too."""
    assert [one.kind for one in journeys([journey], [(10.0, 20.0)])] == broken


def test_an_odd_envelope_says_what_it_said_before() -> None:
    """So a receiver that refuses it is wrong."""
    one = Incoming(0, 0, "B", Arrival.AS4_ODD)
    envelope = foreign.envelope_of(one, "9915:week-1")
    plain = gzip.decompress(cast("bytes", sending.enveloped(envelope, sbdh.ALWAYS_SEND)))
    read = sbdh.read(foreign._odd(plain), max_bytes=1_000_000)

    assert read == sbdh.read(plain, max_bytes=1_000_000)
    assert (read.header.instance_id, foreign.number_of(read.document)) == (
        foreign.instance_of(one),
        "B",
    )


@pytest.mark.parametrize(
    ("name", "seconds"), [("EinvoiceServerErrors", 60.0), ("EinvoiceRateLimitsOff", 600.0)]
)
def test_an_alert_is_of_a_fault_for_as_long_as_its_rule_can_notice_it(
    name: str, seconds: float
) -> None:
    """One about five minutes of reality, which it waits for another five, fires long after."""
    week = plan.draw(1, 168, 60, 1)
    town = cast("Town", SimpleNamespace(plan=week, pace=PACE))
    fault = Happened(Kind.WEB_KILLED, 4000.0, 4050.0)
    last = 4050.0 + alarms.real(seconds, PACE)

    assert list(told(town, [fault], [Alarm(name, last)], {})) == []
    assert [one.kind for one in told(town, [fault], [Alarm(name, last + 1)], {})] == ["no fault"]


def test_a_mail_to_a_buyer_counts_if_it_has_its_invoice() -> None:
    """By the number in its subject; one without a PDF is named."""
    mails = post.Post(lambda call: None)
    message = EmailMessage()
    message["Subject"], message["Message-ID"] = "Invoice W3-end-2 of Acme", "<txn-1@week.example>"
    message.set_content("Dear buyer")
    mails.take(message.as_bytes())
    message.add_attachment(b"%PDF-", "application", "pdf", filename="W3-end-2.pdf")
    mails.take(message.as_bytes())

    assert mails.arrived == {"mail Invoice W3-end-2 of Acme": 1, "W3-end-2": 1}
    assert mails.ids == {"<txn-1@week.example>"}


@pytest.mark.parametrize(
    ("kind", "bills"),
    [
        (Arrival.GOOD, {"B": 1}),
        (Arrival.REPEATED, {"B": 1}),
        (Arrival.SENT_TWICE, {"B": 2}),
        (Arrival.ID_REUSED, {"B": 1, "Bo": 1}),
        (Arrival.MAILED, {"B": 1}),
        (Arrival.AS4_TWICE, {"B": 1}),
        (Arrival.AS4_REUSED, {"B": 1, "Bo": 1}),
    ],
)
def test_the_book_says_what_arrived_too_seldom_and_too_often(
    kind: Arrival, bills: dict[str, int]
) -> None:
    one = Incoming(0, 0, "B", kind)
    week = replace(plan.draw(1, 1, 1, 1), incoming=(one,))
    warned = frozenset({"possible-duplicate", "message-id-reused"})
    right = [Bill(f"{number}-{each}", number, "green", warned)
             for number, count in bills.items() for each in range(count)]  # fmt: skip
    received = Received(taken={"B": ""})

    assert one.bills == bills
    assert list(entries(week, received, {0: right})) == []
    assert [each.kind for each in entries(week, received, {0: right[1:]})][:1] == ["lost"]
    assert "twice" in {each.kind for each in entries(week, received, {0: [*right, right[0]]})}
