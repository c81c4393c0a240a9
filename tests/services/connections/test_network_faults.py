"""A refusal of accounts of many tenants at once is the network's fault, and none of theirs."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice.services.account import tenants
from einvoice.services.connections import accounts, network_faults, periodic
from tests.services.connections.test_periodic import connected, due_in, work

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
POINT = "toll-station-test"


@pytest.fixture
def companies(app, runtime, move):
    """Four tenants with a connection each, as (tenant, id)."""
    found = [(tenant, connected(tenant, runtime)) for tenant in map(tenants.create, "ABCD")]
    return [(tenant, made.id) for tenant, made in found]


def check(of, runtime) -> str:
    return accounts.check(*of, runtime).state


def states(companies) -> list[str]:
    return [accounts.get(*each).state for each in companies]


def test_the_accounts_of_three_tenants_refused_in_an_hour_are_the_networks_fault(
    companies, runtime, toll, move
):
    """Those that were told before are usable again, the third and the fourth are never told."""
    toll.station.outcome = "needs-person"
    first = [check(each, runtime) for each in companies[:2]]
    move(minutes=59)
    later = [check(each, runtime) for each in companies[2:]]

    assert first == ["needs-person"] * 2
    assert later == ["active"] * 2
    assert states(companies) == ["active"] * 4
    assert accounts.get(*companies[0]).reason == network_faults.REASON
    assert network_faults.accounts_refused(POINT) is not None


def test_a_connection_that_was_removed_is_not_restored_with_the_others(companies, runtime, toll):
    toll.station.outcome = "needs-person"
    for each in companies[:2]:
        check(each, runtime)
    accounts.revoke(*companies[0], by=None)
    check(companies[2], runtime)

    assert states(companies) == ["revoked", "active", "active", "active"]


@pytest.mark.parametrize("outcome", ["needs-person", "broken"])
def test_the_accounts_of_two_tenants_are_their_own_fault(companies, runtime, toll, move, outcome):
    toll.station.outcome = outcome

    assert [check(each, runtime) for each in companies[:2]] == [outcome] * 2
    assert network_faults.accounts_refused(POINT) is None


def test_refusals_of_more_than_an_hour_do_not_count_together(companies, runtime, toll, move):
    toll.station.outcome = "needs-person"
    for each in companies[:3]:
        assert check(each, runtime) == "needs-person"
        move(minutes=30)


def test_accounts_of_one_tenant_do_not_count_together(app, tenant, runtime, toll, move):
    """A person with many companies may have lost all rights."""
    made = [connected(tenant, runtime, f"RO{number}") for number in range(4)]
    toll.station.outcome = "needs-person"

    assert {check((tenant, each.id), runtime) for each in made} == {"needs-person"}


def test_a_new_account_that_works_shows_that_the_network_is_well(companies, runtime, toll, move):
    toll.station.outcome = "needs-person"
    check(companies[0], runtime)
    check(companies[1], runtime)
    toll.station.outcome = "works"
    connected(tenants.create("E"), runtime)
    toll.station.outcome = "needs-person"

    assert check(companies[2], runtime) == "needs-person"


def test_each_account_is_tried_every_few_minutes_and_works_when_the_network_does(
    companies, runtime, toll, move
):
    periodic.schedule(runtime)
    toll.station.outcome = "needs-person"
    move(hours=6)
    for tenant, _ in companies:
        work(tenant, runtime)
    for tenant, _ in companies:
        work(tenant, runtime)
    within = due_in()
    toll.station.outcome = "works"
    move(minutes=6)
    for tenant, _ in companies:
        work(tenant, runtime)

    assert max(within) < timedelta(minutes=6)
    assert states(companies) == ["active"] * 4
    assert network_faults.accounts_refused(POINT) is None
    assert [accounts.get(*each).reason for each in companies] == [None] * 4


def test_after_a_day_each_account_is_told(companies, runtime, toll, move):
    toll.station.outcome = "needs-person"
    for _ in range(25):
        for each in companies:
            check(each, runtime)
        assert states(companies) == ["active"] * 4
        move(minutes=58)

    assert [check(each, runtime) for each in companies] == ["needs-person"] * 4
