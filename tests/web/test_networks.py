"""Two networks that reach one receiver: which of them carries a send (decisions 20.13)."""

from __future__ import annotations

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE
from einvoice.domain.roles import Role
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    INTERFACE_VERSION,
    AccessPointBase,
    Capabilities,
    Delivered,
    Registration,
    receipt,
)
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER, send_body
from tests.web import legacy_sends as legacy
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

CHOICE = {"supplierCountry": "BE", "buyerCountry": "BE", "network": "parcel"}


class Network(AccessPointBase):
    """Reaches everybody; `taken` has the numbers of what it was given."""

    environment = Environment.TEST
    capabilities = Capabilities()

    def __init__(self, name, network):
        self.name, self.network, self.taken = name, network, []

    def lookup(self, participant):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit(self, envelope, prepared):
        self.taken.append(envelope.number)
        return Delivered((receipt(b"<Receipt/>"),))


class Plugin:
    EINVOICE_INTERFACE = INTERFACE_VERSION

    @hookimpl
    def einvoice_access_points(self):
        yield Network("peppol-test", "peppol")
        yield Network("parcel-test", "parcel")


@pytest.fixture
def app(make_app):
    return make_app([Plugin()])


@pytest.fixture
def caller(app):
    return Caller(app)


def look_up(caller, network=None):
    query = f"&network={network}" if network else ""
    return caller.get(f"/api/participants/lookup?participantId={RECEIVER}{query}")


def reference(caller, network):
    return look_up(caller, network).json["accessPointRef"]


def a_send(caller, ref, number="N-1", **routing):
    body = send_body(ref, number=number)
    body["routing"] |= routing
    return caller.send(body)


def carried_by(app, caller):
    caller.work()
    points = runtime_of(app).access_points
    return [point.name for point in points if point.taken]


def test_a_lookup_that_several_networks_could_answer_asks_which(caller):
    answer = look_up(caller)

    assert (answer.status_code, slug(answer)) == (400, "ambiguous-network")
    assert answer.json["supportedNetworks"] == ["parcel", "peppol"]
    assert look_up(caller, "parcel").json["isRegistered"] is True
    assert slug(look_up(caller, "zatca")) == "network-not-supported"


@pytest.mark.parametrize("network", ["peppol", "parcel"])
def test_the_network_whose_lookup_gave_the_reference_carries_the_send(app, caller, network):
    assert a_send(caller, reference(caller, network)).status_code == 200

    assert carried_by(app, caller) == [f"{network}-test"]


@pytest.mark.parametrize("named", ["parcel", "parcel-test"])
def test_a_network_or_access_point_that_the_send_names_must_be_that_of_the_reference(
    app, caller, named
):
    ref = reference(caller, "parcel")

    assert slug(a_send(caller, ref, network="peppol")) == "unknown-access-point-ref"
    assert slug(a_send(caller, ref, network="zatca")) == "network-not-supported"
    assert a_send(caller, ref, network=named).status_code == 200
    assert carried_by(app, caller) == ["parcel-test"]


def test_a_simulator_does_not_stand_for_a_network_that_is_not_offered(make_app):
    """It stands for Peppol's test network only, with a reference of a lookup too."""
    caller = Caller(make_app())
    ref = caller.reference()

    assert slug(a_send(caller, ref, network="zatca")) == "network-not-supported"
    for network in ("peppol", "simulator"):
        assert a_send(caller, ref, f"N-{network}", network=network).status_code == 200


@pytest.mark.parametrize(
    ("choices", "refusal", "carried"),
    [
        ([], "ambiguous-network", []),
        ([CHOICE], None, ["parcel-test"]),
        ([CHOICE | {"supplierCountry": "NL"}], "ambiguous-network", []),
    ],
)
def test_the_choice_of_the_account_decides_where_no_reference_does(
    app, caller, choices, refusal, carried
):
    """For its pair of countries. The deprecated send needs no reference."""
    ann = Dashboard(app, role=Role.ADMIN, tenant=caller.tenant)
    ann.patch("/api/tenant", {"networkChoices": choices})

    answer = legacy.send(caller, legacy.BODY)

    assert (slug(answer) if refusal else None) == refusal, answer.text
    assert carried_by(app, caller) == carried
