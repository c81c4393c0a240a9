"""A short form of bench.siege: a tenant beside silent, slow and greedy clients."""

from __future__ import annotations

import pytest

from bench import siege


@pytest.mark.long
def test_a_tenant_is_served_beside_silent_slow_and_greedy_clients():
    """Its figures depend on the host; that none of its requests fails does not."""
    options = siege.parse(["--seconds", "5", "--silent", "300", "--slow", "60", "--greedy", "1"])
    found = siege.besiege(options)

    assert found.attacked["slow 429"] > 0
    assert (found.sends.failed, found.health.failed) == (0, 0)
    assert found.sends.statuses[200] > 200
    assert found.peak < siege.MAX_MIB
