"""The measurements that do not depend on the host: what they read from their tools."""

from __future__ import annotations

from bench import effort

DUMP = """# callgrind format
events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw
fn=(1) f
1 5 1 1 0 0 0 0 0 0
summary: 1000 300 200 30 20 10 7 5 3
totals: 1001 301 200 30 20 10 7 5 3
"""
SUMMARY = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 75.00    0.003000           3      1000       200 recvfrom
 25.00    0.001000           1       400           futex
------ ----------- ----------- --------- --------- ----------------
100.00    0.004000           2      1400       200 total
"""


def test_misses_of_the_second_cache_are_those_of_code_and_data() -> None:
    """ILmr, DLmr and DLmw of the part, not of the first cache."""
    assert effort._totals(DUMP) == {"instructions": 1000, "L2 misses": 15}


def test_system_calls_are_counted_with_and_without_errors() -> None:
    """The total that strace adds is no call of its own."""
    assert effort.calls_of(SUMMARY) == {"recvfrom": 1000, "futex": 400}
