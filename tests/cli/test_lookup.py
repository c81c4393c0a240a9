"""`einvoice lookup`: what the network has on a participant."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from einvoice.cli import application
from einvoice.cli.lookup import lookup
from einvoice.domain.identifiers import BIS_INVOICE
from einvoice.network.types import Registration
from einvoice.web.runtime import runtime_of
from tests.networks import toll

RECEIVER = "0088:9520000000004"


@pytest.fixture
def run(app, monkeypatch):
    monkeypatch.setattr(application, "application", lambda: app)

    def _run(*words):
        result = CliRunner().invoke(lookup, words)
        return result.exit_code, result.output

    return _run


def test_a_registered_participant_is_shown_with_its_document_types(run):
    code, output = run(RECEIVER)

    assert code == 0
    assert f"{RECEIVER} is registered with simulator." in output
    assert str(BIS_INVOICE) in output
    assert "endpoint" not in output


def test_endpoint_and_certificate_are_shown_where_the_network_names_them(app, run, monkeypatch):
    point = runtime_of(app).access_points["simulator"]
    found = Registration(
        (), "https://ap.example/as4", "CN=POP000001", datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC)
    )
    monkeypatch.setattr(type(point), "lookup", lambda *_: found)

    assert run(RECEIVER)[1].splitlines()[1:] == [
        "endpoint: https://ap.example/as4",
        "certificate: CN=POP000001",
        "certificate expires: 2027-01-02T03:04:05.000Z",
        "document types: none",
    ]


def test_an_unknown_participant_is_said_to_be_unregistered(run):
    code, output = run("0088:9520000000080")

    assert code == 1
    assert "is not registered" in output


def test_a_directory_that_does_not_answer_has_an_exit_code_of_its_own(run):
    """Participant …0158 is unavailable the first time."""
    code, output = run("0088:9520000000158")

    assert code == 2
    assert "does not answer now" in output


@pytest.mark.parametrize(
    ("words", "message"),
    [(["0088"], "is not of the form"), ([RECEIVER, "--environment", "live"], "No access point")],
)
def test_what_cannot_be_looked_up_is_refused_in_words(run, words, message):
    code, output = run(*words)

    assert code == 1
    assert message in output


def test_networks_without_a_directory_are_named_and_not_asked(make_app, monkeypatch):
    app = make_app([toll])
    monkeypatch.setattr(application, "application", lambda: app)
    result = CliRunner().invoke(lookup, ["0190:00000000000000000001"])

    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "0190:00000000000000000001 is reached by toll, which has no directory."
    ]
