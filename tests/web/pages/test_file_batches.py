"""The page that sends files: a batch with a result for each, and nothing sent twice."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest

from einvoice.documents.reading import invoice_in
from einvoice.domain.errors import Overloaded
from einvoice.domain.invoice import Invoice
from einvoice.domain.roles import Role
from einvoice.services.send import batch, files
from einvoice.store.tables import Transmission
from einvoice.web.dashboard import uploads
from tests.web.pages.visitor import Visitor
from tests.web.submission.documents import cii, two_lines

PAGE = "/dashboard/send?environment=test"


@pytest.fixture
def visitor(caller) -> Visitor:
    return Visitor(caller.app, caller.tenant)


def send(visitor, *files: tuple[str, bytes]):
    given = [(io.BytesIO(content), name) for name, content in files]
    done = visitor.post(PAGE, {"files": given})
    return visitor.followed(done) if done.status_code == 303 else done


def zipped(*files: tuple[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return written.getvalue()


def batch_of(page: str) -> str:
    """The address of the batch that the page shows."""
    (found,) = set(re.findall(r'href="(/dashboard/send/[0-9a-f-]{36}\?environment=test)"', page))
    return found


def test_files_that_are_in_order_are_sent_and_the_others_have_their_findings(visitor, caller, work):
    wrong = two_lines("F-2").replace(b">181.50<", b">181.51<")
    page = send(visitor, ("1.xml", two_lines("F-1")), ("2.xml", wrong), ("3.xml", b"<a/>")).text

    assert "Documents accepted: 1 of 3" in page
    assert "Not sent: 2" in page
    assert re.search(r">2\.xml</strong>(?s:.*?)<code>BR-CO-15</code>", page)
    assert re.search(r">3\.xml</strong><br><span dir=\"auto\">[^<]+</span>", page)
    assert 'hx-trigger="every 2s"' in page
    assert caller.count(Transmission) == 1

    work()
    page = visitor.get(batch_of(page)).text  # which has the outcome whenever it is opened
    assert "Not sent: 2" in page
    assert re.search(r">2\.xml</strong>(?s:.*?)<code>BR-CO-15</code>", page)
    assert re.search(r'>F-1</a></td><td dir="auto">[^<–]+</td><td class="amount">€181\.50<', page)
    assert "Delivered: 1, in progress: 0, failed: 0" in page
    assert ">F-1</a>" in page
    assert 'hx-trigger="every 2s"' not in page


def test_earlier_batches_are_listed_and_name_their_files(visitor, caller):
    """Those by API too, which have no files; the newest first."""
    first = batch_of(send(visitor, ("one.xml", two_lines("F-1")), ("two.xml", b"<a/>")).text)
    by_api = json.dumps({"invoices": [caller.body(number="A-1") | {"idempotencyKey": "A-1"}]})
    caller.own()
    answer = caller.call(
        "POST", "/api/invoices/batch", by_api.encode(), Content_Type="application/json"
    )
    assert "invoiceId" in answer.json["results"][0], answer.text
    later = send(visitor, ("n\x01" * 300 + ".xml", two_lines("F-2"))).text
    stranger = Visitor(caller.app)
    listed = re.findall(r'href="(/dashboard/send/[^"]+)"[^>]*><time[^>]*>[^<]*</time></a> ([^<]+)<',
                        visitor.get(PAGE).text)  # fmt: skip

    assert [words.strip() for _, words in listed] == [
        "Documents accepted: 1 of 1", "Documents accepted: 1 of 1", "Documents accepted: 1 of 2",
    ]  # fmt: skip
    assert listed[-1][0] == first
    assert '<td dir="auto">one.xml</td>' in visitor.get(first).text
    assert "two.xml</strong>" in visitor.get(first).text
    assert f'<td dir="auto">{"n" * 200}</td>' in later
    assert "File</th>" not in visitor.get(listed[1][0]).text
    assert "Earlier batches" not in stranger.get(PAGE).text


def test_a_large_file_that_is_no_document_is_refused_and_the_others_are_sent(visitor, caller):
    """It is read in a computing process, whose faults arrive as another exception."""
    text, blanks = b"no XML " * 900_000, b" " * 6_000_000
    archive = zipped(("text.xml", text), ("a.xml", two_lines("F-1")), ("blanks", blanks))
    page = send(visitor, ("all.zip", archive)).text

    assert "Documents accepted: 1 of 3" in page
    assert "Not sent: 2" in page
    assert "is no UBL or CII" in page
    assert caller.count(Transmission) == 1


def test_a_file_at_which_our_code_fails_is_refused_and_the_others_are_sent(
    visitor, caller, monkeypatch
):
    def fails(document: bytes) -> Invoice:
        if b"F-2" in document:
            raise KeyError("a defect")
        return invoice_in(document)

    monkeypatch.setattr(files, "invoice_in", fails)
    page = send(visitor, ("1.xml", two_lines("F-1")), ("2.xml", two_lines("F-2"))).text

    assert "Documents accepted: 1 of 2" in page
    assert "an error of this service" in page
    assert caller.count(Transmission) == 1


def test_a_file_that_is_given_twice_is_sent_once(visitor, caller):
    files = ("a.xml", two_lines("F-1")), ("b.xml", two_lines("F-2"))
    send(visitor, *files)
    again = send(visitor, *files).text

    assert "not sent again: 2" in again
    assert caller.count(Transmission) == 2


def test_each_file_that_was_accepted_is_in_the_audit_log_with_the_person(visitor, caller):
    content = two_lines("F-1")
    send(visitor, ("a.xml", content), ("again.xml", content), ("b.xml", b"<a/>"))
    entries = visitor.person.get("/api/audit?action=invoice.sent").json["items"]
    (invoice,) = visitor.person.get("/api/invoices").json["items"]
    assert caller.count(Transmission) == 1

    assert [(each["target"], each["actor"]) for each in entries] == [
        (invoice["invoiceId"], visitor.person.subject)
    ]


def test_a_zip_is_opened_and_its_folders_are_not_documents(visitor, caller):
    archive = zipped(
        ("invoices/", b""), ("invoices/1.xml", two_lines("F-1")), ("__MACOSX/x", b"x"),
        ("wrong.xml", b"<a/>"),
    )  # fmt: skip
    page = send(visitor, ("all.zip", archive)).text

    assert "Documents accepted: 1 of 2" in page
    assert ">wrong.xml</strong>" in page


def test_sender_and_receiver_are_those_of_the_document(visitor, caller):
    """A document without the address of its sender is refused with its term."""
    endpoint = rb"<cbc:EndpointID[^>]*>[^<]*</cbc:EndpointID>"
    unsigned = re.sub(endpoint, b"", two_lines("F-1"), count=1)
    page = send(visitor, ("1.xml", unsigned), ("2.xml", cii(number="F-2"))).text

    assert "Documents accepted: 1 of 2" in page
    assert "BT-34" in page


@pytest.mark.parametrize(
    "content",
    [b"PK\x03\x04 cut", zipped(("a.xml", b"x"))[:-30], b"PK", b"", b"\x00" * 9, b"%PDF-1.7 x"],
    ids=["a head", "a cut ZIP", "two bytes", "nothing", "zeros", "a PDF"],
)
def test_what_is_no_invoice_is_refused_with_its_name(visitor, caller, content):
    page = send(visitor, ("other.bin", content))

    assert page.status_code == 200
    assert ">other.bin</strong>" in page.text
    assert caller.count(Transmission) == 0


def test_documents_beyond_the_bounds_are_counted_and_not_sent(visitor, caller, monkeypatch):
    """Of their number, and of their size once they are unpacked."""
    three = [(f"{n}.xml", two_lines(f"F-{n}")) for n in range(3)]
    monkeypatch.setattr(batch, "MAX_ITEMS", 2)
    assert "Not sent yet: 1." in send(visitor, ("a.zip", zipped(*three))).text
    assert caller.count(Transmission) == 2

    monkeypatch.setattr(uploads, "MAX_UNPACKED", len(three[0][1]) + 10)
    page = send(visitor, ("a.zip", zipped(("big.xml", b" " * 10**6), *three))).text
    assert "Not sent yet: 4." in page


def test_a_refusal_of_the_whole_batch_is_shown(visitor, caller, monkeypatch):
    def busy(*_):
        raise Overloaded("There is too much to do.")

    monkeypatch.setattr(batch, "refuse_overload", busy)
    page = send(visitor, ("1.xml", two_lines("F-1")))

    assert "There is too much to do." in page.text
    assert caller.count(Transmission) == 0


def test_a_batch_of_another_account_is_not_found(visitor, app):
    shown = batch_of(send(visitor, ("1.xml", two_lines("F-1"))).text)

    assert visitor.get(shown).status_code == 200
    assert Visitor(app).get(shown).status_code == 404


def test_a_viewer_sees_the_batch_and_cannot_send(visitor, caller):
    shown = batch_of(send(visitor, ("1.xml", two_lines("F-1"))).text)
    viewer = Visitor(caller.app, caller.tenant, Role.VIEWER, "eve")

    assert 'type="file"' not in viewer.get(shown).text
    assert send(viewer, ("2.xml", two_lines("F-2"))).status_code == 403
    assert caller.count(Transmission) == 1
