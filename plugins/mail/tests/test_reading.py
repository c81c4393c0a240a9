"""What is found in a mail of strangers, within bounds."""

import io
import time
import zipfile
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from einvoice.network import samples
from einvoice_mail import reading
from tests.tables import each_row

UBL = samples.envelope(number="2026-17").document
PDF = b"%PDF-1.7\n1 0 obj"
HYBRID = b"%PDF-1.7\n/F (factur-x.xml)"


def a_mail(*files, text="see attachment", **headers):
    """A mail with files (name, type, content)."""
    message = EmailMessage(policy=SMTP)
    given = {"From": "Bob <bob@supplier.example>", "Subject": "Invoice"} | headers
    for name, value in given.items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    for name, kind, content in files:
        main, _, sub = kind.partition("/")
        message.add_attachment(content, maintype=main, subtype=sub, filename=name)
    return message.as_bytes()


def zipped(**members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return packed.getvalue()


def with_password(archive):
    """Its members say that they are encrypted."""
    local = archive.replace(b"PK\x03\x04\x14\x00\x00\x00", b"PK\x03\x04\x14\x00\x01\x00")
    return local.replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00"
    )


def forwarded(content):
    message = EmailMessage(policy=SMTP)
    message["Subject"] = "Fwd: Invoice"
    message.set_content("please pay")
    message.add_attachment(
        content, maintype="application", subtype="octet-stream", filename="m.eml"
    )
    return message.as_bytes()


@each_row(
    "content, kinds",
    [
        (a_mail(("i.xml", "text/xml", UBL)), ["invoice"]),
        (a_mail(("i.pdf", "application/pdf", PDF)), ["pdf"]),
        (a_mail(("i.bin", "application/octet-stream", PDF)), ["pdf"]),
        (a_mail(("i.pdf", "application/pdf", PDF), ("i.xml", "text/xml", UBL)), ["invoice"]),
        (a_mail(("i.pdf", "application/pdf", HYBRID), ("a.pdf", "application/pdf", PDF)), ["pdf"]),
        (a_mail(("a.zip", "application/zip", zipped(i_xml=UBL, j_pdf=HYBRID))), ["invoice", "pdf"]),
        (forwarded(a_mail(("i.xml", "text/xml", UBL))), ["invoice"]),
        (forwarded(forwarded(a_mail(("i.xml", "text/xml", UBL)))), ["invoice"]),
        (a_mail(("i.xml", "text/xml", UBL), ("k.xml", "text/xml", UBL)), ["invoice"]),
        (a_mail(("i.xml", "text/xml", "\ufeff".encode() + UBL)), ["invoice"]),
        (UBL, ["invoice"]),
        (b"", []),
        (b"\x00" * 5_000, []),
    ],
)
def test_the_invoices_of_a_mail(content, kinds):
    """Each invoice once; a PDF for reading beside the data is no bill of its own."""
    assert [each.kind for each in reading.read(content).invoices] == kinds


@each_row(
    "file, why",
    [
        (("rechnung.exe", "application/pdf", b"MZ\x90"), "a program"),
        (("rechnung.pdf", "application/pdf", b"MZ\x90"), "a program"),
        (("rechnung.js", "text/plain", b"alert(1)"), "a program"),
        (("a.zip", "application/zip", zipped(i_exe=b"MZ")), "a program"),
        (("a.zip", "application/zip", zipped(b_zip=zipped(i_xml=UBL))), "an archive in an archive"),
        (("a.zip", "application/zip", zipped(i_xml=UBL)[:60]), "cannot be opened"),
        (("winmail.dat", "application/ms-tnef", b"\x78\x9f\x3e\x22"), "TNEF"),
        (("smime.p7m", "application/pkcs7-mime", b"\x30\x82"), "signed in clear"),
        (("encrypted.asc", "application/pgp-encrypted", b"Version: 1"), "encrypted (PGP)"),
        (("a.zip", "application/zip", with_password(zipped(i_xml=UBL))), "a password"),
        (("order.docx", "application/msword", b"\xd0\xcf\x11\xe0"), "no invoice"),
        (("i.xml", "text/xml", b"<Order/>"), "no invoice"),
        (("i.xml", "text/xml", b'<!DOCTYPE a [<!ENTITY b "c">]><Invoice>&b;</Invoice>'), "no inv"),
    ],
)
def test_what_is_refused_has_a_name_and_a_reason(file, why):
    found = reading.read(a_mail(file))

    assert not found.invoices
    assert [why in reason for _, reason in found.refused] == [True]


@pytest.mark.parametrize(("parts", "is_read"), [(50, True), (51, False)])
def test_a_mail_has_fifty_parts_at_most(parts, is_read):
    """The text is one of them."""
    files = [(f"{n}.xml", "text/xml", UBL + b"<!--%d-->" % n) for n in range(parts - 1)]
    found = reading.read(a_mail(*files))

    assert len(found.invoices) == (parts - 1 if is_read else 0)
    assert bool(found.refused) is not is_read


def test_the_parts_of_a_mail_that_is_signed_in_clear_are_read():
    """S/MIME and PGP: the signature is beside them, and no part that is named."""
    for kind in ("application/pkcs7-signature", "application/pgp-signature"):
        inner = a_mail(("i.xml", "text/xml", UBL)).replace(b"\n", b"\r\n").replace(b"\r\r", b"\r")
        signed = (
            f'From: b@s.example\r\nContent-Type: multipart/signed; protocol="{kind}"; '
            'micalg=sha-256; boundary="sig"\r\n\r\n--sig\r\n'
        ).encode()
        end = f"\r\n--sig\r\nContent-Type: {kind}; name=smime.p7s\r\n\r\nMIIB\r\n--sig--\r\n"
        found = reading.read(signed + inner + end.encode())

        assert [each.content for each in found.invoices] == [UBL]
        assert found.refused == ()


@each_row(
    "content, why",
    [
        (
            a_mail(*[(f"{n}.pdf", "application/pdf", PDF + b"%d" % n) for n in range(60)]),
            "50 parts",
        ),
        (
            a_mail(("b.zip", "application/zip", zipped(**{f"f{n}_txt": b"x" for n in range(60)}))),
            "50 files",
        ),
        (b"Subject: x\r\nX-A: " + b"a" * 300_000 + b"\r\n\r\nbody", "header has more"),
        (
            b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + b"--b\r\n\r\nx\r\n" * 100_000,
            "50 parts",
        ),
    ],
)
def test_bombs_are_refused_within_a_second(content, why):
    """Parts, members and headers are counted before anything is opened."""
    begun = time.process_time()
    found = reading.read(content)

    assert why in " ".join(reason for _, reason in found.refused)
    assert time.process_time() - begun < 1


def test_an_archive_that_unpacks_without_end_is_stopped(monkeypatch):
    """However small it states to be."""
    monkeypatch.setattr(reading, "MAX_BYTES", 1_000_000)
    bomb = zipped(i_xml=b"<Invoice>" + b" " * 5_000_000)
    found = reading.read(a_mail(("b.zip", "application/zip", bomb)))

    assert not found.invoices
    assert "more than" in found.refused[-1][1]


def test_mails_in_mails_without_end_are_stopped():
    """By both ways of nesting."""
    content = a_mail(("i.xml", "text/xml", UBL))
    for _ in range(12):
        content = forwarded(content)
    assert "nested" in reading.read(content).refused[-1][1]

    deep = b"x"
    for n in range(500):
        head = b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n)
        deep = head + deep + b"\r\n--b%d--\r\n" % n
    assert reading.read(deep).refused


def test_only_the_own_relay_is_believed():
    """A sender can write any Authentication-Results into a mail."""
    content = a_mail(("i.xml", "text/xml", UBL), Authentication_Results="mx.example.com; dkim=pass")

    assert reading.read(content).authentication == ""
    assert reading.read(content, "other.example").authentication == ""
    assert "dkim=pass" in reading.read(content, "mx.example.com").authentication


@pytest.mark.parametrize("charset", ["utf-7", "x-unknown", "koi8-r", "\x00", "a" * 1000])
def test_odd_charsets_stop_nothing(charset):
    content = a_mail(("i.xml", "text/xml", UBL)).replace(b'charset="utf-8"', charset.encode())
    content = f"X-S: =?{charset}?B?AAAA?=\r\nSubject: =?{charset}?Q?=FF?=\r\n".encode() + content

    assert [each.kind for each in reading.read(content).invoices] == ["invoice"]
