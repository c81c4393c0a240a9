"""A document that has passed all checks and may be accepted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from einvoice.domain.identifiers import DocumentTypeId, ProcessId
from einvoice.domain.invoice import Routing
from einvoice.domain.invoice_head import InvoiceHead
from einvoice.network.connections import Connection
from einvoice.validation import Report

Warnings = tuple[Mapping[str, object], ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """How a document was submitted that was XML already: syntax, network, ms of validation."""

    form: str
    network: str
    took_ms: int


@dataclass(frozen=True, slots=True)
class AcceptableDocument:
    """The document to send, its receiver's route, and everything that was found out about it.

    profile           the name of the profile that it follows
    document          UBL, or as it was submitted
    network_document  what is submitted instead, to a network that takes another form
    embed_pdf         EmbeddedPdf.DUE if the worker is to put a PDF into the document
    origin            None for a document made from JSON
    metadata          the sender's own names and texts, never sent
    connection        the tenant's account by which it is sent, where the network needs one
    """

    head: InvoiceHead
    routing: Routing
    access_point: str
    registration_id: str | None
    document_type: DocumentTypeId
    process: ProcessId
    profile: str
    report: Report
    warnings: Warnings
    document: bytes
    original: bytes
    original_type: str = "application/json"
    network_document: bytes | None = None
    embed_pdf: str | None = None
    origin: Origin | None = None
    metadata: Mapping[str, str | None] | None = None
    connection: Connection | None = None
