"""The page of a report: the list of its files, then each file. It is made in temporary files."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final

from markupsafe import Markup

from einvoice import clock
from einvoice.release import RELEASE
from einvoice.validation.levels import Levels
from einvoice.validation.report_page.entries import FileEntry
from einvoice.validation.report_page.texts import rendered, style, words_in
from einvoice.validation.texts import DEFAULT_LANGUAGE

MAX_INVOICE_BYTES: Final = 64 * 1024 * 1024  # of all invoices on a page; verdicts have no bound
_IN_MEMORY: Final = 4 * 1024 * 1024
_COPIED: Final = 256 * 1024
_LIGHTS: Final = ("green", "amber", "red", "unreadable", "other")


def policy() -> str:
    """The Content-Security-Policy of the page: its own style, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


class ReportPage:
    """A page to which files are added one by one, and which is then written once.

    language           of the page; findings have theirs
    levels             those that were used in place of the rules' own
    max_invoice_bytes  the invoices of further files are left out
    """

    def __init__(
        self,
        language: str = DEFAULT_LANGUAGE,
        levels: Levels | None = None,
        *,
        max_invoice_bytes: int = MAX_INVOICE_BYTES,
    ) -> None:
        self._language, self._say, self._levels = language, words_in(language), levels
        self._room = max_invoice_bytes
        self._rows, self._files = _spooled(), _spooled()
        self._counts = Counter[str]()
        self._name = ""

    def add(self, file: FileEntry) -> None:
        """Add a file below those before it."""
        self._counts[file.light] += 1
        number = self._counts.total()
        self._name = file.name if number == 1 else ""
        given = {"file": file, "number": number, "say": self._say}
        self._rows.write(_bytes(rendered("row.html", **given)))
        heading = rendered("heading.html", **given)
        invoice = _bytes(file.invoice)
        self._room -= len(invoice)
        if invoice and self._room < 0:
            invoice = _bytes(f"<p>{self._say['left']}</p>\n")
        self._files.write(_bytes(heading + file.verdict) + invoice + b"</article>\n")

    def write(self, target: BinaryIO) -> None:
        """Write the page, and close it."""
        count = self._counts.total()
        top = rendered(
            "top.html",
            count=count,
            counts={light: self._counts[light] for light in _LIGHTS if self._counts[light]},
            language=self._language,
            levels=self._levels,
            moment=f"{clock.now():%Y-%m-%d %H:%M} UTC",
            name=self._name,
            policy=policy(),
            say=self._say,
            style=Markup(style()),  # noqa: S704 - our own file
            version=RELEASE,
        )
        with self._rows, self._files:
            target.write(_bytes(top))
            if count != 1:
                _copy(self._rows, target)
                target.write(b"</tbody></table>\n</section>\n")
            _copy(self._files, target)
        target.write(b"</main>\n</body>\n</html>\n")

    def close(self) -> None:
        """Delete what was made, if the page is not written."""
        self._rows.close()
        self._files.close()

    def bytes(self) -> bytes:
        """The page of few files."""
        written = BytesIO()
        self.write(written)
        return written.getvalue()


def _spooled() -> SpooledTemporaryFile[bytes]:
    return SpooledTemporaryFile(_IN_MEMORY)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _copy(source: SpooledTemporaryFile[bytes], target: BinaryIO) -> None:
    source.seek(0)
    while part := source.read(_COPIED):
        target.write(part)
