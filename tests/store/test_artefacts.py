"""Evidence is kept once, byte for byte, whether it is small or large."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest
from flask import Flask

from einvoice.store.core import db
from einvoice.store.invoices import artefacts
from einvoice.store.invoices.artefacts import ArtefactContent
from tests.builders import a_receipt


@pytest.mark.parametrize("size", [0, 1, 256, 100_000, 100_001, 1_000_000])
def test_what_is_kept_is_what_came(app: Flask, size: int) -> None:
    """Two at once: small ones travel together, large ones by themselves."""
    content = bytes(range(256)) * (size // 256) + bytes(size % 256)
    found = [a_receipt(content), a_receipt(content + b"\x00\xff")]
    with db.writing() as connection:
        artefacts.add_missing(connection, found)
    kept = {one.id: one for one in artefacts.of_invoice("invoice", "tenant")}

    assert len(kept) == 2
    for one in found:
        found_content = artefacts.content("invoice", one.id, one.tenant_id)
        assert found_content == ArtefactContent(one.content, one.content_type, one.name)
        listed = kept[one.id]
        assert (listed.sha256, listed.size) == (one.sha256, one.size)
        assert listed.created_at == one.created_at


@pytest.mark.parametrize("size", [10, 300_000])
def test_what_came_before_is_not_told_again(app: Flask, size: int) -> None:
    """A receipt that comes twice, also within one job, is one artefact."""
    first, second = a_receipt(b"1" * size), a_receipt(b"2" * size)
    again = replace(first, id=str(uuid.uuid4()))
    with db.writing() as connection:
        reported = artefacts.add_missing(connection, [first, again])
        later = artefacts.add_missing(connection, [again, second])

    assert (reported, later) == ({first.sha256}, {second.sha256})
