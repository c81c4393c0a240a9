"""Examples of Hypothesis: the same ones every day, however slow the machine; `make test-all` looks
for new ones.

Two things that Hypothesis finds out for itself are told to it, since in a fresh clone each process
of tests would do so.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from hypothesis import HealthCheck, settings
from hypothesis.internal import charmap
from hypothesis.internal.conjecture import providers
from hypothesis.internal.intervalsets import IntervalSet

_SURROGATES: Final = (0xD800, 0xDFFF)
_IN_UTF_8: Final = IntervalSet([(0, _SURROGATES[0] - 1), (_SURROGATES[1] + 1, sys.maxunicode)])


def settle() -> None:
    """Load the profiles, and tell Hypothesis what it would measure."""
    unhurried = settings(deadline=None, suppress_health_check=list(HealthCheck), database=None)
    settings.register_profile("explore", unhurried)
    settings.register_profile("every-day", unhurried, derandomize=True)
    settings.load_profile("every-day")
    _take_no_constants()
    _know_utf_8()


def _take_no_constants() -> None:
    """The source of every local module that is imported at that moment would be read for constants:
    seconds of each process, and examples that depend on which tests came before."""
    none: Any = providers.Constants()
    assert hasattr(providers, "_get_local_constants")
    providers._get_local_constants = lambda: none


def _know_utf_8() -> None:
    """A list of the million characters that UTF-8 can encode would be made: 200 MB."""
    measured = charmap.intervals_from_codec

    def known(codec_name: str) -> tuple[IntervalSet, IntervalSet]:
        return (_IN_UTF_8, IntervalSet([])) if codec_name == "utf-8" else measured(codec_name)

    charmap.intervals_from_codec = known
