"""The torture in short; `python -m bench.torture` is the long form."""

from __future__ import annotations

from bench.torture import torture

ONE_OF_EACH = 8


def test_nothing_is_lost_or_sent_twice_while_everything_is_killed():
    """Web, relay and each worker killed with SIGKILL, Redis wiped and killed, PostgreSQL crashed:
    150 sends have 150 deliveries in the network's own ledger."""
    workers = {"waited": 1, "bulk": 1, "chores": 1}

    verdict = torture(
        150, 15.0, pause=(0.2, 0.6), kills=ONE_OF_EACH, settle_within=240.0, workers=workers
    )

    assert verdict.good, verdict
    assert verdict.delivered == 150
    assert len(verdict.killed) == ONE_OF_EACH
