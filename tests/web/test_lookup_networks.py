"""Lookups where several networks reach a participant, some without a directory (decisions 30.1)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.directory import CUSTOMER
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    INTERFACE_VERSION,
    AccessPointBase,
    Capabilities,
    Delivered,
    DirectoryUnavailable,
    NotRegistered,
    Registration,
    receipt,
)
from einvoice.services.directory import entries
from einvoice.services.participants import reachability
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from tests.builders import send_body
from tests.web.caller import Caller, slug

BOTH, DIRECTORY, AUTHORITY, NOBODY = "9947:RO1", "9930:DE1", "9945:PL1", "9925:BE1"


class Network(AccessPointBase):
    """A directory that knows who is in `members`; `asked` has the participants of its lookups."""

    capabilities = Capabilities()

    def __init__(self, name, network, environment, schemes):
        self.name, self.network, self.environment = name, network, environment
        self.schemes, self.members, self.asked, self.silent = schemes, set(), [], False

    def serves(self, participant):
        return participant.scheme in self.schemes

    def lookup(self, participant):
        self.asked.append(str(participant))
        if self.silent:
            raise DirectoryUnavailable("not now")
        known = str(participant) in self.members
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE)) if known else NotRegistered()

    def submit(self, envelope, prepared):
        return Delivered((receipt(b"<Receipt/>"),))


class Authority(Network):
    capabilities = replace(Capabilities(), needs_lookup=False)

    def lookup(self, participant):
        raise AssertionError("an authority has no directory")


class Plugin:
    EINVOICE_INTERFACE = INTERFACE_VERSION

    @hookimpl
    def einvoice_access_points(self):
        for environment in Environment:
            yield Network(f"peppol-{environment}", "peppol", environment, {"9947", "9930"})
            yield Network(f"parcel-{environment}", "parcel", environment, {"9925"})
            yield Network(f"letter-{environment}", "letter", environment, {"9925"})
            yield Authority(f"ro-{environment}", "ro-efactura", environment, {"9947"})
            yield Authority(f"pl-{environment}", "ksef", environment, {"9945"})


@pytest.fixture(scope="module")
def service(build):
    return build([Plugin()])


@pytest.fixture(scope="module", params=list(Environment))
def caller(service, request):
    found = Caller(service, request.param)
    found.own()
    return found


def network(caller, name):
    return runtime_of(caller.app).access_points[f"{name}-{caller.environment}"]


@pytest.fixture(autouse=True)
def empty(service):
    for point in runtime_of(service).access_points:
        if isinstance(point, Network):
            point.members, point.silent = set(), False
            point.asked.clear()


def look_up(caller, participant, named=None, path="/api/participants/lookup"):
    query = f"&network={named}" if named else ""
    return caller.get(f"{path}?participantId={participant}{query}")


def said(answer):
    """Whether registered, whether with a reference, and by what it is reached without one."""
    body = answer.json
    return body["isRegistered"], "accessPointRef" in body, body.get("reachableBy")


def test_networks_without_a_directory_are_not_asked_but_named(caller):
    """Also where the directory of another network is asked, and does not know the participant."""
    network(caller, "peppol").members = {"9930:DE2"}
    cases = [
        (BOTH, None, (False, False, ["ro-efactura"])),
        (BOTH, "ro-efactura", (False, False, ["ro-efactura"])),
        (BOTH, "peppol", (False, False, None)),
        (AUTHORITY, None, (False, False, ["ksef"])),
        (DIRECTORY, None, (False, False, None)),
        ("9930:DE2", None, (True, True, None)),
    ]
    paths = ("/api/participants/lookup", "/v2/lookup", "/api/v2/lookup")

    for participant, named, expected in cases:
        for path in paths:
            found = said(look_up(caller, participant, named, path))
            assert found == expected, (participant, named, path)


def test_a_registered_receiver_has_its_reference_beside_an_authority(caller):
    """The network of the authority is no second choice of a lookup: no ambiguous-network."""
    network(caller, "peppol").members = {BOTH}

    assert said(look_up(caller, BOTH)) == (True, True, None)


def test_of_several_directories_none_is_guessed(caller):
    answer = look_up(caller, NOBODY)

    assert (answer.status_code, slug(answer)) == (400, "ambiguous-network")
    assert answer.json["supportedNetworks"] == ["letter", "parcel"]


def test_a_lookup_at_one_network_changes_nothing_of_another(caller):
    """A reference never changes its network, and ends only by a lookup at its own."""
    for name in ("parcel", "letter"):
        network(caller, name).members = {NOBODY}
    refs = {n: look_up(caller, NOBODY, n).json["accessPointRef"] for n in ("parcel", "letter")}
    again = {n: look_up(caller, NOBODY, n).json["accessPointRef"] for n in ("letter", "parcel")}
    network(caller, "letter").members = set()
    look_up(caller, NOBODY, "letter")
    runtime_of(caller.app).caches.clear()

    assert refs == again
    assert refs["parcel"] != refs["letter"]
    found = dry_run(caller, refs["parcel"])
    assert found.status_code == 200, found.text
    assert slug(dry_run(caller, refs["letter"])) == "receiver-not-registered"
    wrong = dry_run(caller, refs["parcel"], network="letter")
    assert slug(wrong) == "unknown-access-point-ref"


def test_an_authority_leaves_the_reference_of_a_directory(caller):
    network(caller, "peppol").members = {BOTH}
    ref = look_up(caller, BOTH).json["accessPointRef"]
    look_up(caller, BOTH, "ro-efactura")
    runtime_of(caller.app).caches.clear()

    assert dry_run(caller, ref, BOTH).status_code == 200


def dry_run(caller, reference, receiver=NOBODY, **routing):
    body = send_body(reference) | {"options": {"dryRun": True}}
    body["routing"] |= {"receiverParticipantId": receiver} | routing
    return caller.send(json.dumps(body).encode())


@pytest.mark.parametrize("path", ["/api/participants/lookup", "/v2/lookup", "/api/v2/lookup"])
def test_a_blank_network_is_refused(service, path):
    """As blank parameters of every other route are."""
    answer = Caller(service).get(f"{path}?participantId={DIRECTORY}&network=%20")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert answer.json["errors"][0]["pointer"] == "/network"


def test_the_directory_agrees_with_the_lookup(service):
    """Reachable is who is registered, or reached by a network without a directory."""
    caller = Caller(service)
    peppol = network(caller, "peppol")
    peppol.members = {"9930:DE2"}
    status = checked(caller, [BOTH, AUTHORITY, DIRECTORY, "9930:DE2", NOBODY])
    peppol.silent = True
    silent = checked(caller, ["9947:RO3", "9930:DE3"])

    assert status == ["Reachable", "Reachable", "NotReachable", "Reachable", "Unknown"]
    assert silent == ["Reachable", "Unknown"]


def checked(caller, participants):
    """The status of new customers with these ids after a look at the networks."""
    with caller.app.app_context():
        new = [
            entries.create(CUSTOMER, caller.tenant, {"name": each, "peppol_id": each})
            for each in participants
        ]
        rows = outbox.claim(
            outbox.CHORES, caller.tenant, 100, token="t",
            now=clock.now() + timedelta(minutes=1), lease=timedelta(days=9),
        )  # fmt: skip
        reachability.check([row.id for row in rows], "t", runtime_of(caller.app))
        return [entries.get(CUSTOMER, caller.tenant, each.id).network_status for each in new]
