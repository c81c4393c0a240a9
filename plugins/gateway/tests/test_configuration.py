"""Settings of the gateway: what starts, and what is refused with words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import einvoice_gateway
from einvoice.domain.environments import Environment
from einvoice.network import registry
from einvoice.network.settings import validated
from einvoice_gateway.configuration import Shape, configured, settings_of
from einvoice_peppol.configuration import InvalidConfiguration
from einvoice_peppol.stages import LIVE, TEST

GIVEN = {
    "EINVOICE_GATEWAY_LIVE_SHAPE": "phoss-ap",
    "EINVOICE_GATEWAY_LIVE_URL": "https://ap.example/base/",
    "EINVOICE_GATEWAY_LIVE_TOKEN": "a-secret-token",
    "EINVOICE_GATEWAY_LIVE_INBOUND_TOKEN": "another-secret-token",
}


def gateway(variables, stage=LIVE):
    return configured(stage, validated("gateway", settings_of(stage), variables, {}).values)


@pytest.mark.parametrize("stage", [TEST, LIVE])
def test_a_gateway_without_settings_is_not_configured(stage):
    assert gateway({"EINVOICE_DATA_DIR": "/tmp"}, stage) is None


def test_the_settings_of_one_environment_do_not_configure_the_other():
    found = gateway(GIVEN)

    assert (found.name, found.environment) == ("gateway", Environment.LIVE)
    assert found.shape is Shape.PHOSS_AP
    assert gateway(GIVEN, TEST) is None


@pytest.mark.parametrize("name", ["SHAPE", "URL", "TOKEN"])
def test_an_incomplete_gateway_does_not_start(name):
    missing = f"EINVOICE_GATEWAY_LIVE_{name}"
    given = {each: value for each, value in GIVEN.items() if each != missing}

    with pytest.raises(InvalidConfiguration, match=f"{missing}: is missing"):
        gateway(given)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SHAPE", "oxalis"),
        ("URL", "http://ap.example"),
        ("URL", "https://ap.example/?x=1"),
        ("URL", "ap.example"),
        ("TOKEN", "t\u00f6ken"),
        ("INBOUND_TOKEN", "short"),
        ("CA_FILE", "/absent.pem"),
        ("RESOLVERS", "dns.example"),
        ("ANCHORS", "/absent"),
    ],
)
def test_a_wrong_setting_stops_the_start_and_shows_no_secret(name, value):
    setting = f"EINVOICE_GATEWAY_LIVE_{name}"
    with pytest.raises(InvalidConfiguration, match=setting) as refused:
        gateway(GIVEN | {setting: value})

    assert "secret" not in str(refused.value)


def test_a_test_gateway_may_use_http_and_a_private_address():
    given = {name.replace("_LIVE_", "_TEST_"): value for name, value in GIVEN.items()}
    given["EINVOICE_GATEWAY_TEST_URL"] = "http://127.0.0.1:8080"

    assert gateway(given, TEST).name == "gateway-test"


def test_the_plugin_offers_an_access_point_and_an_endpoint_for_each_environment():
    given = GIVEN | {name.replace("_LIVE_", "_TEST_"): value for name, value in GIVEN.items()}
    offered = registry.load_all(given, [einvoice_gateway])

    assert {point.name: point.environment for point in offered.access_points} == {
        "gateway": Environment.LIVE,
        "gateway-test": Environment.TEST,
    }
    assert set(offered.endpoints) == {"gateway", "gateway-test"}


def test_a_gateway_without_an_inbound_token_has_no_endpoint():
    given = {name: value for name, value in GIVEN.items() if "INBOUND" not in name}
    offered = registry.load_all(given, [einvoice_gateway])

    assert not offered.endpoints
    assert len(list(offered.access_points)) == 1


def test_the_tokens_are_declared_as_secrets():
    secrets = {each.name for each in settings_of(LIVE) if each.secret}

    assert secrets == {name for name in GIVEN if name.endswith("TOKEN")}


def test_every_setting_is_in_the_readme():
    page = (Path(__file__).parents[1] / "README.md").read_text()
    listed = set(re.findall(r"^\| `(EINVOICE_GATEWAY_[A-Z_]+)` \|", page, re.MULTILINE))
    live = {each.name for each in settings_of(LIVE)}
    of_test = {each.name for each in settings_of(TEST)}
    test_only = of_test - {name.replace("_LIVE_", "_TEST_") for name in live}

    assert listed == live | test_only
