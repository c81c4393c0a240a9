"""Opening PDFs for `einvoice validate`, in a computing process with bounds of its own.

What opens them is imported with the first: most files are XML.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from einvoice.documents.hybrid import OpenedPdf

if TYPE_CHECKING:
    from einvoice.services.computing.process import ComputingProcess


class PdfOpener:
    """Opens PDFs one after the other. The process is started with the first."""

    def __init__(self) -> None:
        self._process: ComputingProcess | None = None

    def open(self, pdf: bytes) -> OpenedPdf:
        """The invoice in a PDF. One that takes too much time or memory is a `problem`."""
        from einvoice.domain.errors import ComputationTooLarge, ComputingUnavailable
        from einvoice.services.computing.process import Expired

        try:
            return self._opened(pdf)
        except (ComputationTooLarge, ComputingUnavailable, Expired):
            self.close()
            return OpenedPdf(problem="pdf-too-large")

    def _opened(self, pdf: bytes) -> OpenedPdf:
        from einvoice.documents.hybrid.opening import opened
        from einvoice.services.computing.process import ComputingProcess, ProcessLimits

        if self._process is None:
            limits = ProcessLimits(1024**3, cpu_seconds=10.0, seconds=30.0, log_level="ERROR")
            self._process = ComputingProcess(limits)
        found: OpenedPdf = self._process.call(opened, (pdf,))
        return found

    def close(self) -> None:
        """End the process, if there is one; the next PDF starts another."""
        if self._process is not None:
            self._process.close()
            self._process = None
