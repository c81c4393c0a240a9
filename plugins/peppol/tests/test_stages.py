"""The two networks and how the plugin is loaded."""

from __future__ import annotations

import einvoice_peppol
from einvoice.domain.environments import Environment
from einvoice.network import registry
from einvoice_peppol.stages import LIVE, STAGES, TEST


def test_each_environment_has_a_network_of_its_own():
    """No zone and no certificate authority is shared."""
    assert set(STAGES) == set(Environment)
    for name in ("name", "zone", "access_point_ca", "smp_ca", "root"):
        assert getattr(TEST, name) != getattr(LIVE, name)


def test_only_the_production_network_wants_reports():
    assert LIVE.reports
    assert not TEST.reports


def test_an_installation_without_settings_offers_nothing():
    """The simulator goes on serving the sandbox."""
    assert list(registry.load({}, [einvoice_peppol])) == []
