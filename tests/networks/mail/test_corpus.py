"""Real e-invoices as mails in the shapes of five clients: each is a bill or a named refusal."""

from __future__ import annotations

import os
import tarfile
from base64 import encodebytes
from collections import Counter
from collections.abc import Iterator
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from einvoice_mail import reading
from tests.documents.test_hybrid import factur_x

SHARED = Path(os.environ.get("EINVOICE_SHARED", Path(__file__).resolve().parents[4] / "shared"))
COUNT = 500

pytestmark = pytest.mark.skipif(
    not (SHARED / "corpus").is_dir(), reason="needs the corpora of ../shared"
)


def documents() -> Iterator[tuple[str, bytes]]:
    """Up to COUNT documents, of each corpus in turn; each seventh CII in a PDF."""
    sources = [_of(folder) for folder in sorted(SHARED.glob("corpus*"))]
    count = 0
    while sources and count < COUNT:
        for source in list(sources):
            found = next(source, None)
            if found is None:
                sources.remove(source)
                continue
            name, content = found
            if count % 7 == 0 and b"CrossIndustryInvoice" in content[:2000]:
                name, content = f"{name}.pdf", factur_x(xml=content)
            yield name, content
            count += 1
            if count == COUNT:
                return


def _of(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*.xml")):
        yield path.name, path.read_bytes()
    for path in sorted(folder.glob("*.tar.*z")):
        if "mutants" in path.name:
            continue
        with tarfile.open(path) as archive:
            for member in archive:
                opened = archive.extractfile(member) if member.name.endswith(".xml") else None
                if opened is not None:
                    yield Path(member.name).name, opened.read()


def _kind(name: str) -> tuple[str, str]:
    return ("application", "pdf") if name.endswith(".pdf") else ("text", "xml")


def _mail(**fields: str) -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    for key, value in ({"From": "Ünal <u@seller.example>", "Subject": "Rechnung"} | fields).items():
        message[key] = value
    message.set_content("Anbei die Rechnung – viele Grüße")
    return message


def gmail(name: str, content: bytes) -> bytes:
    message = _mail()
    message.add_alternative("<div>Anbei</div>", subtype="html")
    message.add_attachment(content, *_kind(name), filename=name)
    return message.as_bytes()


def apple(name: str, content: bytes) -> bytes:
    """Inline, between texts, with a name of RFC 2231."""
    message = _mail()
    message.add_attachment(content, *_kind(name), disposition="inline", filename=f"Größe {name}")
    message.add_attachment("Von meinem iPhone gesendet", disposition="inline")
    return message.as_bytes()


def outlook(name: str, content: bytes) -> bytes:
    """The type says nothing, and the name is in it only; each fifth is TNEF."""
    is_tnef = len(content) % 5 == 0
    kind, body = ("application/ms-tnef", b"\x78\x9f\x3e\x22" + content)
    if not is_tnef:
        kind, body = "application/octet-stream", content
    return (
        b"From: =?utf-8?B?w5xuYWw=?= <u@seller.example>\r\nSubject: RE: Rechnung\r\n"
        b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="_000_"\r\n\r\n'
        b"--_000_\r\nContent-Type: text/plain; charset=us-ascii\r\n\r\nAnbei\r\n--_000_\r\n"
        + f'Content-Type: {kind}; name="{"winmail.dat" if is_tnef else name}"\r\n'.encode()
        + b"Content-Transfer-Encoding: base64\r\n\r\n"
        + encodebytes(body)
        + b"\r\n--_000_--\r\n"
    )


def forwarded(name: str, content: bytes) -> bytes:
    """A mail in a mail in a mail."""
    inner = reading.email.message_from_bytes(gmail(name, content), policy=SMTP)
    for _ in range(2):
        outer = _mail(Subject="Fwd: Rechnung")
        outer.add_attachment(inner)
        inner = outer
    return inner.as_bytes()


def odd_charset(name: str, content: bytes) -> bytes:
    """The charset is a lie, and the subject has bytes of none."""
    return (
        b"From: u@seller.example\r\nSubject: \xff\xfe Rechnung \xe4\r\nMIME-Version: 1.0\r\n"
        b'Content-Type: multipart/mixed; boundary="x"\r\n\r\n--x\r\n'
        + f"Content-Type: {'/'.join(_kind(name))}; charset=utf-7".encode()
        + f"; name*=x-unknown''{name}\r\n".encode()
        + b"Content-Transfer-Encoding: base64\r\n\r\n"
        + encodebytes(content)
        + b"\r\n--x--\r\n"
    )


SHAPES = (gmail, apple, outlook, forwarded, odd_charset)


def test_each_document_as_a_mail_is_a_bill_or_a_named_refusal():
    """In five shapes; nothing is lost, and Outlook's own format is named."""
    outcomes: Counter[str] = Counter()
    silent = []
    for number, (name, content) in enumerate(documents()):
        shape = SHAPES[number % len(SHAPES)]
        mail = reading.read(shape(name, content))
        if mail.invoices:
            outcomes["bill"] += 1
            if mail.invoices[0].content.strip() != content.strip():
                silent.append(f"{name} is changed by {shape.__name__}")
        elif mail.refused:
            outcomes[mail.refused[0][1][:40]] += 1
        else:
            silent.append(f"{name} is lost by {shape.__name__}")

    print(dict(outcomes))
    assert silent == []
    assert sum(outcomes.values()) == COUNT
    assert outcomes["bill"] > COUNT * 0.9
