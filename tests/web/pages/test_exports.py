"""The page of exports: requested, followed, downloaded for a day."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from einvoice import clock
from einvoice.domain.roles import Role
from einvoice.services.tenant_data import export_jobs
from einvoice.store.tenant_data import tenant_exports
from tests.builders import accepted
from tests.web.pages.visitor import Visitor
from tests.workers import write_export

EXPORTS = "/dashboard/settings/exports"
FILE = re.compile(rf'href="({EXPORTS}/[^/]+/file)"')


@pytest.fixture
def visitor(service) -> Visitor:
    return Visitor(service)


def test_an_export_is_requested_followed_and_downloaded(service, visitor):
    with service.app_context():
        accepted(visitor.tenant, number="E-1")
    done = visitor.post(EXPORTS)
    waiting = visitor.get(done.headers["Location"]).text
    write_export(service, visitor.tenant)
    page = visitor.get(EXPORTS).text
    file = visitor.get(FILE.search(page)[1])
    content = file.data
    file.close()

    assert "The export has been requested." in waiting
    assert ("hx-trigger" in waiting, "hx-trigger" in page) == (True, False)
    assert (FILE.search(waiting), "<form method" in waiting.partition('id="exports"')[2]) == (
        None, False,
    )  # fmt: skip
    assert "1 of 1" in page
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert b'"E-1"' in archive.read("tables/invoices/000001.jsonl")
    assert file.headers["Content-Disposition"].startswith("attachment")


def test_the_page_shows_the_progress(service, visitor):
    visitor.post(EXPORTS)
    with service.app_context():
        (export,) = export_jobs.newest(visitor.tenant)
        tenant_exports.change(
            export.id, status=tenant_exports.RUNNING, documents=1500, documents_total=4000
        )
    page = visitor.get(EXPORTS).text

    assert "1,500 of 4,000" in page
    assert '<progress value="1500" max="4000"' in page


def test_a_second_export_at_once_is_refused_on_the_page(service, visitor):
    visitor.post(EXPORTS)
    refused = visitor.post(EXPORTS)

    assert (refused.status_code, 'role="alert"' in refused.text) == (409, True)
    with service.app_context():
        assert len(export_jobs.newest(visitor.tenant)) == 1


def test_the_download_is_offered_for_a_day(service, visitor, monkeypatch):
    visitor.post(EXPORTS)
    write_export(service, visitor.tenant)
    address = FILE.search(visitor.get(EXPORTS).text)[1]
    later = clock.now() + export_jobs.KEPT
    with monkeypatch.context() as patched:
        patched.setattr(export_jobs.clock, "now", lambda: later)
        again = Visitor(service, visitor.tenant)
        page = again.get(EXPORTS).text

        assert FILE.search(page) is None
        assert "deleted" in page
        assert again.get(address).status_code == 404


def test_request_and_download_are_in_the_audit_log(service, visitor):
    visitor.post(EXPORTS)
    write_export(service, visitor.tenant)
    visitor.get(FILE.search(visitor.get(EXPORTS).text)[1]).close()
    actions = [each["action"] for each in visitor.person.get("/api/audit").json["items"]]

    assert actions[:2] == ["tenant.export-downloaded", "tenant.exported"]


def test_exports_are_for_administrators_of_the_account(service, visitor):
    visitor.post(EXPORTS)
    write_export(service, visitor.tenant)
    address = FILE.search(visitor.get(EXPORTS).text)[1]
    member, stranger = Visitor(service, visitor.tenant, Role.MEMBER), Visitor(service)

    assert EXPORTS not in member.get("/dashboard/settings").text
    for answer in (member.get(EXPORTS), member.post(EXPORTS), member.get(address)):
        assert answer.status_code == 403
    assert FILE.search(stranger.get(EXPORTS).text) is None
    assert stranger.get(address).status_code == 404
