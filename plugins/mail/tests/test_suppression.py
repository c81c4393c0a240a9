"""Addresses on hold: a week, of one tenant, seen and lifted by people."""

from datetime import timedelta

import pytest

from einvoice.network import held_addresses
from einvoice_mail import suppression
from einvoice_mail.suppression import KEPT, Suppression
from tests.memory_store import MemoryStore

AP = "ap@buyer.example"


@pytest.fixture
def held():
    made = Suppression(MemoryStore(), "mail")
    made.add("t1", AP, "550 5.1.1 no such user")
    return made


@pytest.mark.parametrize(
    ("tenant", "address", "words"),
    [
        ("t1", AP, "550 5.1.1 no such user"),
        ("t1", AP.upper(), "550 5.1.1 no such user"),
        ("t1", "another@buyer.example", None),
        ("t2", AP, None),
        ("T1", AP, None),
    ],
)
def test_an_address_is_held_for_its_tenant(held, tenant, address, words):
    assert held.words_of(tenant, address) == words


@pytest.mark.parametrize(("after", "is_held"), [(-1, True), (0, False)])
def test_it_is_held_for_a_week(held, move, after, is_held):
    """And forgotten then, with what earlier releases have kept."""
    move(seconds=KEPT.total_seconds() + after)
    held.store.put("bounced mail 5f1d", "{}")
    held.forget()

    assert (held.words_of("t1", AP) is not None) is is_held
    assert bool(held.of("t1")) is is_held
    assert len(held.store.find("")) == int(is_held)


def test_the_list_is_of_one_tenant_or_of_all_the_newest_first(held, move):
    move(seconds=1)
    held.add("t2", "b@buyer.example", "550 gone")
    [own] = held.of("t1")

    assert (own.address, own.reason) == (AP, "550 5.1.1 no such user")
    assert own.until - own.since == timedelta(days=7)
    assert [each.tenant_id for each in held.of(None)] == ["t2", "t1"]
    assert Suppression(held.store, "mail-test").of(None) == []


def test_a_lifted_address_gets_mail_again(held):
    """By its own tenant alone."""
    [own] = held.of("t1")

    assert held.lift("t2", own.id) is None
    assert held.lift("t1", "../x") is None
    assert held.lift("t1", own.id).address == AP
    assert held.lift("t1", own.id) is None
    assert held.words_of("t1", AP) is None


def test_a_list_that_is_full_takes_no_more(held, monkeypatch):
    """That of another tenant does."""
    monkeypatch.setattr(suppression, "MAX_HELD", 2)
    for name in ("b", "c"):
        held.add("t1", f"{name}@buyer.example", "550 gone")
    held.add("t2", "c@buyer.example", "550 gone")

    assert {each.address for each in held.of("t1")} == {AP, "b@buyer.example"}
    assert held.words_of("t2", "c@buyer.example")


def test_the_list_is_offered_to_people():
    from plugins.mail.tests import mails

    assert isinstance(mails.an_access_point(), held_addresses.HoldsAddresses)
