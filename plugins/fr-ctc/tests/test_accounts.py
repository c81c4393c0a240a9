"""Connections to platforms: tokens, addresses, checks; web-hooks; the directory; settings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.http import Policy
from einvoice.network.connection_testing import renewed
from einvoice.network.connections import Broken, Connection, NeedsPerson, NotChecked, Works
from einvoice.network.endpoints import Request
from einvoice.network.types import (
    ClosedInbox,
    DirectoryUnavailable,
    NotRegistered,
    Registration,
)
from einvoice_fr_ctc import configuration
from einvoice_fr_ctc.configuration import InvalidConfiguration
from einvoice_fr_ctc.hooks import Receiver
from tests.memory_store import MemoryStore
from tests.networks import fr
from tests.networks.fr import company
from tests.networks.fr.company import BUYER, SELLER
from tests.networks.fr.platform import fault
from tests.networks.stand_ins import PAGE, Answer


class Inbox(ClosedInbox):
    def __init__(self):
        self.woken = []

    def wake_mailbox(self, access_point, connection_id):
        self.woken.append((access_point, connection_id))
        return True


def opened(point, service, account=SELLER, **changes):
    given = company.credentials(service, SELLER) | changes
    return point.open(Connection("c1", "t1", Environment.TEST, account, given))


def test_a_check_asks_health_and_one_empty_search_and_keeps_the_token(point, service):
    outcome = opened(point, service)

    assert isinstance(outcome, Works)
    assert outcome.credentials["accessToken"] in service.platform.tokens
    assert outcome.valid_until is not None
    assert (service.calls("getHealth"), service.calls("searchFlows")) == (1, 1)


def test_a_valid_token_is_used_again(point, service, connection):
    before = service.calls("token")
    point.check(connection)

    assert service.calls("token") == before


@pytest.mark.parametrize(
    ("account", "changes", "kind", "words"),
    [
        (SELLER, {"clientSecret": "no"}, NeedsPerson, "unknown client"),
        ("BE0123456749", {}, NeedsPerson, "neither a SIREN"),
        (SELLER, {"url": "ftp://x"}, NeedsPerson, "not allowed"),
        (SELLER, {"url": "http://169.254.1.1/x"}, NeedsPerson, "not allowed"),
        (SELLER, {"tokenUrl": "http://127.0.0.1:9/token"}, NotChecked, "does not answer"),
        (f"FR32{SELLER}", {}, Works, None),
        (SELLER, {"organizationId": "org-7"}, Works, None),
    ],
)
def test_what_is_wrong_with_an_account_is_said(point, service, account, changes, kind, words):
    outcome = opened(point, service, account, **changes)

    assert isinstance(outcome, kind), outcome
    assert words is None or words in outcome.reason


@pytest.mark.parametrize("url", ["http://platform.example", "https://10.0.0.1", "https://[::1]/x"])
def test_a_tenant_cannot_name_an_address_inside_the_operators_network(service, url):
    """Unless the operator lets test platforms have one."""
    point = company.point_at(service, private=False)
    outcome = opened(point, service, url=url, tokenUrl=url)

    assert isinstance(outcome, NeedsPerson)
    assert "not allowed" in outcome.reason


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (fault(403, "FORBIDDEN_ACCESS", "no contract"), Broken),
        (Answer(403, PAGE, "text/html"), NotChecked),
        (Answer(503, PAGE, "text/html"), NotChecked),
        (Answer(200, PAGE, "text/html"), NotChecked),
    ],
)
def test_a_platform_that_refuses_or_has_a_firewall_is_told_apart(
    point, service, monkeypatch, answer, kind
):
    real = fr._Handler._answer

    def given(self, method, path, query, body):
        is_search = fr.operation_of(method, path) == "searchFlows"
        return answer if is_search else real(self, method, path, query, body)

    monkeypatch.setattr(fr._Handler, "_answer", given)

    assert isinstance(opened(point, service), kind)


def test_the_organization_is_named_in_each_call(point, service):
    opened(point, service, organizationId="org-7")

    named = {e.headers.get("organization-id") for e in service.exchanges if "/v1/" in e.path}
    assert named == {"org-7"}


# -- web-hooks -------------------------------------------------------------------------------------


def hooked(service):
    store = MemoryStore()
    point = company.point_at(service, store, hooks="http://127.0.0.1:1/networks")
    return point, company.connected(point, service, SELLER)


def test_a_check_registers_the_web_hook_once(service):
    point, connection = hooked(service)
    renewed(connection, point.check(connection))
    (hook,) = service.platform.companies[SELLER].hooks

    secret = connection.state["hook"]
    assert hook["callbackUrl"] == f"http://127.0.0.1:1/networks/fr-ctc-test/{secret}"
    assert point.hooks.connection_of(secret) == connection.id


def test_a_call_wakes_the_fetch_of_its_connection_whatever_it_says(service):
    point, connection = hooked(service)
    inbox = Inbox()
    answer = Receiver(point.hooks, point.name, inbox).answer
    secret = connection.state["hook"]
    found = answer(Request("POST", f"/{secret}", b'{"flowId": "of somebody else"}'))

    assert found.status == 200
    assert inbox.woken == [("fr-ctc-test", connection.id)]


def test_a_thousand_calls_leave_no_more_than_one(service):
    """Each says only that the mailbox is to be fetched, whose terms bound how often it is."""
    store = MemoryStore()
    point = company.point_at(service, store, hooks="http://127.0.0.1:1/networks")
    connection = company.connected(point, service, SELLER)
    answer = Receiver(point.hooks, point.name, Inbox()).answer
    secret = connection.state["hook"]
    kept = []
    for _ in range(1000):
        answer(Request("POST", f"/{secret}"))
        kept.append(len(store.values))

    assert len(set(kept)) == 1


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("POST", "/", 404), ("POST", "/guessed", 404), ("POST", f"/{'x' * 300}", 404),
     ("GET", "/guessed", 405)],
)  # fmt: skip
def test_a_call_from_nobody_wakes_nothing(service, method, path, status):
    point, _ = hooked(service)
    inbox = Inbox()
    receiver = Receiver(point.hooks, point.name, inbox)
    found = {receiver.answer(Request(method, path)).status for _ in range(1000)}

    assert (found, inbox.woken) == ({status}, [])


def test_a_call_during_a_fetch_lets_it_be_repeated(service, monkeypatch):
    point, connection = hooked(service)
    real = service.platform.search

    def search(owner, asked):
        point.hooks.note_call(connection.id)
        return real(owner, asked)

    assert not point.fetch(connection, None).more
    monkeypatch.setattr(service.platform, "search", search)
    assert point.fetch(connection, None).more


def test_a_connection_that_ends_deletes_its_web_hook_and_no_other(service):
    """Also where its token has ended meanwhile."""
    point, connection = hooked(service)
    company_ = service.platform.companies[SELLER]
    other = {"webhookId": "00000000-0000-4000-8000-000000000000", "callbackUrl": "http://other"}
    company_.hooks.append(other)
    point.leave(replace(connection, credentials={**connection.credentials, "tokenEnds": ""}))

    assert company_.hooks == [other]


def test_facts_of_accounts_name_platforms_and_web_hooks_and_no_secret(service):
    point, connection = hooked(service)
    bare = replace(connection, state={}, credentials={"url": "https://u:secret@pa.example/x"})
    mine = {each.label: each.value for each in point.connection_facts(connection)}
    all_ = {each.label: each.value for each in point.operation_facts([connection, bare, bare])}

    assert mine == {"Platform": "127.0.0.1", "Web-hook": "registered at the platform"}
    assert all_ == {
        "Web-hooks registered": "1 of 3 connections",
        "Platform pa.example": "2 connections",
        "Platform 127.0.0.1": "1 connections",
    }


def test_a_platform_without_web_hooks_is_polled(service, monkeypatch):
    real = fr._Handler._answer

    def given(self, method, path, query, body):
        if path.endswith("/webhooks"):
            return fault(404, "MISSING_RESOURCE", "no")
        return real(self, method, path, query, body)

    monkeypatch.setattr(fr._Handler, "_answer", given)
    _, connection = hooked(service)

    assert "hook" not in connection.state


# -- the directory ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("participant", "registered", "other"),
    [
        (f"0225:{BUYER}", True, None),
        (f"0225:{BUYER}_{BUYER}00011_COMPTA", True, None),
        (f"0225:{BUYER}_UNKNOWN", False, None),
        ("0225:300000007", False, None),
        (f"0002:{BUYER}", False, f"0225:{BUYER}"),
        (f"0009:{BUYER}00011", False, f"0225:{BUYER}_{BUYER}00011"),
        (f"9957:FR32{BUYER}", False, f"0225:{BUYER}"),
        ("0225:400000006", False, None),
    ],
)
def test_an_address_is_looked_up_by_siren_siret_and_routing_code(
    point, service, participant, registered, other
):
    siret = f"{BUYER}_{BUYER}00011"
    service.directory.add(BUYER, "Acheteur SA", siret, f"{siret}_COMPTA")
    service.directory.add("400000006", "Closed")
    service.directory.lines["400000006"] = False
    found = point.lookup(ParticipantId.parse(participant))

    assert isinstance(found, Registration) is registered
    if isinstance(found, NotRegistered):
        assert (str(found.registered_as) if found.registered_as else None) == other


@pytest.mark.parametrize("fault_", ["gateway", "html", "refused-page", "lost"])
def test_a_directory_that_does_not_answer_says_nothing_of_the_receiver(point, service, fault_):
    service.faults = lambda call: fault_ if "directory-line" in call else None
    with pytest.raises(DirectoryUnavailable):
        point.lookup(ParticipantId("0225", BUYER))


@pytest.mark.parametrize(
    ("text", "country", "found"),
    [("ACHET", None, [BUYER]), (BUYER, "FR", [BUYER]), ("a", "FR", [SELLER, BUYER]),
     ("achet", "BE", []), ("nobody", None, [])],
)  # fmt: skip
def test_companies_are_found_by_name_and_by_number(point, text, country, found):
    listed = [each.participant.value for each in point.search_participants(text, country, 10)]

    assert listed == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BUYER, ["", "_20000000800017", "_20000000800017_SALES"]),
        ("200 000 008", ["", "_20000000800017", "_20000000800017_SALES"]),
        ("20000000800017", ["_20000000800017", "_20000000800017_SALES"]),
        (f"{BUYER} SALES", ["_20000000800017_SALES"]),
        (f"{BUYER} NONE", []),
    ],
)
def test_the_addresses_of_a_company_are_found_by_siren_siret_and_routing_code(
    point, service, text, found
):
    """Those at which no platform receives are left out."""
    siret = f"{BUYER}00017"
    service.directory.add(BUYER, "Acheteur SA", f"{BUYER}_{siret}", f"{BUYER}_{siret}_SALES")
    service.directory.lines[f"{BUYER}_{siret}_OLD"] = False
    listed = [each.participant.value for each in point.search_participants(text, "FR", 10)]

    assert listed == [f"{BUYER}{rest}" for rest in found]


def test_without_a_directory_receivers_are_not_looked_up(service):
    point = company.point_at(service, directory=None)

    assert not point.capabilities.needs_lookup
    assert list(point.search_participants("a", None, 5)) == []


# -- settings --------------------------------------------------------------------------------------


def settings(**given):
    return {each.name: each.default for each in configuration.settings_of()} | {
        f"EINVOICE_FR_CTC_{name}": value for name, value in given.items()
    }


def test_the_access_points_are_named_as_the_law_is():
    found = [each.name for each in configuration.sides(settings(TEST=True, LIVE=True))]

    assert found == ["fr-ctc-test", "fr-ctc"]


def test_live_platforms_have_public_addresses_and_https():
    (live,) = configuration.sides(settings(LIVE=True, TEST_PRIVATE=True))

    assert live.policy == Policy(https_only=True, allow_private=False)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"DELIVERED": "perhaps"}, "DELIVERED"),
        ({"POLL_SECONDS": 59}, "POLL_SECONDS"),
        ({"TEST_DIRECTORY_URL": "https://d.example"}, "TOKEN_URL"),
        ({"HOOKS_URL": "nonsense"}, "HOOKS_URL"),
    ],
)
def test_a_wrong_setting_stops_the_start(given, words):
    with pytest.raises(InvalidConfiguration, match=words):
        configuration.sides(settings(TEST=True, **given))


def test_the_secret_is_in_no_representation(service):
    side = company.side_at(service)

    assert "secret-of" not in repr(side)
    assert replace(side, poll_seconds=61).poll_seconds == 61
