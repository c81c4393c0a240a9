"""Where the networks say that participants are registered, for operators."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from einvoice.cli import application
from einvoice.cli.participants import participants
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.types import DirectoryUnavailable
from einvoice.services.account import tenants
from einvoice.services.participants.standings import Place, standings
from einvoice.web.runtime import runtime_of
from tests.networks import registrar

HERE, UNKNOWN = "0208:0123456749", "0088:9520000000004"


@pytest.fixture
def app(make_app):
    app = make_app(plugins=[registrar])
    with app.app_context():
        yield app


@pytest.fixture
def point(app):
    point = runtime_of(app).access_points["register-live"]
    point.here = {HERE}
    return point


def places(app, participant, environment=Environment.LIVE):
    points = runtime_of(app).access_points
    return [one.place for one in standings(ParticipantId.parse(participant), environment, points)]


@pytest.mark.parametrize(
    ("participant", "place"),
    [(HERE, Place.HERE), (registrar.ELSEWHERE, Place.ELSEWHERE), (UNKNOWN, Place.ABSENT)],
)
def test_a_participant_is_registered_here_elsewhere_or_not(app, point, participant, place):
    assert places(app, participant) == [place]


def test_networks_of_the_other_environment_are_not_asked(app, point):
    assert places(app, HERE, Environment.TEST) == []
    assert point.asked == []


def test_a_network_that_does_not_answer_says_nothing(app, point, monkeypatch):
    point.away = True
    assert places(app, HERE) == [Place.UNKNOWN]

    def fail(*_):
        raise DirectoryUnavailable("away")

    point.away = False
    monkeypatch.setattr(registrar.Registrar, "lookup", fail)
    assert places(app, HERE) == [Place.UNKNOWN]


def test_operators_see_it_for_each_id_of_a_tenant(app, point, monkeypatch):
    monkeypatch.setattr(application, "application", lambda: app)
    tenant = tenants.create("Acme")
    for participant in (HERE, UNKNOWN):
        tenants.own_participant(tenant, Environment.LIVE, ParticipantId.parse(participant))
    result = CliRunner().invoke(participants, ["network", tenant])

    assert result.exit_code == 0, result.output
    rows = {line.split()[1]: line.split()[2:] for line in result.output.splitlines()[1:]}
    assert rows == {
        HERE: ["register-live", "here", "1"],
        UNKNOWN: ["register-live", "not", "registered"],
    }
