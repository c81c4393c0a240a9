"""The store of plugins: values by key with compare-and-set, and records by time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from einvoice import clock
from einvoice.network.plugin_store import MAX_KEY_LENGTH, MAX_VALUE_BYTES, StoredRecord, StoreFull
from einvoice.services import plugin_store, retention
from einvoice.services.plugin_store import DatabaseStore

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NULL = "\x00"


@pytest.fixture
def store_of(make_app) -> Callable[[str], DatabaseStore]:
    """Stores of an application, outside of its context."""
    app = make_app([])
    return lambda plugin: DatabaseStore(app.app_context, plugin)


@pytest.fixture
def store(store_of) -> DatabaseStore:
    return store_of("toll")


@pytest.mark.parametrize("value", ["", "é€", f"a{NULL}b", b"", b"\x00\xff", "x" * MAX_VALUE_BYTES])
def test_a_value_is_returned_as_it_was_put(store, value):
    store.put("a", b"before")
    store.put("a", value)

    assert store.get("a") == value
    assert type(store.get("a")) is type(value)


def test_values_are_found_by_the_beginning_of_their_keys(store, store_of, monkeypatch):
    """Exactly, page by page, and those of the plugin alone."""
    monkeypatch.setattr(plugin_store, "MAX_VALUES_FOUND", 2)
    for key in ("held a 1", "held a 2", "held a 3", "held A 4", "held a_5", "held", "other"):
        store.put(key, key)
    store_of("other").put("held a 9", "9")
    page = store.find("held a ")
    rest = store.find("held a ", page[-1][0])

    assert [*page, *rest] == [(key, key) for key in ("held a 1", "held a 2", "held a 3")]
    assert store.find("held a ", rest[-1][0]) == []


def test_a_key_without_a_value_is_none_and_putting_none_deletes(store):
    assert store.get("a") is None
    store.put("a", "1")
    store.put("a", None)
    store.put("b", None)

    assert store.get("a") is None


@pytest.mark.parametrize(
    ("before", "expected", "new", "changed"),
    [
        (None, None, "1", True),
        (None, "0", "1", False),
        (None, None, None, True),
        (None, "0", None, False),
        ("0", "0", "1", True),
        ("0", None, "1", False),
        ("0", None, None, False),
        ("0", "0", None, True),
        ("0", "2", "1", False),
        ("0", "2", None, False),
        ("0", b"0", "1", False),
        (b"0", b"0", "1", True),
        ("", "", "1", True),
        ("", None, "1", False),
    ],
)
def test_a_value_changes_only_from_what_is_expected(store, before, expected, new, changed):
    """None stands for no value; text and bytes are different values."""
    store.put("a", before)

    assert store.change("a", expected, new) is changed
    assert store.get("a") == (new if changed else before)


def test_plugins_do_not_see_each_other(store, store_of):
    other = store_of("ksef")
    store.put("a", "1")
    store.append("s", "1")

    assert other.get("a") is None
    assert other.change("a", "1", "2") is False
    assert other.change("a", None, "2") is True
    assert store.get("a") == "1"
    assert other.read("s", NOON, NOON + timedelta(days=99999)) == []


@pytest.mark.parametrize("key", ["", "x" * (MAX_KEY_LENGTH + 1), "a\nb", NULL])
def test_an_invalid_key_is_refused_everywhere(store, key):
    for call in (
        lambda: store.get(key),
        lambda: store.put(key, "1"),
        lambda: store.put(key, None),
        lambda: store.change(key, None, "1"),
        lambda: store.append(key, "1"),
        lambda: store.read(key, NOON, NOON),
    ):
        with pytest.raises(ValueError, match="1 to 200 printable characters"):
            call()


def test_the_longest_key_is_taken(store):
    store.put("x" * MAX_KEY_LENGTH, "1")

    assert store.get("x" * MAX_KEY_LENGTH) == "1"


@pytest.mark.parametrize("value", ["x" * (MAX_VALUE_BYTES + 1), "é" * (MAX_VALUE_BYTES // 2 + 1)])
def test_a_value_that_is_too_large_is_refused(store, value):
    """The bound is in bytes."""
    for call in (
        lambda: store.put("a", value),
        lambda: store.change("a", None, value),
        lambda: store.append("a", value),
    ):
        with pytest.raises(ValueError, match="at most 65536 bytes"):
            call()


def test_a_plugin_has_a_bound_of_keys(store, store_of, monkeypatch):
    """Existing keys can be changed, and another plugin has keys of its own."""
    monkeypatch.setattr(plugin_store, "MAX_KEYS", 2)
    store.put("a", "1")
    store.put("b", "1")
    for call in (lambda: store.put("c", "1"), lambda: store.change("c", None, "1")):
        with pytest.raises(StoreFull, match="'toll' has 2 keys"):
            call()
    store.put("a", "2")
    store_of("ksef").put("c", "1")

    assert store.change("a", None, "1") is False
    assert store.change("b", "1", "2") is True
    store.put("a", None)
    store.put("c", "1")


def test_compare_and_set_of_many_threads_loses_no_update(store):
    """Threads without an application context; every successful change is counted."""
    rounds, count = 15, 6
    faults: list[Exception] = []

    def add() -> None:
        try:
            for _ in range(rounds):
                while True:
                    last = store.get("counter")
                    if store.change("counter", last, str(int(last or 0) + 1)):
                        break
        except Exception as fault:  # noqa: BLE001 - of a thread
            faults.append(fault)

    threads = [threading.Thread(target=add) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)

    assert faults == []
    assert store.get("counter") == str(rounds * count)


def test_of_many_threads_that_expect_no_value_one_succeeds(store):
    barrier = threading.Barrier(6)
    won: list[bool] = []

    def add(number: int) -> None:
        barrier.wait(30)
        won.append(store.change("a", None, str(number)))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(won) == [False] * 5 + [True]


def test_the_store_works_inside_of_an_application_context_too(app):
    DatabaseStore(app.app_context, "toll").put("a", "1")

    assert DatabaseStore(app.app_context, "toll").get("a") == "1"


# -- records ---------------------------------------------------------------------------------------


@pytest.fixture
def at(monkeypatch) -> Callable[[float], None]:
    """Set the clock to some seconds after noon."""

    def _at(seconds: float) -> None:
        monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(seconds=seconds))

    return _at


def between(store: DatabaseStore, since: float, until: float, **more) -> list[StoredRecord]:
    return store.read("s", *(NOON + timedelta(seconds=each) for each in (since, until)), **more)


def test_records_are_read_by_time_from_since_to_before_until(store, at):
    for seconds, value in ((0, "a"), (1, b"b"), (1, "c"), (2, "d")):
        at(seconds)
        store.append("s", value)
        store.append("other", value)

    assert [record.value for record in between(store, 0, 3)] == ["a", b"b", "c", "d"]
    assert [record.value for record in between(store, 1, 2)] == [b"b", "c"]
    assert between(store, 1, 1) == []
    assert between(store, 2, 3)[0].at == NOON + timedelta(seconds=2)


def test_records_are_read_in_pages(store, at, monkeypatch):
    """Also where the records of a page and the next have the same time."""
    monkeypatch.setattr(plugin_store, "MAX_RECORDS_READ", 2)
    for seconds, value in ((0, "a"), (1, "b"), (1, "c"), (1, "d"), (2, "e")):
        at(seconds)
        store.append("s", value)
    pages, after = [], None
    while page := between(store, 0, 3, after=after):
        pages.append([record.value for record in page])
        after = page[-1]

    assert pages == [["a", "b"], ["c", "d"], ["e"]]


def test_records_are_deleted_after_their_retention(app, at):
    store = DatabaseStore(app.app_context, "toll")
    for seconds, value in ((0, "old"), (1, "kept")):
        at(seconds)
        store.append("s", value)
    retention.sweep(NOON + timedelta(days=1100, milliseconds=500))

    assert [record.value for record in between(store, 0, 2)] == ["kept"]
