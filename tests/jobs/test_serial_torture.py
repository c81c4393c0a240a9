"""Documents one after the other in short; `python -m bench.serial` is the long form."""

from __future__ import annotations

import pytest

from bench.serial import run


@pytest.mark.long
def test_chains_have_no_gap_while_workers_are_killed():
    """40 documents over 4 units, two workers killed with SIGKILL: in the books of the authority,
    which is a process of its own, each chain is whole, and in the order of the sends."""
    result = run(
        40, 4, kills=2, database_kills=0, pause=0.5, latency=0.05, settle_within=240.0,
        workers={"waited": 1, "bulk": 1, "chores": 1},
    )  # fmt: skip

    assert result.good, result
    assert (result.documents, result.units, result.workers_killed) == (40, 4, 2)
