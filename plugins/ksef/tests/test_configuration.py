"""The settings of the plugin."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

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


# -- the provider of Peppol services ---------------------------------------------------------------


@pytest.fixture
def provider(tmp_path):
    """The settings of a provider at the sandbox, with a key that has a password."""
    key, certificate = samples.provider_seal("PPL123456")
    protection = BestAvailableEncryption(b"hunter2")
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, protection)
    (tmp_path / "provider.pem").write_bytes(certificate.public_bytes(Encoding.PEM))
    (tmp_path / "provider.key").write_bytes(private)
    return {
        "TEST": True,
        "TEST_PEPPOL_ID": "PPL123456",
        "TEST_PEPPOL_CERTIFICATE": str(tmp_path / "provider.pem"),
        "TEST_PEPPOL_KEY": str(tmp_path / "provider.key"),
        "TEST_PEPPOL_PASSWORD": "hunter2",
    }


def test_a_provider_is_one_of_its_environment(provider):
    test, live = configured(**provider, LIVE=True)

    assert test.provider.id == "PPL123456"
    assert test.provider.identity.key.key_size == 2048
    assert live.provider is None


def test_key_and_certificate_may_be_one_file(provider, tmp_path):
    key, certificate = samples.provider_seal("PPL123456")
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "both.pem").write_bytes(certificate.public_bytes(Encoding.PEM) + private)
    given = {"TEST_PEPPOL_CERTIFICATE": str(tmp_path / "both.pem"), "TEST_PEPPOL_KEY": None}
    [side] = configured(**provider | given | {"TEST_PEPPOL_PASSWORD": None})

    assert side.provider is not None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"TEST_PEPPOL_ID": None}, "TEST_PEPPOL_ID is missing"),
        ({"TEST_PEPPOL_ID": "5265877635"}, "TEST_PEPPOL_ID is not the id of a provider"),
        ({"TEST_PEPPOL_CERTIFICATE": None}, "TEST_PEPPOL_CERTIFICATE is missing"),
        ({"TEST_PEPPOL_CERTIFICATE": "/nowhere.pem"}, "TEST_PEPPOL_CERTIFICATE: "),
        ({"TEST_PEPPOL_PASSWORD": "wrong"}, "TEST_PEPPOL_CERTIFICATE: .*password"),
    ],
)
def test_wrong_settings_of_a_provider_stop_the_start(provider, changes, words):
    with pytest.raises(InvalidConfiguration, match=words):
        configured(**provider | changes)


def test_pef_is_offered_by_a_provider_only(provider):
    variables = {f"EINVOICE_KSEF_{name}": str(value) for name, value in provider.items()}
    found = load(variables, plugins=[einvoice_ksef])
    without = load({"EINVOICE_KSEF_TEST": "true"}, plugins=[einvoice_ksef])

    assert (found["ksef-pef-test"].network, found["ksef-test"].network) == ("ksef-pef", "ksef")
    assert [point.name for point in without] == ["ksef-test"]


def test_the_password_of_a_provider_is_never_shown():
    secrets = {each.name for each in settings_of() if each.secret}

    assert secrets == {
        "EINVOICE_KSEF_TEST_PEPPOL_PASSWORD",
        "EINVOICE_KSEF_LIVE_PEPPOL_PASSWORD",
    }
