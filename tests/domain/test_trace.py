"""Traces: the id of a request, and its W3C trace context (docs/operators.md)."""

from __future__ import annotations

import pytest

from einvoice.domain.trace import MAX_STORED, Trace

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE_ID}-b7ad6b7169203331-01"


@pytest.mark.parametrize("traceparent", [PARENT, None])
def test_a_trace_is_read_back_from_its_text(traceparent):
    """The longest one fits into the column."""
    trace = Trace.of("r" * 64, traceparent)

    assert trace.traceparent == traceparent
    assert trace.trace_id == (TRACE_ID if traceparent else None)
    assert Trace.parse(trace.stored) == trace
    assert len(trace.stored) <= MAX_STORED


@pytest.mark.parametrize(
    "traceparent",
    [
        "",
        PARENT.upper(),
        PARENT + "\n",
        PARENT + "-00",
        "ff" + PARENT[2:],
        f"00-{'0' * 32}-b7ad6b7169203331-01",
        f"00-{TRACE_ID}-{'0' * 16}-01",
    ],
)
def test_a_malformed_traceparent_is_left_out(traceparent):
    assert Trace.of("r", traceparent) == Trace("r")
