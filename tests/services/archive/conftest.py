"""An application whose archive is a directory or an S3 bucket, and invoices in its database."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.domain import ids
from einvoice.store.core import db
from einvoice.store.invoices import artefacts
from einvoice.store.invoices.artefacts import NewArtefact
from einvoice.store.sending.new_sends import NewSend
from einvoice.store.tables import Invoice, Outbox, Transmission
from tests.builders import accepted

OLD = timedelta(days=31)
DOCUMENT = b"<Invoice>" + b"<Line/>" * 50 + b"</Invoice>"
ORIGINAL = b'{"invoice": {}}'


@pytest.fixture(params=["directory", "s3"])
def archive_settings(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """The settings of a new, empty store."""
    if request.param == "directory":
        (tmp_path / "archive").mkdir()
        return {"archive_store": "directory", "archive_directory": str(tmp_path / "archive")}
    server = request.getfixturevalue("s3_server")
    name = f"b-{uuid.uuid4().hex}"
    keys = {"aws_access_key_id": "k", "aws_secret_access_key": "s", "region_name": "us-east-1"}
    import boto3

    boto3.client("s3", endpoint_url=server, **keys).create_bucket(Bucket=name)
    return {
        "archive_store": "s3", "archive_s3_bucket": name, "archive_s3_endpoint": server,
        "archive_s3_region": "us-east-1", "archive_s3_access_key": "k",
        "archive_s3_secret_key": "s",
    }  # fmt: skip


@pytest.fixture
def app(make_app: Callable[..., Flask], archive_settings: dict[str, Any]) -> Iterator[Flask]:
    app = make_app(**archive_settings)
    with app.app_context():
        yield app


def final(send: NewSend, status: str = "Delivered") -> NewSend:
    """The document after its delivery: nothing of it is open."""
    with db.writing() as connection:
        connection.execute(
            sa.update(Transmission)
            .where(Transmission.id == send.transmission_id)
            .values(phase="done", status=status)
        )
        connection.execute(sa.delete(Outbox).where(Outbox.subject_id == send.transmission_id))
    return send


def accepted_before(tenant: str, age: timedelta = OLD, **changes: Any) -> NewSend:
    """A document that was accepted so long ago, with an id of that time."""
    at = clock.now() - age
    given = {"document": DOCUMENT, "original": ORIGINAL} | changes
    return accepted(
        tenant, created_at=at, **{"invoice_id": str(ids.TimeOrderedIds().next(at))} | given
    )


def old(tenant: str, age: timedelta = OLD, **changes: Any) -> NewSend:
    """A document that was delivered so long ago."""
    return final(accepted_before(tenant, age, **changes))


def evidence(send: NewSend, content: bytes = b"<Receipt/>", **changes: Any) -> NewArtefact:
    """A stored receipt of the document."""
    new = NewArtefact(
        **{
            "id": str(uuid.uuid4()), "tenant_id": send.tenant_id, "invoice_id": send.invoice_id,
            "transmission_id": send.transmission_id, "kind": "RECEIPT", "name": "receipt.xml",
            "content_type": "application/xml", "sha256": hashlib.sha256(content).hexdigest(),
            "size": len(content), "authority_reference": None, "legal_original": False,
            "retention_years": None, "created_at": send.created_at, "content": content,
        } | changes
    )  # fmt: skip
    with db.writing() as connection:
        artefacts.add_missing(connection, [new])
    return new


def in_row(send: NewSend) -> tuple[bytes, bytes, datetime | None]:
    """The bytes that the row of the invoice has, and when it was archived."""
    with db.reading() as connection:
        found = connection.execute(
            sa.select(Invoice.original, Invoice.document, Invoice.archived_at).where(
                Invoice.id == send.invoice_id
            )
        ).one()
    return bytes(found[0]), bytes(found[1]), found[2]
