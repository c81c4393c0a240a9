"""Which network carries a document, where several could (decisions 20.13)."""

from __future__ import annotations

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable, AmbiguousNetwork, NetworkNotSupported
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import AccessPointBase
from einvoice.services.participants.routing import (
    CountryPair,
    access_point_for,
    chosen_network,
)

BUYER = ParticipantId("0208", "0123456749")
STRANGER = ParticipantId("0106", "12345678")


class Point(AccessPointBase):
    environment = Environment.TEST

    def __init__(self, name: str, network: str) -> None:
        self.name, self.network = name, network

    def serves(self, participant: ParticipantId) -> bool:
        return participant.scheme == "0208"

    def lookup(self, participant: ParticipantId) -> None:
        raise NotImplementedError


ONE = ["p:peppol"]
TWO = ["p:peppol", "k:ksef"]
TWINS = ["p1:peppol", "p2:peppol", "k:ksef"]
SANDBOX = ["p:peppol", "s:simulator"]


def points(named: list[str]) -> AccessPoints:
    return AccessPoints([Point(*each.split(":")) for each in named])  # type: ignore[misc]


@pytest.mark.parametrize(
    ("offered", "network", "chosen", "used"),
    [
        (ONE, None, None, "p"),
        (TWO, "ksef", None, "k"),
        (TWO, "ksef", "peppol", "k"),
        (TWO, None, "ksef", "k"),
        (TWO, None, "peppol", "p"),
        (ONE, None, "ksef", "p"),
        (TWINS, "p2", None, "p2"),
        (TWINS, None, "p2", "p2"),
        (SANDBOX, None, None, "p"),
    ],
)
def test_the_request_decides_then_the_tenant_then_there_is_only_one(
    offered, network, chosen, used
) -> None:
    found = access_point_for(BUYER, Environment.TEST, points(offered), network, chosen)

    assert found.name == used


@pytest.mark.parametrize(
    ("offered", "network", "chosen", "named"),
    [
        (TWO, None, None, ["ksef", "peppol"]),
        (TWO, None, "zatca", ["ksef", "peppol"]),
        (TWINS, None, None, ["ksef", "p1", "p2"]),
        (TWINS, "peppol", None, ["p1", "p2"]),
        (TWINS, None, "peppol", ["p1", "p2"]),
    ],
)
def test_of_several_none_is_guessed_and_the_refusal_names_them(
    offered, network, chosen, named
) -> None:
    """Access points, where the network alone does not decide."""
    with pytest.raises(AmbiguousNetwork) as refused:
        access_point_for(BUYER, Environment.TEST, points(offered), network, chosen)

    assert refused.value.networks == named


@pytest.mark.parametrize(
    ("participant", "network", "refusal"),
    [
        (BUYER, "zatca", NetworkNotSupported),
        (STRANGER, "ksef", AccessPointUnavailable),
        (STRANGER, None, AccessPointUnavailable),
    ],
)
def test_a_network_that_is_not_offered_is_refused_and_one_that_does_not_serve_is_unavailable(
    participant, network, refusal
) -> None:
    with pytest.raises(refusal):
        access_point_for(participant, Environment.TEST, points(TWO), network)


@pytest.mark.parametrize(
    ("pair", "network"),
    [
        (CountryPair("RO", "RO"), "ro-efactura"),
        (CountryPair("RO", "BE"), None),
        (CountryPair("BE", "RO"), None),
        (CountryPair(None, None), None),
    ],
)
def test_the_choice_of_the_tenant_is_for_one_pair_of_countries(pair, network) -> None:
    choices = [{"supplierCountry": "RO", "buyerCountry": "RO", "network": "ro-efactura"}]

    assert chosen_network(choices, pair) == network
    assert chosen_network(None, pair) is None
