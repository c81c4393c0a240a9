"""Permits of one kind, of which each caller has a share."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from einvoice import clock
from einvoice.share import Beyond, Limit, NoPermit, Share
from tests.waiting import until_equal

# The callers x, y and z are not known. `a+` takes a permit, `a?` waits for one, `a!own` and `a!all`
# are refused, `a->b` gives one of a's back, which b has then; for that of `a->` nobody waits.
PROMISES = {
    "there are as many permits as there are": (Limit(2), "a+ b+ c!all a-> c+ a!all"),
    "no bound is no limit": (Limit(None), "a+ a+ a+ b+ a-> a->"),
    "one caller does not take the last permits": (Limit(3, of_one=2), "a+ a+ a!own b+ b!all"),
    "nobody in particular has no share": (Limit(3, of_one=1), "-+ -+ a+ b!all"),
    "strangers take half together": (Limit(4, of_strangers=2), "x+ y+ z!all a+ a+ b!all"),
    "known callers take nothing of what strangers may": (
        Limit(4, of_strangers=2), "a+ a+ x+ y+ z!all x-> x+"
    ),
    "a stranger's permit is for strangers again": (Limit(4, of_strangers=1), "x+ y!all x-> y+"),
    "who waits is served in order": (Limit(1, queue=None), "a+ b? b? a->b b->b b->"),
    "callers are served in rotation": (
        Limit(1, queue=None), "x+ a? a? a? b? x->a a->b b->a a->a a->"
    ),
    "who gives back is the last one": (Limit(1, queue=None), "a+ a? b? a->b b->a a->"),
    "a caller with its share is passed over": (
        Limit(3, of_one=2, queue=None), "a+ a+ a? b+ c? b->c c-> a->a"
    ),
    "a caller that waits is not overtaken by itself": (
        Limit(2, of_one=1, queue=None), "a+ a? a? a->a b+ a->a a->"
    ),
    "a caller that waits does not hold up others": (Limit(2, of_one=1, queue=None), "a+ a? b+"),
    "so many wait": (Limit(1, queue=2), "a+ b? c? d!all a->b d? e!all"),
    "so many of one caller wait": (
        Limit(1, queue=3, queue_of_one=2), "a+ a? a? a!own b? b!all a->b"
    ),
    "who is beyond its own share is told so": (Limit(3, of_one=1), "a+ a!own b+"),
}  # fmt: skip


def outcome(these: Share[str | None, str], step: str) -> str:
    """The step as it went."""
    caller = None if step[0] == "-" else step[0]
    if step[1:3] == "->":
        return f"{step[0]}->{these.give(caller) or ''}"
    try:
        return step[0] + ("+" if these.take(caller, step[0]) else "?")
    except NoPermit as refusal:
        return f"{step[0]}!{'late' if refusal.beyond.late else ''}" + (
            "own" if refusal.beyond.own else "all"
        )


def test_what_a_share_promises():
    """Each of the table, with the step just inside and the one just outside."""
    broken = {}
    for promise, (limit, script) in PROMISES.items():
        these: Share[str | None, str] = Share(limit, is_known=lambda one: one not in {*"xyz"})
        went = " ".join(outcome(these, step) for step in script.split())
        if went != script:
            broken[promise] = (script, went)

    assert broken == {}


def test_every_permit_is_given_back():
    """Those of strangers, too; one that was not taken cannot be given back."""
    limit = Limit(4, of_one=2, of_strangers=2)
    these: Share[str, str] = Share(limit, is_known=lambda one: one != "x")
    for caller in ("a", "b", "x") * 20:
        assert these.take(caller, "")
        assert these.give(caller) is None

    assert (these.used, these.waiting, these.used_by("a")) == (0, 0, 0)
    assert [these.enter("x") for _ in range(3)] == [True, True, False]
    with pytest.raises(ValueError, match="more permits are given back"):
        these.give("a")


def test_a_caller_without_a_permit_is_forgotten():
    """A process that serves a million callers holds none of them."""
    these: Share[str, str] = Share(Limit(2))
    for number in range(100):
        these.take(f"caller {number}", "")
        these.give(f"caller {number}")

    assert len(these._of) == 0


def test_callers_are_known_unless_the_share_says_otherwise():
    these: Share[str, str] = Share(Limit(3, of_strangers=1))

    assert [these.enter("x") for _ in range(4)] == [True, True, True, False]


def test_what_cannot_be_refused_is_counted_beyond_the_limit():
    """The caller's own limit is named first; what is taken off counts no longer."""
    these: Share[str, str] = Share(Limit(10, of_one=6))

    assert [these.add("a", 6), these.add("b", 4)] == [None, None]
    assert these.add("b", 1) == Beyond(late=False, own=False)
    assert these.add("a", 1) == Beyond(late=False, own=True)
    assert [these.add("a", -1), these.add("b", -1)] == [Beyond(late=False, own=False), None]
    assert (these.used, these.used_by("a"), these.enter("c")) == (10, 6, False)


def test_what_waited_for_too_long_is_taken_out(monkeypatch):
    these: Share[str, str] = Share(Limit(1, queue=None, wait=20.0))
    now = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: now)
    for name in ("first", "second"):
        these.take("a", name)
    monkeypatch.setattr(clock, "monotonic", lambda: now + 20)
    assert these.expired() == []
    these.take("b", "third")
    monkeypatch.setattr(clock, "monotonic", lambda: now + 20.1)

    assert these.expired() == ["second"]
    assert (these.waiting, these.give("a")) == (1, "third")


def test_without_a_limit_of_time_nothing_expires(monkeypatch):
    these: Share[str, str] = Share(Limit(1, queue=None))
    for name in ("first", "second"):
        these.take("a", name)
    now = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: now + 1e9)

    assert (these.expired(), these.waiting) == ([], 1)


# -- threads ---------------------------------------------------------------------------------------

Threads = Share[str | None, threading.Lock]


def test_threads_are_served_in_rotation():
    these, order = Threads(Limit(1, queue=None)), []
    these.acquire("a")
    threads = []

    def wait(caller: str) -> None:
        with these.held(caller):
            order.append(caller)

    for number, caller in enumerate("aaabc", 1):
        threads.append(threading.Thread(target=wait, args=(caller,), daemon=True))
        threads[-1].start()
        until_equal(lambda: these.waiting, number, pause=0.001)
    these.release("a")
    for thread in threads:
        thread.join(10)

    assert order == ["b", "c", "a", "a", "a"]
    assert (these.used, these.waiting) == (0, 0)


def test_a_thread_waits_as_long_as_the_limit_or_the_caller_says():
    """And is told whether its own share was in the way; the permit goes to nobody who has left."""
    these = Threads(Limit(2, of_one=1, queue=None, wait=0.01))
    these.acquire("a")
    with pytest.raises(NoPermit) as own:
        these.acquire("a")
    these.acquire("b", 5.0)
    with pytest.raises(NoPermit) as of_all:
        these.acquire("c", -1.0)  # a deadline that has passed

    assert (own.value.beyond, of_all.value.beyond) == (Beyond(True, True), Beyond(True, False))
    assert these.waiting == 0
    these.release("a")
    assert these.used == 1


def test_without_a_limit_of_time_a_thread_waits_until_it_has_a_permit():
    these, entered = Threads(Limit(1, queue=None)), threading.Event()
    these.acquire("a")

    def wait() -> None:
        with these.held("b"):
            entered.set()

    threading.Thread(target=wait, daemon=True).start()
    until_equal(lambda: these.waiting, 1, pause=0.001)
    assert not entered.is_set()
    these.release("a")
    assert entered.wait(10)


def test_only_a_wait_is_surrounded():
    """As by a gauge of those who wait."""
    noted = []

    class Noted:
        def __enter__(self) -> None:
            noted.append(these.waiting)

        def __exit__(self, *_: object) -> None:
            noted.append("ended")

    these = Threads(Limit(1, queue=None, wait=0.0), waiting=Noted)
    these.acquire("a")
    assert noted == []
    with pytest.raises(NoPermit):
        these.acquire("b")

    assert noted == [1, "ended"]


def test_a_refusal_is_what_the_share_says():
    these = Threads(Limit(1), lambda beyond: KeyError(beyond.late))
    with these.held("a"), pytest.raises(KeyError, match="False"):
        these.acquire("b")


def test_a_permit_is_given_back_after_a_fault():
    these = Threads(Limit(1))
    with pytest.raises(ZeroDivisionError), these.held("a"):
        _ = 1 / 0

    assert these.used == 0


@pytest.fixture
def racing() -> Iterator[Threads]:
    these = Threads(Limit(2, queue=None))
    yield these
    assert (these.used, these.waiting) == (0, 0)


def test_no_permit_is_lost_or_made_when_waits_end_as_permits_are_given(racing):
    most, together = [0], []

    def compute(caller: str) -> None:
        for _ in range(200):
            try:
                racing.acquire(caller, 0.0002)
            except NoPermit:
                continue
            together.append(1)
            most[0] = max(most[0], len(together))
            together.pop()
            racing.release(caller)

    threads = [threading.Thread(target=compute, args=(name,)) for name in "aabbc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert most[0] <= 2
