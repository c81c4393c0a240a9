"""Opening PDFs for `einvoice validate`, in a computing process with bounds of its own."""

from __future__ import annotations

from typing import Final

from einvoice.documents.hybrid import OpenedPdf
from einvoice.documents.hybrid.opening import opened
from einvoice.domain.errors import ComputationTooLarge, ComputingUnavailable
from einvoice.services.computing.process import ComputingProcess, Expired, ProcessLimits

_LIMITS: Final = ProcessLimits(
    memory_bytes=1024**3, cpu_seconds=10.0, seconds=30.0, log_level="ERROR"
)


class PdfOpener:
    """Opens PDFs one after the other. The process is started with the first."""

    def __init__(self) -> None:
        self._process: ComputingProcess | None = None

    def open(self, pdf: bytes) -> OpenedPdf:
        """The invoice in a PDF. One that takes too much time or memory is a `problem`."""
        try:
            return self._opened(pdf)
        except (ComputationTooLarge, ComputingUnavailable, Expired):
            self.close()
            return OpenedPdf(problem="pdf-too-large")

    def _opened(self, pdf: bytes) -> OpenedPdf:
        if self._process is None:
            self._process = ComputingProcess(_LIMITS)
        found: OpenedPdf = self._process.call(opened, (pdf,))
        return found

    def close(self) -> None:
        """End the process, if there is one; the next PDF starts another."""
        if self._process is not None:
            self._process.close()
            self._process = None
