"""The settings of the plugin."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.serialization import Encoding

import einvoice_ksef
from einvoice.network.registry import load
from einvoice_ksef.configuration import (
    DEMO_URL,
    LIVE_URL,
    TEST_URL,
    InvalidConfiguration,
    settings_of,
    sides,
)
from tests.networks.ksef import samples


def configured(**changes):
    defaults = {each.name: each.default for each in settings_of()}
    return sides(defaults | {f"EINVOICE_KSEF_{name}": value for name, value in changes.items()})


def test_nothing_is_offered_unless_it_is_switched_on():
    assert configured() == []
    assert [each.name for each in configured(TEST=True, LIVE=True)] == ["ksef-test", "ksef-live"]


def test_the_environments_have_the_addresses_of_the_ministry():
    test, live = configured(TEST=True, LIVE=True)

    assert (test.url, live.url) == (TEST_URL, LIVE_URL)


def test_the_sandbox_may_be_demo_or_another_address():
    (demo,) = configured(TEST=True, DEMO=True)
    assert (demo.name, demo.url) == ("ksef-demo", DEMO_URL)
    other = configured(TEST=True, DEMO=True, TEST_URL="http://127.0.0.1:9400/v2/")
    assert other[0].url == "http://127.0.0.1:9400/v2"


def test_live_calls_are_encrypted():
    with pytest.raises(InvalidConfiguration, match="LIVE_URL"):
        configured(LIVE=True, LIVE_URL="http://api.ksef.example/v2")


def test_the_plugin_offers_what_is_switched_on():
    found = load({"EINVOICE_KSEF_TEST": "true"}, plugins=[einvoice_ksef])

    assert found["ksef-test"].network == "ksef"


def test_signers_are_read_from_a_file(tmp_path):
    (tmp_path / "signers.pem").write_bytes(samples.seal_of()[1].public_bytes(Encoding.PEM))
    (side,) = configured(TEST=True, SIGNERS=str(tmp_path / "signers.pem"))
    assert len(side.signers) == 1
    (tmp_path / "signers.pem").write_bytes(b"none")
    with pytest.raises(InvalidConfiguration, match="SIGNERS"):
        configured(TEST=True, SIGNERS=str(tmp_path / "signers.pem"))
