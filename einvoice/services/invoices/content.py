"""The content of an invoice as data: the JSON of a send, also of a received document.

It is read from the original where that is UBL or CII, else from the UBL that was made of it (a PDF,
an FA(3)). What no member says is listed with its place and value; attached files are artefacts.
"""

from __future__ import annotations

import hashlib
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lxml import etree

from einvoice.documents import attached, conversion, restating
from einvoice.documents.attached import AttachedFile
from einvoice.documents.leaves import Place
from einvoice.domain.artefacts import ATTACHMENT
from einvoice.domain.codes import ATTACHMENT_TYPES
from einvoice.domain.errors import Conflict, NotFound, RequestRefused, UnreadableDocument
from einvoice.domain.invoice import Invoice, TaxSubtotal
from einvoice.domain.restate import invoice_request, routing_members
from einvoice.network.access_points import PEPPOL
from einvoice.services.computing.sizes import is_large
from einvoice.services.forms import NetworkForms
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import ArtefactContent, ArtefactSummary, InvoiceRecord
from einvoice.services.principal import Reader
from einvoice.services.runtime import Runtime
from einvoice.store.archive.archived import Part
from einvoice.store.invoices import invoices as stored
from einvoice.xml import MAX_RECEIVED_BYTES, NotXml, as_utf8, parse

TIMES = 6  # the document is read, restated, derived, written and compared
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class AttachedHead:
    """An attached file without its bytes. `name` and `media_type` are as the document states."""

    name: str
    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ReadContent:
    """The content of a document.

    syntax   of the document that was read: ubl or cii
    invoice  `invoice` of the body of a send, without the bytes of attached files
    routing  its `routing`, as far as the parties have ids
    options  its `options`
    taxes    the VAT breakdown as the document states it (BG-23)
    lost     places of the document that no member says
    files    the attached files, in their order
    """

    syntax: str
    invoice: Mapping[str, Any]
    routing: Mapping[str, Any]
    options: Mapping[str, Any]
    taxes: tuple[TaxSubtotal, ...]
    lost: tuple[Place, ...]
    files: tuple[AttachedHead, ...]


@dataclass(frozen=True, slots=True)
class InvoiceContent:
    """The content of an invoice, and its attached files as artefacts."""

    record: InvoiceRecord
    read: ReadContent
    attachments: tuple[ArtefactSummary, ...]


def get(invoice_id: str, reader: Reader, runtime: Runtime) -> InvoiceContent:
    """The content of an invoice of the reader.

    Raises NotFound; Conflict for a document that holds no invoice; DocumentDropped,
    ArchiveUnavailable and ArchiveDamaged; ComputingUnavailable and ComputationTooLarge.
    """
    record = detail.record_of(invoice_id, reader)
    sources, forms = _sources(record), _forms(record, runtime)
    large = any(is_large(source, TIMES) for source in sources)
    read = runtime.computing.run(record.tenant_id, content_of, sources, forms, large=large)
    if isinstance(read, str):
        raise Conflict(f"The document cannot be read as an invoice: {read}. Download it instead.")
    return InvoiceContent(record, read, tuple(_summaries(record, read.files)))


def content_of(sources: Sequence[bytes], forms: NetworkForms) -> ReadContent | str:
    """The content of the first document that holds an invoice; if none does, why not.

    Computes from plain values, in a computing process where it takes long.
    """
    reason = "it is neither UBL nor CII"
    for source in sources:
        parsed = _parsed(source)
        if isinstance(parsed, str):
            reason = parsed
            continue
        root, form, invoice = parsed
        body, lost = _restated(root, invoice, form, forms)
        members = dict(body["invoice"])
        if "attachments" in members:
            members["attachments"] = [_without_bytes(each) for each in members["attachments"]]
        heads = tuple(map(_head, attached.files_in(source)))
        options = body.get("options", {})
        return ReadContent(form, members, body["routing"], options, invoice.taxes, lost, heads)
    return reason


def _parsed(source: bytes) -> tuple[etree._Element, str, Invoice] | str:
    """The tree, its syntax and the invoice; or why there is none."""
    try:
        root = parse(as_utf8(source), max_bytes=MAX_RECEIVED_BYTES)
        form = conversion.form_of(root)
        return root, form, conversion.readable(root, form)
    except NotXml as fault:
        return fault.reason
    except UnreadableDocument as refusal:
        return refusal.detail


def _restated(
    root: etree._Element, invoice: Invoice, form: str, forms: NetworkForms
) -> tuple[Mapping[str, Any], tuple[Place, ...]]:
    """The body of a send, and what it does not say. What a send refuses is stated all the same."""
    try:
        found = restating.restated(root, invoice, form, forms.profile_of(invoice))
    except RequestRefused:
        body = {"invoice": invoice_request(invoice), "routing": routing_members(invoice)}
        return restating.as_json(body), conversion.converted(root, invoice, form, form).lost
    return found.body, found.lost


def _without_bytes(attachment: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attachment.items() if name != "content"}


def _head(file: AttachedFile) -> AttachedHead:
    digest = hashlib.sha256(file.content).hexdigest()
    return AttachedHead(file.name, file.media_type, len(file.content), digest)


def _sources(record: InvoiceRecord) -> list[bytes]:
    """The documents that may hold the content: the original, if it is XML, and the UBL."""
    found = stored.documents(record.id, record.tenant_id, record.environment)
    if found is None:
        raise NotFound(f"There is no invoice {record.id[:40]!r}.")
    parts = (Part.ORIGINAL,) if "xml" in found.original_type else ()
    return [found.parts[part].read() for part in (*parts, Part.DOCUMENT) if part in found.parts]


def _forms(record: InvoiceRecord, runtime: Runtime) -> NetworkForms:
    points = runtime.access_points
    known = record.access_point in points
    return runtime.forms.of(points[record.access_point].network if known else PEPPOL)


# -- attached files as artefacts -------------------------------------------------------------------


def attachments_of(invoice_id: str, reader: Reader) -> list[ArtefactSummary]:
    """The files inside an invoice as artefacts. Raises NotFound, and as `get` of the archive."""
    record = detail.record_of(invoice_id, reader)
    return list(_summaries(record, [_head(file) for file in _files(record)]))


def download(invoice_id: str, artefact_id: str, reader: Reader, language: str) -> ArtefactContent:
    """The content of an artefact, as `detail.download` finds it, or of an attached file."""
    try:
        return detail.download(invoice_id, artefact_id, reader, language)
    except NotFound:
        record = detail.record_of(invoice_id, reader)
        for number, file in enumerate(_files(record)):
            if artefact_id == _id_of(record, number):
                head = _head(file)
                name = _name(record, number, head)
                return ArtefactContent(file.content, _content_type(head), name)
        raise


def _files(record: InvoiceRecord) -> list[AttachedFile]:
    readable = (each for each in _sources(record) if not isinstance(_parsed(each), str))
    return attached.files_in(next(readable, b""))


def _summaries(record: InvoiceRecord, files: Iterable[AttachedHead]) -> Iterator[ArtefactSummary]:
    for number, file in enumerate(files):
        yield ArtefactSummary(
            id=_id_of(record, number),
            kind=ATTACHMENT.code,
            name=_name(record, number, file),
            content_type=_content_type(file),
            size=file.size,
            sha256=file.sha256,
            created_at=record.created_at,
        )


def _id_of(record: InvoiceRecord, number: int) -> str:
    return str(uuid.uuid5(uuid.UUID(record.id), f"{ATTACHMENT.code}/{number}"))


def _name(record: InvoiceRecord, number: int, file: AttachedHead) -> str:
    """The file's own name, made safe on any system; without one it is numbered."""
    own = _NOT_IN_NAMES.sub("-", file.name)[-100:].strip("-.")
    return own or f"{ATTACHMENT.file_name_of(record.number)}-{number + 1}"


def _content_type(file: AttachedHead) -> str:
    """The media type of the document, if it is one that EN 16931 allows: no active content."""
    stated = file.media_type.lower()
    return stated if stated in ATTACHMENT_TYPES else ATTACHMENT.content_type
