"""What is prepared of a document: its envelope asks for the statuses that a setting names."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest

from einvoice.network import samples
from einvoice_peppol import mls, sbdh, sending


@pytest.mark.parametrize("wanted", [None, sbdh.ALWAYS_SEND])
def test_the_envelope_of_a_document_says_which_statuses_it_asks_for(wanted):
    prepared = sending.prepared(samples.envelope(), "POP000001", wanted)
    envelope = gzip.decompress(prepared.content)

    assert sbdh.read(envelope, max_bytes=len(envelope)).header.mls_type == wanted


def test_a_status_never_asks_for_a_status():
    status = replace(samples.envelope(), document_type=mls.DOCUMENT_TYPE, process=mls.PROCESS)
    prepared = sending.prepared(status, "POP000001", sbdh.ALWAYS_SEND)

    assert b"MLS_TYPE" not in gzip.decompress(prepared.content)
