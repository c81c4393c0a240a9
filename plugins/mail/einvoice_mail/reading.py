"""The invoices in a received mail: XML, PDFs, ZIP archives of these, and mails in mails.

Everything in a mail is written by strangers. The number of parts, their nesting and the bytes of
archives are bounded before anything is opened; nothing is run, and no text is recognised in
pictures. A part that is no invoice has a reason, in words for the tenant.
"""

from __future__ import annotations

import email
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.errors import MessageError
from email.message import EmailMessage, Message
from email.policy import SMTP
from pathlib import PurePosixPath
from typing import Any, Final

from lxml import etree

from einvoice import xml
from einvoice.mail import one_line, readable
from einvoice.mail.programs import is_program
from einvoice_mail.notices import is_automatic

MAX_BYTES: Final = 100 * 1024 * 1024
MAX_PARTS: Final = 50
MAX_DEPTH: Final = 8
MAX_HEADER_BYTES: Final = 256 * 1024
MAX_MEMBERS: Final = 50  # of an archive
_MAX_ENTRIES: Final = 1_000  # of the directory of an archive, with its folders
_MAX_SEPARATORS: Final = 2_000  # lines that may separate parts
_TNEF_TYPES: Final = ("application/ms-tnef", "application/vnd.ms-tnef")
_TNEF: Final = (
    "it is in the format of Outlook (TNEF), which is not read: ask the sender for a mail in HTML "
    "or plain text"
)
# Contents that are closed, and what to ask the sender for.
_SMIME: Final = (
    "it is encrypted, or signed in a closed form (S/MIME): ask the sender for a mail that is "
    "signed in clear, or not at all"
)
_CLOSED: Final = {
    "application/pkcs7-mime": _SMIME,
    "application/x-pkcs7-mime": _SMIME,
    "application/pgp-encrypted": "the mail is encrypted (PGP): ask the sender for one that is not",
}
_LOCKED: Final = "it has a password: ask the sender for a file without one"
# What mails have beside files: their texts, pictures of signatures, cards and signatures.
_SILENT: Final = (
    "text/plain", "text/html", "text/calendar", "text/vcard", "text/x-amp-html",
    "application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature",
    "message/delivery-status", "text/rfc822-headers",
)  # fmt: skip
_ROOTS: Final = {"Invoice": "invoice", "CreditNote": "credit-note", "CrossIndustryInvoice": "cii"}
_XML_IN_PDF: Final = re.compile(rb"(?i)(factur-x|zugferd-invoice|xrechnung|order-x)\.xml")


@dataclass(frozen=True, slots=True)
class FoundInvoice:
    """A document of a mail. `kind`: invoice, credit-note, cii or pdf; `root`: of XML."""

    name: str
    kind: str
    content: bytes = field(repr=False)
    root: etree._Element | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ReadMail:
    """A mail, and what was found in it. `refused`: (name of a part, why it is no bill).

    is_automatic  it is a notice, or a program has written it: nobody gets a notice
    """

    sender: str
    subject: str
    message_id: str
    authentication: str
    is_automatic: bool = False
    invoices: tuple[FoundInvoice, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


class _TooMuch(Exception):
    """The mail, or an archive, has more than is opened; the message says what."""


def read(content: bytes, relay: str = "") -> ReadMail:
    """Read a mail; raises nothing for any bytes.

    relay  the name by which the own relay signs Authentication-Results; others are not believed
    """
    head = _head(content)
    values: dict[str, Any] = {
        "is_automatic": _is_automatic(head),
        "sender": readable.value(head, "From"),
        "subject": readable.value(head, "Subject"),
        "message_id": readable.value(head, "Message-ID"),
        "authentication": _authentication(head, relay),
    }
    refused: list[tuple[str, str]] = []
    try:
        found = list(_invoices(_message(content), refused, _Count(), 0))
    except _TooMuch as fault:
        found = []
        refused.append(("", str(fault)))
    except (
        MessageError,
        RecursionError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ) as fault:
        found = []
        refused.append(("", f"the mail cannot be read ({type(fault).__name__})"))
    invoices = tuple(_without_copies(found, refused))
    return ReadMail(**values, invoices=invoices, refused=tuple(refused))


def _is_automatic(head: Message) -> bool:
    """Whether a server or a program has sent it, by the envelope sender and its fields."""
    path = head.get("Return-Path")
    return (path is not None and str(path).strip() == "<>") or is_automatic(head)


def _without_copies(
    found: list[FoundInvoice], refused: list[tuple[str, str]]
) -> Iterator[FoundInvoice]:
    """Without the PDFs for reading beside an e-invoice, which are named, and without the same bytes
    twice."""
    has_data = any(each.kind != "pdf" or _XML_IN_PDF.search(each.content) for each in found)
    seen: set[bytes] = set()
    for each in found:
        is_copy = each.kind == "pdf" and not _XML_IN_PDF.search(each.content)
        if each.content in seen:
            continue
        seen.add(each.content)
        if has_data and is_copy:
            refused.append((each.name, "it has no invoice inside, and an e-invoice is beside it"))
        else:
            yield each


@dataclass(slots=True)
class _Count:
    """Parts and bytes that were opened, over all mails in a mail."""

    parts: int = 0
    size: int = 0

    def add(self, size: int) -> None:
        self.parts += 1
        self.size += size
        if self.parts > MAX_PARTS:
            raise _TooMuch(f"it has more than {MAX_PARTS} parts")
        if self.size > MAX_BYTES:
            raise _TooMuch(f"it has more than {MAX_BYTES // 2**20} MB")


def _message(content: bytes) -> EmailMessage:
    if len(content) > MAX_BYTES:
        raise _TooMuch(f"it has more than {MAX_BYTES // 2**20} MB")
    if content.count(b"\n--") > _MAX_SEPARATORS:
        raise _TooMuch(f"it has more than {MAX_PARTS} parts")
    if len(content.partition(b"\n\r\n")[0].partition(b"\n\n")[0]) > MAX_HEADER_BYTES:
        raise _TooMuch(f"its header has more than {MAX_HEADER_BYTES // 1024} KB")
    made = email.message_from_bytes(content, policy=SMTP)
    assert isinstance(made, EmailMessage)  # noqa: S101 - the policy makes one
    return made


def _invoices(
    message: Message, refused: list[tuple[str, str]], count: _Count, depth: int
) -> Iterator[FoundInvoice]:
    """The invoices of a mail, those of mails in it after its own."""
    if depth > MAX_DEPTH:
        raise _TooMuch(f"mails are nested more than {MAX_DEPTH} deep")
    for part in _leaves(message, depth):
        content = _content(part)
        count.add(len(content))
        name = readable.file_name(part)
        yield from _in_part(name, part.get_content_type(), content, refused, count, depth)


def _leaves(message: Message, depth: int) -> Iterator[Message]:
    """The parts without parts, not deeper than is read."""
    if not message.is_multipart():
        yield message
        return
    if depth > MAX_DEPTH:
        raise _TooMuch(f"parts are nested more than {MAX_DEPTH} deep")
    for part in message.get_payload():
        if isinstance(part, Message):
            yield from _leaves(part, depth + 1)


def _content(part: Message) -> bytes:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError):
        return b""
    return payload if isinstance(payload, bytes) else b""


def _in_part(
    name: str,
    kind: str,
    content: bytes,
    refused: list[tuple[str, str]],
    count: _Count,
    depth: int,
) -> Iterator[FoundInvoice]:
    ending = PurePosixPath(name).suffix.lower()
    if is_program(name, content):
        refused.append((name, "it is a program: nobody should open it"))
    elif kind in _CLOSED:
        refused.append((name, _CLOSED[kind]))
    elif kind in _TNEF_TYPES or name.lower() == "winmail.dat" or content[:4] == b"\x78\x9f\x3e\x22":
        refused.append((name, _TNEF))
    elif content.lstrip()[:5] == b"%PDF-":
        yield FoundInvoice(name, "pdf", content)
    elif content[:4] == b"PK\x03\x04":
        yield from _in_archive(name, content, refused, count, depth)
    elif ending == ".eml":
        yield from _invoices(_message(content), refused, count, depth + 1)
    elif (root := _root(content)) is not None:
        yield FoundInvoice(name, _ROOTS[etree.QName(root).localname], content, root)
    elif kind not in _SILENT and not kind.startswith("image/") and content.strip():
        refused.append((name, "it is no invoice in XML and no PDF"))


def _in_archive(
    name: str, content: bytes, refused: list[tuple[str, str]], count: _Count, depth: int
) -> Iterator[FoundInvoice]:
    """The invoices of an archive; archives in it are not opened."""
    # The library makes an object of each entry of the directory before it says how many there are.
    if content.count(b"PK\x01\x02") > _MAX_ENTRIES:
        raise _TooMuch(f"the archive {name} has more than {MAX_MEMBERS} files")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
            if len(members) > MAX_MEMBERS:
                raise _TooMuch(f"the archive {name} has more than {MAX_MEMBERS} files")
            for member in members:
                inner = _unpacked(archive, member, count)
                inner_name = one_line(PurePosixPath(member.filename).name, 120)
                if inner[:4] == b"PK\x03\x04":
                    refused.append((inner_name, "it is an archive in an archive"))
                    continue
                yield from _in_part(
                    inner_name, "application/octet-stream", inner, refused, count, depth
                )
    except RuntimeError:
        refused.append((name, _LOCKED))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, OSError, EOFError) as fault:
        refused.append((name, f"the archive cannot be opened ({type(fault).__name__})"))


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo, count: _Count) -> bytes:
    """The bytes of a member, however many its head states."""
    with archive.open(member) as opened:
        content = opened.read(MAX_BYTES - count.size + 1)
    count.add(len(content))
    return content


def _root(content: bytes) -> etree._Element | None:
    """The root of an invoice in XML; None for everything else."""
    start = content[:200].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\x00")
    if not start.startswith(b"<"):
        return None
    try:
        root = xml.parse(content, max_bytes=MAX_BYTES)
    except xml.NotXml:
        return None
    return root if etree.QName(root).localname in _ROOTS else None


# -- the head --------------------------------------------------------------------------------------


def _head(content: bytes) -> Message:
    """The header fields, as far as they are read."""
    start = content[:MAX_HEADER_BYTES]
    return email.message_from_bytes(re.split(rb"\r?\n\r?\n", start, maxsplit=1)[0])


def _authentication(head: Message, relay: str) -> str:
    """The statement of the own relay about the sender; fields of others are not believed."""
    for given in head.get_all("Authentication-Results", []) if relay else ():
        words = one_line(str(given), 400)
        if words.partition(";")[0].strip().lower() == relay.lower():
            return words
    return ""
