"""`einvoice keys limit`: operators set the limits of a key (decisions 0.6)."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from einvoice.cli import application
from einvoice.cli.keys import keys
from einvoice.config import Settings, SettingsFault
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials as service

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def run(app, monkeypatch):
    monkeypatch.setattr(application, "application", lambda: app)

    def _run(*words: str, code: int = 0) -> str:
        result = CliRunner().invoke(keys, words)
        assert result.exit_code == code, result.output
        return result.output

    return _run


@pytest.fixture
def key_id(tenant) -> str:
    return service.create(API_KEY, tenant, "tests", Environment.TEST).record.id


def test_a_limit_is_set_listed_and_removed(run, tenant, key_id):
    run("limit", tenant, key_id, "--get", "600", "--post", "7")
    assert "600      7" in run("list", tenant)

    run("limit", tenant, key_id)
    assert "default  default" in run("list", tenant)


@pytest.mark.parametrize("number", ["0", "1000001", "many"])
def test_a_limit_is_between_one_and_a_million(run, tenant, key_id, number):
    run("limit", tenant, key_id, "--get", number, code=2)


def test_another_tenants_key_is_not_found(run, key_id):
    assert "There is no key" in run("limit", "0c1f7a52", key_id, "--get", "5", code=1)


@pytest.mark.parametrize("name", ["LIMIT_GET", "LIMIT_POST"])
def test_a_default_below_one_stops_the_start(database_url, name):
    assert Settings.from_env({f"EINVOICE_{name}": "1"})
    with pytest.raises(SettingsFault, match=f"EINVOICE_{name}"):
        Settings.from_env({f"EINVOICE_{name}": "0"})
