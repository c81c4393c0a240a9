"""What is prepared of a document: its envelope asks for the statuses that a setting names."""

from __future__ import annotations

import gzip
from dataclasses import replace

import pytest

from einvoice.domain.identifiers import PDF_INVOICE
from einvoice.network import samples
from einvoice.network.types import Rejected
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


PDF = b"%PDF-1.7 \x00\xff" + bytes(range(256))


def test_a_pdf_travels_in_binary_content():
    """With Standard, TypeVersion and Type of Factur-X, in lines of any length."""
    envelope = replace(samples.envelope(), document=PDF, document_type=PDF_INVOICE)
    written = gzip.decompress(sending.prepared(envelope, "POP000001").content)
    found = sbdh.read(written, max_bytes=len(written))

    assert found.document == PDF
    assert (found.header.document_type, found.header.process) == (PDF_INVOICE, envelope.process)
    for name, value in HYBRID.items():
        assert f"<sh:{name}>{value}</sh:{name}>".encode() in written, name
    assert b' mimeType="application/pdf" encoding="Base64Binary">' in written


HYBRID = {"Standard": "urn:peppol:doctype:pdf+xml", "TypeVersion": "0", "Type": "factur-x"}


@pytest.mark.parametrize("document", [samples.envelope().document, b""])
def test_only_a_pdf_is_sent_under_the_type_for_pdfs(document):
    envelope = replace(samples.envelope(), document=document, document_type=PDF_INVOICE)

    assert isinstance(sending.prepared(envelope, "POP000001"), Rejected)
