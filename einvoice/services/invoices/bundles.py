"""The documents of a list as a ZIP: for each invoice its original and its PDF, and a list of them.

The ZIP is written to a file, so memory does not grow with it, and it is whole or refused: for more
than MAX_INVOICES or MAX_BYTES, and where the PDFs take longer than MAX_SECONDS. PDFs are stored as
they are made (`pdf`), so the next request goes on where this one ended.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import IO, TypeVar

from einvoice import clock
from einvoice.domain.artefacts import UBL
from einvoice.domain.errors import (
    ArchiveDamaged,
    ComputationTooLarge,
    ComputingUnavailable,
    Conflict,
    DocumentDropped,
    NotCleared,
    NotFound,
)
from einvoice.observability import logging
from einvoice.services.computing.messages import ComputationFailed
from einvoice.services.invoices import listing_csv, lists, pdf
from einvoice.services.invoices.handout_terms import Networks
from einvoice.services.invoices.lists import (
    BillRecord,
    InvoiceFilters,
    InvoiceListItem,
    InvoicePageRequest,
)
from einvoice.services.principal import Reader
from einvoice.services.runtime import Runtime
from einvoice.store.invoices import invoices as stored

log = logging.get(__name__)

T = TypeVar("T")

MAX_INVOICES = 200
MAX_BYTES = 64 * 1024 * 1024
MAX_SECONDS = 45.0
MANIFEST = "invoices.csv"
_COLUMNS = (
    *listing_csv.COLUMNS, "glAccountCode", "processedAt", "original", "originalSha256", "pdf",
    "missing",
)  # fmt: skip
_ENDINGS = {"application/xml": "xml", "text/xml": "xml", "application/json": "json",
            "application/pdf": "pdf"}  # fmt: skip
# Why an invoice has no such file; it is a note in the list, and no reason to refuse the others.
_MISSING = (ArchiveDamaged, ComputationTooLarge, DocumentDropped, NotCleared, NotFound)
_DEFECT = "It could not be made: an error of the service, which is in its log."
_WAY_OUT = (
    "narrow them, by dates for example, or export the whole account (POST /api/tenant/exports)."
)


@dataclass(frozen=True, slots=True)
class _Files:
    """The names of an invoice's files, and why one is missing."""

    original: str | None
    sha256: str | None
    pdf: str | None
    missing: str


def write(
    file: IO[bytes],
    reader: Reader,
    filters: InvoiceFilters,
    part: InvoicePageRequest,
    runtime: Runtime,
) -> None:
    """Write the ZIP of all invoices with the filters, in the order of `part`.

    The caller has a turn of bulk work. Raises Conflict (too many, or too large), InvalidField,
    ComputingUnavailable, ArchiveUnavailable and AccessPointUnavailable.
    """
    whole = replace(part, limit=MAX_INVOICES + 1, after=None)
    items = lists.every(reader, filters, whole, MAX_INVOICES, _WAY_OUT)
    bills = lists.bills(items)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        bundle = _Bundle(archive, reader, runtime)
        for item in items:
            bundle.add(item, bills.get(item.id))
        archive.writestr(MANIFEST, bundle.manifest)


class _Bundle:
    """The files of invoices in an archive, and the list of them."""

    def __init__(self, archive: zipfile.ZipFile, reader: Reader, runtime: Runtime) -> None:
        self._archive, self._who, self._runtime = archive, reader, runtime
        self._networks = Networks.of(runtime)
        self._lines = [listing_csv.line(_COLUMNS)]
        self._size = 0
        self._ends_at = clock.monotonic() + MAX_SECONDS

    def add(self, item: InvoiceListItem, bill: BillRecord | None) -> None:
        """Add the files of an invoice and its line."""
        if clock.monotonic() > self._ends_at:
            raise ComputingUnavailable(
                f"The PDFs took longer than {MAX_SECONDS:.0f} seconds. Those that are made are "
                "kept: repeat the request, which goes on with the others."
            )
        files = self._files(item, f"{len(self._lines):03d}-{_safe(item.number)}")
        booked = (bill.gl_account_code, bill.processed_at) if bill else (None, None)
        row = [*listing_csv.values(item), *booked]
        row += [files.original, files.sha256, files.pdf, files.missing]
        self._lines.append(listing_csv.line(row))

    @property
    def manifest(self) -> str:
        """The list of the files, as CSV."""
        return "".join(self._lines)

    def _files(self, item: InvoiceListItem, folder: str) -> _Files:
        missing: list[str] = []
        original = _tried(lambda: self._original(item), missing)
        printed = _tried(lambda: self._printed(item), missing)
        name = digest = None
        if original is not None:
            content, ending = original
            name, digest = f"{folder}/original.{ending}", hashlib.sha256(content).hexdigest()
            self._write(name, content)
        if printed is not None:
            self._write(f"{folder}/invoice.pdf", printed)
        return _Files(name, digest, f"{folder}/invoice.pdf" if printed else None, " ".join(missing))

    def _original(self, item: InvoiceListItem) -> tuple[bytes, str]:
        found = stored.documents(item.id, self._who.tenant_id, item.environment)
        if found is None:
            raise NotFound("The invoice is not there any more.")
        return found.original, _ENDINGS.get(found.original_type, "bin")

    def _printed(self, item: InvoiceListItem) -> bytes:
        computing = self._runtime.computing
        return pdf.pdf_of(self._who.tenant_id, item.environment, item.id, computing, self._networks)

    def _write(self, name: str, content: bytes) -> None:
        self._size += len(content)
        if self._size > MAX_BYTES:
            raise Conflict(f"The documents have more than {MAX_BYTES // 1024**2} MiB: {_WAY_OUT}")
        self._archive.writestr(name, content)


def _safe(number: str | None) -> str:
    """The number as a part of a file's name."""
    return UBL.file_name_of(number).removesuffix(".xml")


def _tried(read: Callable[[], T], missing: list[str]) -> T | None:
    """The result; None with the reason among those that are missing."""
    try:
        return read()
    except _MISSING as refusal:
        missing.append(refusal.detail)
        return None
    except ComputationFailed:
        log.exception("a document for a ZIP was not made")
        missing.append(_DEFECT)
        return None
