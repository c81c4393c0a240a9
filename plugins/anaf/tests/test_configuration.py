"""The settings of the plugin."""

from __future__ import annotations

import pytest

import einvoice_anaf
from einvoice.network.registry import PluginFault, load
from einvoice_anaf.configuration import InvalidConfiguration, settings_of, sides
from tests.networks.anaf import seal

GIVEN = {"EINVOICE_ANAF_CLIENT_ID": "id", "EINVOICE_ANAF_CLIENT_SECRET": "secret"}


def configured(**changes):
    defaults = {each.name: each.default for each in settings_of()}
    return sides(defaults | GIVEN | {f"EINVOICE_ANAF_{n}": v for n, v in changes.items()})


def test_nothing_is_offered_unless_it_is_switched_on():
    assert configured() == []
    assert [each.name for each in configured(TEST=True, LIVE=True)] == ["anaf-test", "anaf-live"]


@pytest.mark.parametrize("missing", ["CLIENT_ID", "CLIENT_SECRET"])
@pytest.mark.parametrize("side", ["TEST", "LIVE"])
def test_an_environment_without_a_client_does_not_start(side, missing):
    with pytest.raises(InvalidConfiguration, match=missing):
        configured(**{side: True, missing: None})


def test_both_environments_have_the_addresses_of_the_authority():
    test, live = configured(TEST=True, LIVE=True)

    assert test.url == "https://api.anaf.ro/test/FCTEL/rest"
    assert live.url == "https://api.anaf.ro/prod/FCTEL/rest"
    assert test.token_url == live.token_url == "https://logincert.anaf.ro/anaf-oauth2/v1/token"


def test_live_calls_are_encrypted():
    with pytest.raises(InvalidConfiguration, match="LIVE_URL"):
        configured(LIVE=True, LIVE_URL="http://api.anaf.example/prod/FCTEL/rest")


def test_signers_are_read_from_a_file(tmp_path):
    file = tmp_path / "signers.pem"
    file.write_bytes(seal.ministry().pem())
    (side,) = configured(TEST=True, SIGNERS=str(file))
    assert side.signers == (seal.ministry().certificate,)

    file.write_text("nothing")
    with pytest.raises(InvalidConfiguration, match="SIGNERS"):
        configured(TEST=True, SIGNERS=str(file))


def test_the_plugin_stops_the_start_where_the_client_is_missing():
    with pytest.raises(PluginFault, match="EINVOICE_ANAF_CLIENT_ID"):
        load({"EINVOICE_ANAF_LIVE": "true"}, plugins=[einvoice_anaf])


def test_secrets_are_not_shown():
    assert "secret" not in repr(configured(TEST=True)).replace("client_secret", "")
