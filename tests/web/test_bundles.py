"""GET /api/invoices/documents: originals and PDFs of a list as a ZIP."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import os
import tempfile
import time
import zipfile
from pathlib import Path

import pytest

from einvoice.domain.environments import Environment
from einvoice.services.computing.messages import ComputationFailed
from einvoice.services.invoices import bundles, lists, pdf_computations
from einvoice.store.invoices import lists as store_lists
from einvoice.store.tables import Invoice
from einvoice.web import sent_files
from tests.waiting import until
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.inbox import Inbox
from tests.web.invoice_listing import InvoiceListing

# What does not depend on the database.
ONE_DATABASE = pytest.mark.parametrize("build", ["sqlite"], indirect=True)
PATH = "/api/invoices/documents"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch) -> None:
    """Files of responses are in a folder of the test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def inbox(caller) -> Inbox:
    return Inbox(caller)


def opened(answer) -> tuple[zipfile.ZipFile, list[dict[str, str]]]:
    """The archive, and the rows of its list."""
    assert answer.status_code == 200, answer.json
    archive = zipfile.ZipFile(io.BytesIO(answer.data))
    return archive, list(csv.DictReader(io.StringIO(archive.read("invoices.csv").decode())))


def left() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"{sent_files._PASSING}*"))


def test_each_bill_has_its_original_and_its_pdf(caller, inbox):
    """The list names the files in the order asked for; the original is what was received."""
    bills = [inbox.arrives(number=number) for number in ("B-1", "B 2/../x")]
    answer = caller.get(f"{PATH}?direction=received&sort=-number")
    archive, rows = opened(answer)
    original = archive.read(rows[0]["original"])

    assert answer.headers["Content-Type"] == "application/zip"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="invoices.zip"'
    assert [row["invoiceId"] for row in rows] == bills
    assert [row["pdf"] for row in rows] == ["001-B-1/invoice.pdf", "002-B-2-..-x/invoice.pdf"]
    assert b"B-1" in original
    assert hashlib.sha256(original).hexdigest() == rows[0]["originalSha256"]
    assert archive.read(rows[1]["pdf"]).startswith(b"%PDF")
    assert {row["missing"] for row in rows} == {""}


def test_filters_are_those_of_the_list(caller, inbox):
    inbox.arrives(number="B-1")
    inbox.arrives(number="B-2")
    _, rows = opened(caller.get(f"{PATH}?number=B-2"))

    assert [row["number"] for row in rows] == ["B-2"]
    assert opened(caller.get(f"{PATH}?number=none"))[1] == []
    assert slug(caller.get(f"{PATH}?limit=1")) == "invalid-field"


@ONE_DATABASE
def test_what_cannot_be_printed_is_named_and_the_rest_is_there(caller, inbox):
    """A document without an invoice in it has no PDF."""
    bill = inbox.arrives(number="B-1")
    InvoiceListing(caller).write(Invoice, Invoice.id, bill, document=b"")
    archive, (row,) = opened(caller.get(PATH))

    assert (row["pdf"], row["original"]) == ("", "001-B-1/original.xml")
    assert row["missing"]
    assert sorted(archive.namelist()) == ["001-B-1/original.xml", "invoices.csv"]


@ONE_DATABASE
def test_a_defect_in_one_document_is_named_and_the_others_are_there(caller, inbox, monkeypatch):
    """And any other exception, as of the database, is no missing file."""
    render = pdf_computations.pdf.render

    def failing(fault):
        def _render(invoice, *arguments, **more):
            if invoice.number == "B-2":
                raise fault
            return render(invoice, *arguments, **more)

        return _render

    for number in ("B-1", "B-2"):
        inbox.arrives(number=number)
    monkeypatch.setattr(
        pdf_computations.pdf, "render", failing(ComputationFailed("Traceback: secret"))
    )
    _, rows = opened(caller.get(f"{PATH}?sort=number"))
    monkeypatch.setattr(pdf_computations.pdf, "render", failing(OSError("away")))

    assert [row["pdf"] for row in rows] == ["001-B-1/invoice.pdf", ""]
    assert rows[0]["missing"] == ""
    assert "error of the service" in rows[1]["missing"]
    assert "secret" not in rows[1]["missing"]
    assert caller.get(PATH).status_code == 500


@ONE_DATABASE
@pytest.mark.parametrize(
    ("limit", "value", "refused"),
    [("MAX_INVOICES", 2, False), ("MAX_INVOICES", 1, True), ("MAX_BYTES", 100, True)],
)
def test_more_than_a_bundle_holds_is_refused_with_the_way_out(
    caller, inbox, monkeypatch, limit, value, refused
):
    monkeypatch.setattr(bundles, limit, value)
    for number in ("B-1", "B-2"):
        inbox.arrives(number=number)
    before = left()
    answer = caller.get(PATH)

    assert (answer.status_code == 409) is refused
    if refused:
        assert "/api/tenant/exports" in answer.json["detail"]
        assert left() == before


@ONE_DATABASE
def test_a_bundle_of_invoices_that_are_too_rare_to_find_in_time_is_refused(
    caller, inbox, monkeypatch
):
    """With a filter that no index has, in a list of more pages than there is time for."""
    monkeypatch.setattr(store_lists, "MAX_EXAMINED", 1)
    for number in ("B-1", "B-2", "B-3"):
        inbox.arrives(number=number)
    rare = f"{PATH}{'&' if '?' in PATH else '?'}currency=SEK"
    before = caller.get(rare)
    monkeypatch.setattr(lists, "MAX_SECONDS", -1.0)
    after = caller.get(rare)

    assert before.status_code == 200
    assert slug(after) == "conflict"
    assert "takes too long" in after.json["detail"]


@ONE_DATABASE
def test_a_bundle_that_takes_too_long_is_refused_and_goes_on(caller, inbox, monkeypatch):
    monkeypatch.setattr(bundles, "MAX_SECONDS", -1.0)
    inbox.arrives(number="B-1")

    assert slug(caller.get(PATH)) == "computing-unavailable"


@ONE_DATABASE
def test_a_part_of_a_bundle_is_not_sent(caller, inbox):
    """The next request makes another file, whose bytes differ."""
    inbox.arrives(number="B-1")
    answer = caller.get(PATH, Range="bytes=10-")

    assert opened(answer)[1][0]["number"] == "B-1"
    assert answer.headers["Accept-Ranges"] == "none"


@ONE_DATABASE
def test_files_being_sent_are_bounded(caller, inbox, monkeypatch):
    inbox.arrives(number="B-1")
    assert caller.get(PATH).status_code == 200
    monkeypatch.setattr(sent_files, "MAX_PASSING_BYTES", 0)

    assert slug(caller.get(PATH)) == "computing-unavailable"


@ONE_DATABASE
def test_a_large_file_of_one_account_leaves_room_for_others(caller, inbox, service, monkeypatch):
    """Until it is sent, the account gets no second one."""
    inbox.arrives(number="B-1")
    monkeypatch.setattr(sent_files, "MAX_OWN_BYTES", 1000)
    answers = [one.get(PATH) for one in (caller, caller, Caller(service))]

    assert [answer.status_code for answer in answers] == [200, 503, 200]
    assert "of your account is still being sent" in answers[1].json["detail"]


@ONE_DATABASE
def test_a_file_that_is_read_slowly_counts_until_it_is_read(caller, inbox, monkeypatch):
    monkeypatch.setattr(sent_files, "PASSING_SECONDS", 0.2)
    inbox.arrives(number="B-1")
    assert caller.get(PATH).status_code == 200
    [path] = left()
    with path.open("rb"):
        time.sleep(1)
        assert left() == [path]

    until(lambda: left() == [])


@ONE_DATABASE
def test_a_file_that_a_killed_process_left_is_deleted_with_the_next(caller, inbox):
    old = Path(tempfile.gettempdir()) / f"{sent_files._PASSING}old"
    old.write_bytes(b"x")
    os.utime(old, (0, 0))
    caller.get(PATH)

    assert not old.exists()


@ONE_DATABASE
def test_a_full_disk_is_a_refusal_and_leaves_no_file(caller, inbox, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    inbox.arrives(number="B-1")
    monkeypatch.setattr(bundles.zipfile.ZipFile, "writestr", full)

    assert slug(caller.get(PATH)) == "computing-unavailable"
    assert left() == []


@ONE_DATABASE
def test_the_file_is_deleted_after_a_while(caller, inbox, monkeypatch):
    monkeypatch.setattr(sent_files, "PASSING_SECONDS", 1.0)
    inbox.arrives(number="B-1")
    before = set(left())
    opened(caller.get(PATH))
    for thread in sent_files.threading.enumerate():
        if isinstance(thread, sent_files.threading.Timer) and thread.interval == 1.0:
            thread.join(10)

    assert set(left()) <= before


def test_others_get_none_of_them(caller, inbox, service):
    """Neither other tenants nor keys of the other environment; a key needs `artefacts:read`."""
    inbox.arrives(number="B-1")
    live = Caller(service, Environment.LIVE, caller.tenant)
    reader = Caller(service, Environment.TEST, caller.tenant, scopes=["invoices:read"])
    ann = Dashboard(service, caller.tenant)

    assert [opened(one.get(PATH))[1] for one in (Caller(service), live)] == [[], []]
    assert slug(reader.get(PATH)) == "insufficient-scope"
    assert len(opened(ann.get(PATH))[1]) == 1
