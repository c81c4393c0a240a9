"""The contract of access points that need accounts, kept by the two of the toll authority."""

from __future__ import annotations

import pytest

from einvoice.domain.environments import Environment
from einvoice.network.connection_testing import ConnectedContract, check_connection_outcome
from einvoice.network.connections import Connection, NeedsPerson, Works
from tests.networks.toll.accounts import Station, TollAccounts
from tests.networks.toll.authority import Authority


class TestConsentInTheBrowser(ConnectedContract):
    @pytest.fixture
    def access_point(self) -> TollAccounts:
        return TollAccounts(Authority())

    @pytest.fixture
    def connection(self, access_point) -> Connection:
        given = {"clientSecret": "cs-very-secret"}
        new = Connection("c1", "t1", Environment.TEST, "RO1", given)
        authority = access_point.authority
        outcome = access_point.authorised(new, authority.consent("RO1"), "https://example.com")
        return Connection("c1", "t1", Environment.TEST, "RO1", outcome.credentials, outcome.state)


class TestPassword(ConnectedContract):
    @pytest.fixture
    def access_point(self) -> Station:
        return Station(password="hunter2-secret")

    @pytest.fixture
    def connection(self) -> Connection:
        given = {"user": "toll", "password": "hunter2-secret"}
        return Connection("c1", "t1", Environment.TEST, "RO1", given)


@pytest.mark.parametrize(
    "outcome",
    [
        None,
        Works(connection_id="another"),
        Works(connection_id="c1", state={"refreshes": 1}),
        NeedsPerson(connection_id="c1", reason=""),
    ],
)
def test_a_faulty_outcome_fails_the_contract(outcome):
    with pytest.raises(AssertionError):
        check_connection_outcome(outcome, Connection("c1", "t1", Environment.TEST, "RO1"))
