"""The contract of access points that need accounts, kept by the two of the toll authority."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from einvoice.domain.environments import Environment
from einvoice.network import samples
from einvoice.network.connection_testing import (
    ConnectedContract,
    SerialContract,
    SharedConsentContract,
    check_connection_outcome,
    renewed,
)
from einvoice.network.connections import Connection, NeedsPerson, Works
from tests.networks.toll import remote
from tests.networks.toll.accounts import Station, TollAccounts, TollConsents
from tests.networks.toll.authority import Authority, Link
from tests.networks.toll.chain import Chain
from tests.networks.toll.clearance import Clearance


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


class TestConsentForSeveralAccounts(SharedConsentContract):
    @pytest.fixture
    def access_point(self) -> TollConsents:
        return TollConsents(Authority(), {"ann": {"RO1", "RO2"}})

    @pytest.fixture
    def connection(self, access_point) -> Connection:
        new = Connection("c1", "t1", Environment.TEST, "RO1")
        code = f"ann:{access_point.authority.consent('ann')}"
        return renewed(new, access_point.authorised(new, code, "https://example.com"))

    @pytest.fixture
    def further_account(self) -> str:
        return "RO2"

    @pytest.fixture
    def foreign_account(self) -> str:
        return "RO3"


class TestPassword(ConnectedContract):
    @pytest.fixture
    def access_point(self) -> Station:
        return Station(password="hunter2-secret")

    @pytest.fixture
    def connection(self) -> Connection:
        given = {"user": "toll", "password": "hunter2-secret"}
        return Connection("c1", "t1", Environment.TEST, "RO1", given)


def with_consent(access_point) -> Connection:
    """A connection for which consent was given."""
    new = Connection("c1", "t1", Environment.TEST, "RO1", {"clientSecret": "cs-very-secret"})
    code = access_point.authority.consent("RO1")
    outcome = access_point.authorised(new, code, "https://example.com")
    return Connection("c1", "t1", Environment.TEST, "RO1", outcome.credentials, outcome.state)


class TestClearance(ConnectedContract):
    @pytest.fixture
    def access_point(self) -> Clearance:
        return Clearance(Authority())

    @pytest.fixture
    def connection(self, access_point) -> Connection:
        return with_consent(access_point)

    @pytest.fixture
    def an_envelope(self):
        return samples.envelope


class TestChain(SerialContract):
    @pytest.fixture
    def access_point(self) -> Chain:
        return Chain(Authority())

    @pytest.fixture
    def connection(self, access_point) -> Connection:
        return with_consent(access_point)

    @pytest.fixture
    def an_envelope(self):
        return samples.envelope

    @pytest.fixture
    def serial_envelopes(self):
        numbers = itertools.count(1)
        return lambda count: [samples.envelope(number=f"A-{next(numbers)}") for _ in range(count)]


class TestChainOfAProcess(TestChain):
    """The same, of an authority that is another process."""

    @pytest.fixture
    def access_point(self) -> Iterator[remote.RemoteChain]:
        server, authority = remote.running()
        yield remote.RemoteChain(authority)
        server.shutdown()
        server.server_close()


def test_the_authority_refuses_a_bill_that_is_not_the_next():
    """Otherwise its books would prove nothing."""
    authority = Authority()
    token = authority.exchange(authority.consent("RO1"))
    first = Link.after(None, "A", b"one")
    authority.clear("RO1", token, "m1", first)
    for link in (first, Link.after(None, "A", b"two"), Link("A", 3, first.digest, "x")):
        with pytest.raises(ValueError, match="next bill"):
            authority.clear("RO1", token, "m2", link)
    authority.clear("RO1", token, "m2", Link.after(first, "A", b"two"))

    assert [link.counter for link in authority.chains["RO1", "A"]] == [1, 2]
    assert len(authority.faults) == 3


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
