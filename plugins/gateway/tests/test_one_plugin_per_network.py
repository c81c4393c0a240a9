"""Peppol has one access point in an environment: its own, or the gateway's."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import einvoice_gateway
import einvoice_peppol
from einvoice.app import create_app
from einvoice.cli import application, doctor
from einvoice.config import Settings
from einvoice.network import registry
from einvoice.network.registry import PluginFault
from plugins.peppol.tests import key_files, pki

GATEWAY = {
    "EINVOICE_GATEWAY_TEST_SHAPE": "phoss-ap",
    "EINVOICE_GATEWAY_TEST_URL": "https://ap.example/",
    "EINVOICE_GATEWAY_TEST_TOKEN": "a-secret-token",
}
BOTH = [einvoice_peppol, einvoice_gateway]


@pytest.fixture
def own(tmp_path):
    """The settings of an access point of its own in the test network."""
    ours = pki.leaf(pki.ACCESS_POINTS, "POP000001")
    (tmp_path / "ap.pem").write_bytes(key_files.as_pem(ours))
    folder = key_files.anchors(tmp_path / "anchors", pki.ACCESS_POINTS, pki.SMPS, pki.ROOT)
    return {
        "EINVOICE_PEPPOL_TEST_KEYS": str(tmp_path / "ap.pem"),
        "EINVOICE_PEPPOL_TEST_ANCHORS": str(folder),
    }


def test_both_installed_and_one_configured_start(own):
    assert [point.name for point in registry.load(own, BOTH)] == ["peppol-test"]
    assert [point.name for point in registry.load(GATEWAY, BOTH)] == ["gateway-test"]


def test_both_configured_for_one_environment_are_refused_in_one_line(own):
    with pytest.raises(PluginFault) as fault:
        registry.load(own | GATEWAY, BOTH)

    words = str(fault.value)
    assert "\n" not in words
    assert "'einvoice_peppol' (access point 'peppol-test', set by EINVOICE_PEPPOL_TEST_" in words
    assert "'einvoice_gateway' (access point 'gateway-test', set by EINVOICE_GATEWAY_TEST" in words
    assert "a-secret-token" not in words


def test_the_doctor_shows_it(own, tmp_path, monkeypatch):
    """And ends with 1, after its other checks."""
    monkeypatch.setattr(
        application, "create_app",
        lambda: create_app(Settings(data_dir=str(tmp_path)), plugins=BOTH, environ=own | GATEWAY),
    )  # fmt: skip
    result = CliRunner().invoke(doctor.doctor)

    assert result.exit_code == 1
    assert result.output.startswith("✗ two plugins serve the network 'peppol' with test keys:")
