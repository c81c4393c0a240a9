"""GET /api/participants/lookup."""

from __future__ import annotations

import uuid

import pytest
from prometheus_client import REGISTRY

from einvoice.domain.environments import Environment
from einvoice.network import calls
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug

BIS = "urn:fdc:peppol.eu:2017:poacc:billing:3.0"


def _of_networks() -> float:
    return REGISTRY.get_sample_value("einvoice_network_faults_total") or 0.0


def test_a_registered_participant_has_a_reference_and_its_documents(caller):
    """Exactly the members of the contract."""
    answer = caller.lookup("0088:9520000000004")

    assert (answer.status_code, answer.content_type) == (200, "application/json")
    assert answer.json.keys() == {
        "participantId", "isRegistered", "accessPointRef", "supportedDocTypes", "provider"
    }  # fmt: skip
    assert answer.json["participantId"] == "0088:9520000000004"
    assert answer.json["isRegistered"] is True
    assert uuid.UUID(answer.json["accessPointRef"])
    assert any(BIS in kind for kind in answer.json["supportedDocTypes"])
    assert all(k.startswith("busdox-docid-qns::") for k in answer.json["supportedDocTypes"])


def test_an_unregistered_participant_has_no_reference(caller):
    answer = caller.lookup("0088:9520000000080")

    assert answer.status_code == 200
    assert answer.json["isRegistered"] is False
    assert answer.json["supportedDocTypes"] == []
    assert "accessPointRef" not in answer.json


@pytest.mark.parametrize("again", ["0088:9520000000004", "%200088:9520000000004%20"])
def test_a_repeated_lookup_gives_the_same_reference(caller, again):
    """References never expire; spaces around an id do not matter."""
    first = caller.reference("0088:9520000000004")

    assert caller.reference(again) == first


def test_participants_do_not_differ_by_case(caller):
    assert caller.reference("9915:abc") == caller.reference("9915:ABC")


def test_references_are_per_tenant_and_participant(service, caller):
    other = Caller(service)

    assert caller.reference("0088:9520000000004") != caller.reference("0088:9520000000011")
    assert caller.reference("0088:9520000000004") != other.reference("0088:9520000000004")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "missing-participant-id"),
        ("?participantId=", "missing-participant-id"),
        ("?participantId=%20%09", "missing-participant-id"),
        ("?participantid=0088:1", "missing-participant-id"),
        ("?participantId=0088", "invalid-participant-id"),
        ("?participantId=088:9520000000004", "invalid-participant-id"),
        ("?participantId=00888:9520000000004", "invalid-participant-id"),
        ("?participantId=0088:", "invalid-participant-id"),
        ("?participantId=0088:a%20b", "invalid-participant-id"),
        ("?participantId=0088:a%00", "invalid-participant-id"),
        ("?participantId=%EF%BC%90088:9520000000004", "invalid-participant-id"),
        (f"?participantId=0088:{'a' * 131}", "invalid-participant-id"),
        ("?participantId=busdox-docid-qns::0088:1", "invalid-participant-id"),
    ],
)
def test_a_wrong_participant_is_refused(caller, query, expected):
    answer = caller.get(f"/api/participants/lookup{query}")

    assert (answer.status_code, slug(answer)) == (400, expected)


@pytest.mark.parametrize("value", ["a", "a" * 130, "-._~:x"])
def test_every_well_formed_participant_may_be_asked_about(caller, value):
    """The network decides on unknown schemes and wrong check digits (decisions 19.5)."""
    assert caller.lookup(f"9999:{value}").status_code == 200


def test_a_directory_that_does_not_answer_is_503_with_retry_after(service):
    """Not "not registered"; the second request succeeds."""
    caller = Caller(service)
    outage = runtime_of(service).access_points["simulator"]._directory._memory
    outage.unlink(missing_ok=True)
    first, second = caller.lookup("0088:9520000000158"), caller.lookup("0088:9520000000158")

    assert (first.status_code, slug(first)) == (503, "access-point-unavailable")
    assert int(first.headers["Retry-After"]) > 0
    assert second.status_code == 200


@pytest.mark.parametrize("participant", ["0088:9520000000004", "0088:9520000000158"])
def test_a_live_key_cannot_look_up_sandbox_participants(service, participant):
    """The sandbox's participants are refused by name."""
    live = Caller(service, Environment.LIVE)
    answer = live.lookup(participant)

    assert (answer.status_code, slug(answer)) == (400, "sandbox-participant")


def test_lookups_are_of_the_tenant_s_share(caller, monkeypatch):
    """So slow ones of one tenant leave the directory to the others (test_calls)."""
    monkeypatch.setattr(calls, "MAX_TENANT_CALLS", 0)
    monkeypatch.setattr(calls, "lookups", calls.Shares(wait=0.05))
    answer = caller.lookup()

    assert (answer.status_code, slug(answer)) == (503, "access-point-unavailable")
    assert "calls of your account" in answer.json["detail"]


def test_a_live_key_without_a_live_access_point_gets_503(service):
    """It is counted, so that no alert blames this service (EinvoiceServerErrors)."""
    live, before = Caller(service, Environment.LIVE), _of_networks()
    answer = live.lookup("0088:9520000000998")

    assert (answer.status_code, slug(answer)) == (503, "access-point-unavailable")
    assert "live" in answer.json["detail"]
    assert _of_networks() - before == 1


def test_the_scope_is_required_for_a_lookup(service):
    answer = Caller(service, scopes=["invoices:send"]).lookup()

    assert (answer.status_code, slug(answer)) == (403, "insufficient-scope")
