"""Examples of Hypothesis: the same ones every day, however slow the machine; `make test-all` looks
for new ones."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers


def settle() -> None:
    """Load the profiles, and take no constants from the service's modules.

    Hypothesis would read and parse the source of every module that is imported at that moment:
    7 seconds and 200 MB in each process, and examples that depend on which tests came before.
    """
    unhurried = settings(deadline=None, suppress_health_check=list(HealthCheck), database=None)
    settings.register_profile("explore", unhurried)
    settings.register_profile("every-day", unhurried, derandomize=True)
    settings.load_profile("every-day")
    none: Any = providers.Constants()
    assert hasattr(providers, "_get_local_constants")
    providers._get_local_constants = lambda: none
