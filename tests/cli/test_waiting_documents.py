"""What operators see of documents that wait for a connection, or for one another."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from einvoice import clock
from einvoice.cli import application, doctor_checks
from einvoice.cli.connections import connections
from einvoice.cli.transmissions import transmissions
from einvoice.domain.environments import Environment
from einvoice.services import gauges
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.delivery import transmit
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Transmission
from einvoice.web.runtime import runtime_of
from tests.builders import accepted
from tests.networks.toll.chain import ChainPlugin

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def app(make_app):
    app = make_app(plugins=[ChainPlugin()])
    with app.app_context():
        yield app


@pytest.fixture
def run(app, monkeypatch):
    monkeypatch.setattr(application, "application", lambda: app)

    def _run(line, of=transmissions):
        result = CliRunner().invoke(of, line.split())
        assert result.exit_code == 0, result.output
        return result.output

    return _run


@pytest.fixture
def connection(app, tenant):
    """One without consent, which cannot be used."""
    new = NewConnection(Environment.TEST, "toll", "BE1", credentials={"clientSecret": "s3cret"})
    return accounts.create(tenant, new, runtime_of(app))


@pytest.fixture
def two(connection):
    """Two documents of one key."""
    place = {"access_point": "toll-clearance-test", "connection_id": connection.id}
    return [
        accepted(connection.tenant_id, sequence_key="unit A", **place).transmission_id
        for _ in range(2)
    ]


def work(runtime, tenant):
    """One round of a relay and its worker."""
    for lane in outbox.LANES:
        token, now = uuid.uuid4().hex, clock.now()
        rows = outbox.claim(lane, tenant, 9, token=token, now=now, lease=timedelta(seconds=30))
        transmit.advance([row.id for row in rows], token, runtime)


def test_documents_that_wait_for_a_connection_are_listed(app, run, tenant, connection, two):
    """The first waits for the connection, the second for the first."""
    assert run("parked") == "none\n"
    work(runtime_of(app), tenant)

    for line in ("parked", f"parked {connection.id}"):
        assert two[0] in run(line)
        assert two[1] not in run(line)
    assert run("parked other") == "none\n"
    listed = run("list", connections).splitlines()
    assert "documents waiting" in listed[0]
    assert "s3cret" not in run("list", connections) + run("parked")


def test_documents_for_which_others_wait_are_listed(app, run, two, tmp_path):
    shown = run("sequences").splitlines()
    assert len(shown) == 2
    assert two[0] in shown[1]
    assert "unit A" in shown[1]

    proof = tmp_path / "proof.txt"
    proof.write_text("seen")
    run(f"resolve {two[0]} failed --evidence {proof}")
    assert run("sequences") == "none\n"


def test_the_doctor_names_a_document_that_holds_up_others(app, two):
    assert not any(two[0] in problem.message for problem in doctor_checks.check_database())
    with db.writing() as database:
        holder = sa.update(Transmission).where(Transmission.id == two[0])
        database.execute(holder.values(attention=True))

    [problem] = [one for one in doctor_checks.check_database() if two[0] in one.message]
    assert problem.message.startswith("1 transmissions wait for")


def test_metrics_count_the_documents_that_wait(app, tenant, two):
    work(runtime_of(app), tenant)
    rows = {
        sample.labels["lane"]: sample.value
        for family in gauges._outbox()
        for sample in family.samples
        if sample.name == "einvoice_outbox_rows"
    }

    assert (rows["parked"], rows["waiting"], rows["bulk"]) == (1, 1, 0)
