"""/status: parts, networks and incidents, without anything of tenants."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa
from lxml import etree

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.ids import TimeOrderedIds
from einvoice.services import readiness
from einvoice.services.console import incidents, service_status
from einvoice.services.console.incidents import IncidentStatus
from einvoice.services.console.service_status import StatusBoard
from einvoice.services.readiness import SchemaState, State
from einvoice.store.core import db
from einvoice.store.tables import Outbox, ServiceState, Transmission
from einvoice.web.parts import web_parts
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.console import OperatorPerson, OperatorProgram

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)
HOSTILE = "<script>alert(1)</script> & ]]>"


@pytest.fixture(autouse=True)
def _nothing_before(service, monkeypatch):
    """Also no ids of a later time, which other tests have made: ids never go back."""
    monkeypatch.setattr(ids, "_ids", TimeOrderedIds())
    with service.app_context(), db.writing() as connection:
        connection.execute(sa.delete(ServiceState))
        connection.execute(sa.delete(Outbox))


@pytest.fixture
def status(service, monkeypatch):
    """`status(accept)`: the answer, read anew."""

    up = State(readiness.Service.UP, SchemaState.CURRENT, redis=readiness.Service.UP)
    monkeypatch.setattr(readiness.Readiness, "state", lambda _: up)

    def _read(accept="application/json", path="/status"):
        with service.app_context():
            web_parts().status.__init__()
        return service.test_client().get(path, headers={"Accept": accept})

    return _read


def states(body, of="components"):
    return {each.get("name") or each["network"]: each["status"] for each in body[of]}


def test_a_service_at_rest_is_operational(status):
    answer = status()

    assert answer.status_code == 200
    assert answer.json["status"] == "operational"
    assert states(answer.json) == dict.fromkeys(("API", "Deliveries", "Webhooks"), "operational")
    (line,) = answer.json["networks"]
    assert (line["network"], line["environment"], line["lastSuccess"]) == (
        "simulator", "test", None,
    )  # fmt: skip
    assert answer.headers["Cache-Control"] == "public, max-age=20"


def test_the_last_success_of_a_network_is_noted_by_the_relay(service, status):
    caller = Caller(service)
    caller.sent()
    caller.work_until(lambda: caller.count(Outbox) == 0)
    with service.app_context():
        assert service_status.note_deliveries() is False
        with db.reading() as connection:
            mine = sa.select(Transmission.settled_at).where(Transmission.tenant_id == caller.tenant)
            settled = connection.execute(mine).scalar_one()

    (line,) = status().json["networks"]
    assert line["lastSuccess"] == clock.timestamp(settled)


LATE = {  # seconds that due work waits → status of deliveries
    1: "operational", 59: "operational", 61: "degraded", 899: "degraded", 901: "down",
}  # fmt: skip


def test_deliveries_are_late_by_the_work_that_waits(service, status, monkeypatch):
    caller = Caller(service)
    caller.sent("0088:9520000000011")
    accepted = clock.now()
    for seconds, expected in LATE.items():
        moment = accepted + timedelta(seconds=seconds)
        with monkeypatch.context() as patch:
            patch.setattr(clock, "now", lambda moment=moment: moment)
            body = status().json
        assert states(body)["Deliveries"] == expected, seconds
        assert body["status"] == ("operational" if expected == "operational" else expected)


def test_a_network_that_takes_nothing_while_documents_wait_is_degraded(
    service, status, monkeypatch
):
    caller = Caller(service)
    caller.sent("0088:9520000000011")
    caller.work()
    silent = clock.now() + timedelta(minutes=16)
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", lambda: silent)
        assert states(status().json, "networks") == {"simulator": "degraded"}
        with service.app_context(), db.writing() as connection:
            noted = sa.insert(ServiceState).values(
                name="network:simulator", noted_at=silent - timedelta(minutes=1)
            )
            connection.execute(noted)
        assert states(status().json, "networks") == {"simulator": "operational"}


def test_it_answers_while_the_database_does_not(service, monkeypatch):
    """With what was known before."""
    board = StatusBoard()
    with service.app_context():
        incidents.begin("Known", "Before the outage")

        board.read(runtime_of(service))
        monkeypatch.setattr(readiness.Readiness, "state", lambda _: State(readiness.Service.DOWN))
        board._until = 0.0
        found = board.read(runtime_of(service))

    assert found.status.value == "down"
    assert {each.name: each.status.value for each in found.components} == {
        "API": "down", "Deliveries": "unknown", "Webhooks": "unknown",
    }  # fmt: skip
    assert [each.title for each in found.incidents] == ["Known"]


def test_an_incident_is_written_by_an_operator_and_read_by_everybody(service, status):
    """By a program, at the console, and as page, JSON and RSS."""
    program, person = OperatorProgram(service), OperatorPerson(service)
    begun = program.post("/incidents", {"title": HOSTILE, "text": "We look.\nSoon more."})
    assert begun.status_code == 201, begun.text
    incident = begun.json["incidentId"]
    given = {"text": "Found", "status": "identified"}
    assert person.post(f"/incidents/{incident}/updates", given).status_code == 303
    assert "Found" in person.get("/incidents").text

    (shown,) = status().json["incidents"]
    assert (shown["title"], shown["status"], shown["endedAt"]) == (HOSTILE, "identified", None)
    assert [each["text"] for each in shown["updates"]] == ["Found", "We look.\nSoon more."]
    page = status("text/html").text
    assert "<script>" not in page
    assert "Found" in page
    feed = etree.fromstring(status(path="/status/feed", accept="*/*").data)
    titles = [each.text for each in feed.iterfind("channel/item/title")]
    assert titles == [f"{HOSTILE}: identified", f"{HOSTILE}: investigating"]
    assert len({each.text for each in feed.iterfind("channel/item/guid")}) == 2

    ended = program.post(f"/incidents/{incident}/updates", {"text": "Over", "status": "resolved"})
    again = program.post(f"/incidents/{incident}/updates", {"text": "No", "status": "resolved"})
    assert ended.json["endedAt"] is not None
    assert slug(again) == "conflict"
    missing = program.post("/incidents/nothing/updates", {"text": "x", "status": "resolved"})
    assert slug(missing) == "not-found"


def test_only_operators_who_manage_write_incidents(service):
    reader = OperatorProgram(service, scopes=("operator:read",))
    given = {"title": "T", "text": "x"}

    assert slug(reader.post("/incidents", given)) == "insufficient-scope"
    assert reader.get("/incidents").json["items"] == []
    assert Caller(service).call("POST", "/api/operator/incidents").status_code == 401


def test_of_many_incidents_the_newest_and_the_open_ones_are_kept(service, monkeypatch):
    monkeypatch.setattr(incidents, "MAX_KEPT", 2)
    with service.app_context():
        incidents.begin("open", "x", IncidentStatus.MONITORING)
        for number in range(3):
            incidents.begin(f"ended {number}", "x", IncidentStatus.RESOLVED)

        assert [each.title for each in incidents.newest()] == ["open", "ended 2"]


def test_nothing_of_a_tenant_is_shown(service, status):
    caller = Caller(service)
    invoice = caller.sent(number="SECRET-1")
    for accept in ("application/json", "text/html"):
        text = status(accept).text
        assert not [each for each in (caller.tenant, invoice, "SECRET-1") if each in text]
