"""`einvoice ksef test-company`."""

from __future__ import annotations

import base64
import stat
from dataclasses import replace

import click
import pytest
from click.testing import CliRunner

from einvoice.domain.environments import Environment
from einvoice.network.connections import Works
from einvoice_ksef import commands
from plugins.ksef.tests import company

NIP = "8976111986"


@pytest.fixture
def run(point, tmp_path):
    """A function that runs the command below a command of the service."""
    added = []

    @click.group()
    def einvoice():
        pass

    @einvoice.group()
    def connections():
        pass

    @connections.command()
    @click.argument("tenant")
    @click.argument("network")
    @click.argument("account")
    @click.option("--environment")
    @click.option("--file", "files", multiple=True)
    def add(**given):
        added.append(given)

    def _run(*arguments, sides=(point.side,)):
        einvoice.add_command(commands.group(sides, point.store))
        given = ["ksef", "test-company", "--out", str(tmp_path), *arguments]
        return CliRunner().invoke(einvoice, given), added

    return _run


def test_the_company_can_log_in_with_its_certificate(run, point, authority, tmp_path):
    result, _ = run("--nip", NIP)
    file = tmp_path / f"ksef-{NIP}.pem"
    given = {"certificate": base64.b64encode(file.read_bytes()).decode()}

    assert result.exit_code == 0, result.output
    assert authority.subjects[NIP] == "person"
    assert authority.permissions_of(("Nip", NIP), ("Nip", NIP)) >= {"InvoiceRead", "InvoiceWrite"}
    assert isinstance(point.open(company.new_connection(given, nip=NIP)), Works)
    assert f"connections add TENANT ksef {NIP}" in result.output


def test_only_the_owner_of_the_file_can_read_it(run, tmp_path):
    run("--nip", NIP)

    assert stat.S_IMODE((tmp_path / f"ksef-{NIP}.pem").stat().st_mode) == 0o600


def test_a_connection_is_added_for_a_tenant(run, tmp_path):
    result, added = run("--nip", NIP, "--tenant", "t1")

    assert result.exit_code == 0, result.output
    assert added == [
        {
            "tenant": "t1",
            "network": "ksef",
            "account": NIP,
            "environment": "test",
            "files": (f"certificate={tmp_path}/ksef-{NIP}.pem",),
        }
    ]


def test_a_file_that_exists_is_left_alone(run, tmp_path):
    (tmp_path / f"ksef-{NIP}.pem").write_text("mine")
    result, _ = run("--nip", NIP)

    assert result.exit_code == 1
    assert (tmp_path / f"ksef-{NIP}.pem").read_text() == "mine"


def test_a_company_that_exists_gets_a_new_certificate(run, tmp_path):
    run("--nip", NIP)
    (tmp_path / f"ksef-{NIP}.pem").unlink()

    assert run("--nip", NIP)[0].exit_code == 0


@pytest.mark.parametrize("nip", ["12", "0976111986", "89761119866", "PL8976111986"])
def test_other_numbers_are_refused(run, nip):
    assert run("--nip", nip)[0].exit_code == 2


def test_production_has_no_test_companies(run, point):
    live = replace(point.side, environment=Environment.LIVE)

    assert "EINVOICE_KSEF_TEST" in run("--nip", NIP, sides=(live,))[0].output


def test_accounts_are_listed_with_their_limits(point, authority):
    """With the calls that were counted, and the limits that the network states."""
    connection = company.connected(point, {"token": authority.issue_token(company.SELLER)})
    company.sent(company.bound(point, connection), company.envelope())
    group = commands.group((point.side,), point.store)
    [line] = CliRunner().invoke(group, ["accounts"]).output.splitlines()

    assert line.startswith(f"ksef-test  {company.SELLER}  token  2027-11-30  invoiceSend 1/1800, ")
    assert "onlineSession 1/1200" in line


def test_a_pesel_has_its_check_digit():
    for _ in range(100):
        digits = [int(each) for each in commands.new_pesel()]
        weights = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)

        assert sum(w * d for w, d in zip(weights, digits, strict=True)) % 10 == 0
