"""The file that the authority keeps of an upload: a ZIP with a document and its seal.

After clearance the document is the invoice as it was uploaded, after a rejection the file of its
errors.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from cryptography import x509
from lxml import etree

from einvoice import xml
from einvoice_anaf import signature
from einvoice_anaf.answers import shown
from einvoice_anaf.client import MAX_BYTES
from einvoice_anaf.signature import NotSealed

_NAME: Final = re.compile(r"(semnatura_)?(\d{1,20})\.xml", re.ASCII)
_RULE: Final = re.compile(r"\[([A-Z][A-Z0-9-]{1,38}[A-Z0-9_]*)\]|\b(R_[A-Z0-9_]{1,38})\b")
_DUPLICATE: Final = re.compile(
    r"a mai fost transmisa anterior cu index\s*=\s*(\d{1,20})", re.IGNORECASE
)
_MAX_ERRORS: Final = 200


class NotAFile(ValueError):
    """A ZIP of another form. The message says what is wrong."""


@dataclass(frozen=True, slots=True)
class SealedFile:
    """A document, its seal, and the archive with both."""

    archive: bytes = field(repr=False)
    document: bytes = field(repr=False)
    seal: bytes = field(repr=False)

    def verify(self, signers: Sequence[x509.Certificate]) -> None:
        """Check the seal. Raises NotSealed."""
        signature.verify(self.document, self.seal, signers)

    @property
    def errors(self) -> tuple[RuleError, ...]:
        """The errors, if the document is a file of errors."""
        return tuple(errors_in(self.document))


@dataclass(frozen=True, slots=True)
class RuleError:
    """An error of the authority; `rule` is the id of a rule that its text names, or empty."""

    rule: str
    text: str

    @property
    def earlier_index(self) -> str | None:
        """The upload index of the earlier upload of the same invoice, if the error names one."""
        found = _DUPLICATE.search(self.text)
        return found[1] if found else None


def opened(archive: bytes) -> SealedFile:
    """The parts of an archive, which has exactly two entries of bounded size. Raises NotAFile."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as file:
            parts = {name: _read(file, entry) for name, entry in _entries(file)}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as fault:
        raise NotAFile(f"it is no ZIP that can be read: {fault}") from fault
    return SealedFile(archive, parts["document"], parts["seal"])


def _entries(file: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo]]:
    """The entries as document and seal. Raises NotAFile."""
    entries = file.infolist()
    if len(entries) != 2:
        raise NotAFile(f"it has {len(entries)} entries in place of a document and its seal")
    matches = [(_NAME.fullmatch(each.filename), each) for each in entries]
    names = {("seal" if match[1] else "document"): each for match, each in matches if match}
    if set(names) != {"seal", "document"} or len({m[2] for m, _ in matches if m}) != 1:
        raise NotAFile("its entries are not a document and its seal")
    yield from names.items()


def _read(file: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The content of an entry, whatever its header says of its size."""
    with file.open(entry) as content:
        read = content.read(MAX_BYTES + 1)
    if len(read) > MAX_BYTES:
        raise NotAFile(f"an entry has more than {MAX_BYTES:,} bytes")
    return read


def errors_in(document: bytes) -> Iterator[RuleError]:
    """The errors of a file of errors, at most 200; none of another document."""
    try:
        root = xml.parse(document)
    except xml.NotXml:
        return
    if etree.QName(root).localname != "header":
        return
    for each in list(root.iterchildren("{*}Error"))[:_MAX_ERRORS]:
        yield error_of(shown(each.get("errorMessage") or ""))


def error_of(text: str) -> RuleError:
    """The error of a text, with the rule that it names."""
    rule = _RULE.search(text)
    return RuleError((rule[1] or rule[2]) if rule else "", text)


__all__ = ["NotAFile", "NotSealed", "RuleError", "SealedFile", "error_of", "errors_in", "opened"]
