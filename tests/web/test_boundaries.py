"""Conditions at their boundary: headers, cursors, patches and computing slots."""

from __future__ import annotations

import threading

import pytest
from flask import g

from einvoice.domain.environments import Environment
from einvoice.domain.errors import InvalidField, InvalidIdempotencyKey
from einvoice.services.principal import Principal
from einvoice.share import Limit, Share
from einvoice.web import bodies, headers, paging
from einvoice.web.admission import slots
from einvoice.web.contract import Contract
from einvoice.web.fields import Text

WHO = Principal("t1", Environment.TEST, frozenset())


class Named(Contract):
    name = Text("A name.", max_length=10)


@pytest.mark.parametrize(
    ("prefer", "wait", "applied"),
    [
        ("wait=25", 25.0, "wait=25"),
        ("wait=26", 25.0, "wait=25"),
        ("wait=0", 0.0, "wait=0"),
        ("respond-async", 0.0, "respond-async"),
        ("handling=lenient", 4.0, None),
    ],
)
def test_a_wait_is_at_most_25_seconds(service, prefer, wait, applied):
    with service.test_request_context(headers={"Prefer": prefer}):
        assert headers.preference(4.0) == headers.Preference(wait, applied)


def test_an_idempotency_key_has_1_to_128_characters():
    assert headers.checked_key("k" * 128) == "k" * 128
    for wrong in ("", "k" * 129, "caf\u00e9", None):
        with pytest.raises(InvalidIdempotencyKey):
            headers.checked_key(wrong)


@pytest.mark.parametrize(
    ("given", "echoed"), [("a.B_1-", True), ("x" * 64, True), ("x" * 65, False), ("a b", False)]
)
def test_only_a_well_formed_request_id_is_echoed(service, given, echoed):
    response = service.test_client().get("/healthz", headers={"X-Request-Id": given})

    assert (response.headers["X-Request-Id"] == given) is echoed


def test_a_cursor_is_valid_for_its_path_only(service):
    with service.test_request_context("/api/customers"):
        cursor = paging.mark(["name", "1"], {}, WHO)
        assert paging.marked({"cursor": cursor}, WHO) == ["name", "1"]

    with service.test_request_context("/api/suppliers"), pytest.raises(InvalidField):
        paging.marked({"cursor": cursor}, WHO)


def test_a_patch_blanks_removable_fields_only(service):
    with service.test_request_context():
        assert bodies.read_patch(Named(), b'{"name": " "}', {"name"}) == {"name": ""}
        with pytest.raises(InvalidField):
            bodies.read_patch(Named(), b'{"name": " "}')


def test_a_request_with_a_computing_slot_takes_no_second_one(service, monkeypatch):
    """Otherwise it would wait for itself when every slot is taken."""
    only = Share(Limit(1, queue=None))
    only.acquire("a")
    monkeypatch.setattr(slots, "_slots", only)

    def hand_over() -> None:
        with service.app_context():
            g.slot_of = "a"
            with slots.held(service.app_context):
                pass

    thread = threading.Thread(target=hand_over, daemon=True)
    thread.start()
    thread.join(10)

    assert not thread.is_alive()
