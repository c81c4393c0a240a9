"""Units: registered step by step, renewed, refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.network.connection_testing import left, renewed
from einvoice.network.connections import NeedsPerson, NotChecked, Works
from einvoice_zatca import units
from einvoice_zatca.units import identity_of
from plugins.zatca.tests import saudi, unit
from tests.networks.zatca.authority import Authority


def test_a_unit_is_registered_with_one_code(point, authority):
    outcome = point.open(unit.new(authority.otp()))

    assert isinstance(outcome, Works)
    assert outcome.expires_at > clock.now() + timedelta(days=300)
    assert len(authority.units) == 1


@pytest.mark.parametrize(
    ("documents", "count"), [("standard", 3), ("simplified", 3), ("both", 6), ("BOTH", 6)]
)
def test_a_sample_of_each_kind_is_sent(point, authority, service, documents, count):
    outcome = point.open(unit.new(authority.otp(), documents=documents))

    assert isinstance(outcome, Works)
    assert [path for _, path in service.requests].count("compliance/invoices") == count


REFUSED = {
    "a wrong code": {"otp": "000000x"},
    "kinds that are none": {"documents": "all"},
    "a VAT number of another form": {"account": "123"},
    "a name that is too long": {"organization": "x" * 65},
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_person_has_to_correct_needs_a_person(point, authority, name):
    outcome = point.open(unit.new(**({"otp": authority.otp()} | REFUSED[name])))

    assert isinstance(outcome, NeedsPerson), outcome


def test_an_old_code_is_refused(point, authority):
    code = authority.otp()
    assert isinstance(point.open(unit.new(code)), Works)

    outcome = point.open(unit.new(code, "another"))

    assert isinstance(outcome, NeedsPerson)
    assert "has expired" in outcome.reason


def test_a_registration_goes_on_where_it_stopped(point, authority, service, monkeypatch):
    """ "4 of 6" is kept, with key and certificate; the OTP is used once."""
    moments = iter([0.0, *[1.0] * 4, units.SECONDS + 1, *[100.0] * 20])
    monkeypatch.setattr(units, "monotonic", lambda: next(moments))
    new = unit.new(authority.otp())
    first = point.open(new)
    second = point.check(renewed(new, first))

    assert isinstance(first, NeedsPerson)
    assert "4 of 6" in first.reason
    assert isinstance(second, Works)
    assert [path for _, path in service.requests].count("compliance") == 1
    assert [path for _, path in service.requests].count("compliance/invoices") == 6


def test_a_registration_survives_a_network_that_goes_away(point, authority, service):
    calls = []

    def after(path):
        calls.append(path)
        return "gateway" if calls.count("compliance/invoices") in (3, 4) else None

    service.faults = after
    new = unit.new(authority.otp())
    first = point.open(new)
    second = point.check(renewed(new, first))
    third = point.check(renewed(new, first))

    assert isinstance(first, NeedsPerson)
    assert "goes on with the next check" in first.reason
    assert isinstance(second, NotChecked)
    assert isinstance(third, Works)


def test_an_unreachable_network_is_no_fault_of_the_unit(point, authority, service):
    service.faults = lambda _: "gateway"

    assert isinstance(point.open(unit.new(authority.otp())), NotChecked)


def test_a_new_code_renews_the_certificate_and_the_chain_goes_on(point, authority, connection):
    bound, one = unit.bound(point, connection), unit.envelope()
    made = bound.prepare(one)
    assert bound.submit(one, made).evidence
    state = made.connection_state.values
    renewal = replace(
        connection, state=state, credentials={**connection.credentials, "otp": authority.otp()}
    )
    outcome = point.open(renewal)
    after = renewed(renewal, outcome)
    next_one = unit.envelope()
    bound = unit.bound(point, after)
    sent = bound.submit(next_one, bound.prepare(next_one))

    assert isinstance(outcome, Works)
    assert identity_of(after.credentials).certificate_text != (
        identity_of(connection.credentials).certificate_text
    )
    assert dict(after.state) == dict(state)
    assert sent.evidence


def test_a_certificate_of_another_taxpayer_is_refused(point, authority):
    other = unit.registered(point, authority, "other")
    stolen = unit.new("", "u9", account="311111111111113")
    outcome = point.check(replace(stolen, credentials=other.credentials))

    assert isinstance(outcome, NeedsPerson)
    assert saudi.VAT_NUMBER in outcome.reason


def test_a_certificate_that_ends_soon_is_told_by_its_end(service):
    service.authority = Authority(valid=timedelta(days=20))
    outcome = unit.point_at(service).open(unit.new(service.authority.otp()))

    assert outcome.expires_at < clock.now() + timedelta(days=30)


def test_a_certificate_that_has_ended_needs_a_new_code(point, connection, monkeypatch):
    later = clock.now() + timedelta(days=6 * 365)
    monkeypatch.setattr(clock, "now", lambda: later)
    outcome = point.check(connection)

    assert isinstance(outcome, NeedsPerson)
    assert "ended on" in outcome.reason


def test_a_unit_that_is_registered_again_without_its_key_begins_a_chain_of_its_own(
    point, authority, connection
):
    """As after an import of the tenant, which has no secrets: the authority knows a new unit."""
    fields = {**unit.FIELDS, "otp": authority.otp()}
    imported = replace(connection, credentials=fields, state={"counter": "7", "lastHash": "x"})
    outcome = point.open(imported)
    again = renewed(imported, outcome)
    bound, one = unit.bound(point, again), unit.envelope()

    assert dict(again.state) == {}
    assert bound.submit(one, bound.prepare(one)).evidence


def test_a_unit_for_another_environment_is_refused(service):
    service.authority = Authority(template="PREZATCA-Code-Signing")
    outcome = unit.point_at(service).open(unit.new(service.authority.otp()))

    assert isinstance(outcome, NeedsPerson)
    assert "PREZATCA" in outcome.reason


def facts(lines):
    return {each.label: each.value for each in lines}


def test_the_facts_of_a_unit_name_its_place_its_certificate_and_what_was_refused(service):
    """A document is refused by the number of its seller."""
    service.authority = Authority(valid=timedelta(days=31, hours=1))
    point = unit.point_at(service)
    connection = unit.registered(point, service.authority)
    before = facts(point.connection_facts(connection))
    other = replace(saudi.SELLER, vat_id="SA311111111111113")
    bound, one = unit.bound(point, connection), unit.envelope(saudi.an_invoice(seller=other))
    made = bound.prepare(one)
    bound.submit(one, made)
    after = facts(point.connection_facts(left(connection, made)))

    assert before == {"Next counter": "1", "Days until the certificate ends": "31"}
    assert after["Next counter"] == "2"
    assert after["Refused, and still in the chain"] == f"counter 1 on {clock.today()}"


def test_operators_see_units_and_the_oldest_simplified_document_that_waits(
    point, connection, service
):
    registering = replace(connection, credentials=unit.FIELDS)
    none = facts(point.operation_facts([connection, registering]))
    service.faults = lambda _: "gateway"
    accepted = clock.now() - timedelta(hours=25)
    one = replace(unit.envelope(saudi.an_invoice(buyer=saudi.CONSUMER)), accepted_at=accepted)
    bound = unit.bound(point, connection)
    bound.submit(one, bound.prepare(one))
    one_waits = facts(point.operation_facts([connection]))

    label = "Oldest simplified document that is not reported"
    assert none == {"Units": "2", "Units that cannot stamp": "1", label: "none waits"}
    assert one_waits[label] == f"{accepted:%Y-%m-%d %H:%M} UTC, of 1"


@pytest.mark.parametrize("broken", [{"counter": "7"}, {"counter": "x", "lastHash": "y"}])
def test_the_facts_of_a_damaged_chain_say_so(point, connection, broken):
    found = facts(point.connection_facts(replace(connection, state=broken)))

    assert found["Next counter"] == "unknown: the stored chain is damaged"


def test_nothing_secret_is_in_a_reason_or_a_representation(connection):
    shown = repr(connection)

    assert all(connection.credentials[name] not in shown for name in ("key", "token", "secret"))
