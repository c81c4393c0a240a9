"""Any received bytes are stored unchanged: random ones, and randomly damaged bills."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from einvoice.domain.environments import Environment
from einvoice.network import samples
from einvoice.network.types import Stored
from einvoice.services.account import tenants
from einvoice.services.inbound import reception
from einvoice.store.core import db
from einvoice.store.tables import Event, Invoice
from einvoice.web.runtime import runtime_of

SAMPLES = [
    (Path(__file__).parents[2] / "samples" / name).read_text()
    for name in ("good_ubl.xml", "good_cii.xml")
]
_VALUE = re.compile(r">([^<>]+)<")
_ELEMENT = re.compile(r"<(\w+:\w+)[^<>]*>[^<>]*</\1>")
SPITEFUL = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["", "0", "-1", "1e400", "NaN", "9" * 400, "x" * 20_000, "\u202e", "2026-13-45"]
    ),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.dates().map(str),
)


@st.composite
def damaged(draw) -> bytes:
    """A correct document of which some values are others, and some elements gone or twice."""
    text = draw(st.sampled_from(SAMPLES))
    for _ in range(draw(st.integers(1, 6))):
        found = list(draw(st.sampled_from([_VALUE, _ELEMENT])).finditer(text))
        if not found:
            continue
        match = draw(st.sampled_from(found))
        if match.re is _VALUE:
            value = draw(SPITEFUL).translate({ord("<"): "&lt;", ord("&"): "&amp;"})
            text = text[: match.start(1)] + value + text[match.end(1) :]
        else:
            text = (
                text[: match.start()]
                + match[0] * draw(st.sampled_from([0, 2]))
                + text[match.end() :]
            )
    return text.encode(errors="surrogatepass")


@pytest.mark.parametrize("examples", [25, pytest.param(2_000, marks=pytest.mark.long)])
def test_anything_is_stored_as_it_came(app, tenant, examples):
    """No value is too long, too large or too odd for a column, an index, an event or a report."""
    tenants.own_participant(tenant, Environment.TEST, samples.RECEIVER)

    @settings(
        max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(document=st.one_of(damaged(), damaged(), st.binary(max_size=300)))
    def _stored(document):
        parts = runtime_of(app)
        inbound = samples.inbound(document=document)
        verdict = reception.receive(inbound, parts.caches, parts.computing, parts.forms)

        assert isinstance(verdict, Stored)
        with db.reading() as connection:
            kept = sa.select(Invoice.original, Invoice.findings)
            (row,) = connection.execute(kept.where(Invoice.id == verdict.document_id)).all()
            reported = sa.select(sa.func.count()).where(Event.invoice_id == verdict.document_id)
            assert connection.execute(reported).scalar() == 1
        assert row.original == document

    _stored()
