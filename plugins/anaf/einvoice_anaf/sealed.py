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
_MAX_ENTRIES, _MAX_FAULT = 20, 100
_MAX_ALL: Final = 3 * MAX_BYTES  # of the entries together
_BEFORE_XML: Final = b"\xef\xbb\xbf \t\r\n"
_UTF_16: Final = (b"\xff\xfe<\x00", b"\xfe\xff\x00<")


class NotAFile(ValueError):
    """A ZIP of another form. The message says what is wrong."""


_UNREADABLE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)


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
    """The document and the seal of an archive, wherever they are in it. Raises NotAFile.

    Usually there are `N.xml` and `semnatura_N.xml`. Further entries, as a PDF, and other names are
    taken as well: the seal is the XML signature, the document the entry whose digest it has, else
    the first other XML. Without a seal the document is one that cannot be verified.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as file:
            faults: list[str] = []
            parts = list(_parts(file, faults))
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as fault:
        raise NotAFile(f"it is no ZIP that can be read: {fault}") from fault
    seals = [content for _, content in parts if signature.is_signature(content)]
    documents = [part for part in parts if part[1] not in seals and _may_be_document(*part)]
    if not documents:
        raise NotAFile("; ".join(["it has no document", *faults]))
    pairs = ((content, seal) for _, content in documents for seal in seals)
    sealed_pair = next((pair for pair in pairs if signature.is_of(*pair)), None)
    document, seal = sealed_pair or (documents[0][1], next(iter(seals), b""))
    return SealedFile(archive, document, seal)


def _parts(file: zipfile.ZipFile, faults: list[str]) -> Iterator[tuple[str, bytes]]:
    """The names and contents of entries of bounded size, those of the usual names first.

    One that cannot be read, or is too large, is left out, and added to `faults`.
    """
    entries = sorted(file.infolist(), key=lambda each: _base(each) is None)
    left = _MAX_ALL
    for entry in entries[:_MAX_ENTRIES]:
        try:
            content = _read(file, entry, min(MAX_BYTES, left))
        except _UNREADABLE as fault:
            faults.append(shown(str(fault))[:_MAX_FAULT])
            continue
        left -= len(content)
        yield entry.filename, content


def _base(entry: zipfile.ZipInfo) -> re.Match[str] | None:
    return _NAME.fullmatch(entry.filename.rpartition("/")[2])


def _may_be_document(name: str, content: bytes) -> bool:
    """Whether it is a document by its name, or by how it begins."""
    if _NAME.fullmatch(name.rpartition("/")[2]):
        return True
    return content.lstrip(_BEFORE_XML)[:1] == b"<" or content.startswith(_UTF_16)


def _read(file: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """The content of an entry, whatever its header says of its size."""
    with file.open(entry) as content:
        read = content.read(most + 1)
    if len(read) > most:
        raise NotAFile(f"an entry has more than {most:,} bytes")
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
