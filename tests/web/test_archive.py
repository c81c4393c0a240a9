"""Documents and evidence in the archive are answered as before, and its faults are told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.ids import TimeOrderedIds
from einvoice.observability import metrics
from einvoice.services.archive import disposal, transfer
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug


@pytest.fixture(autouse=True)
def _ids_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids never go back, so those after a test with a later clock would be too young to move."""
    monkeypatch.setattr(ids, "_ids", TimeOrderedIds())


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    (tmp_path / "archive").mkdir()
    return tmp_path / "archive"


@pytest.fixture
def caller(build: Callable[..., Flask], archive: Path) -> Caller:
    given = {"archive_directory": str(archive), "archive_drop": True}
    return Caller(build(archive_store="directory", **given))


@pytest.fixture
def old(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A delivered invoice, after the days in which it is in the database."""
    invoice = caller.sent()
    real = clock.now
    for seconds in (0, 2):
        monkeypatch.setattr(clock, "now", lambda ahead=seconds: real() + timedelta(seconds=ahead))
        caller.work()
    caller.get(f"/api/invoices/{invoice}/pdf")
    monkeypatch.setattr(clock, "now", lambda: real() + timedelta(days=31))
    return invoice


def move(caller: Caller) -> int:
    with caller.app.app_context():
        return transfer.move(runtime_of(caller.app).settings, seconds=60)[0].parts


def items(caller: Caller, invoice: str) -> list[dict]:
    answer = caller.get(f"/api/invoices/{invoice}/artefacts")
    assert answer.status_code == 200
    return answer.json["items"]


def content(caller: Caller, invoice: str, item: dict):
    return caller.get(f"/api/invoices/{invoice}/artefacts/{item['artefactId']}")


def test_every_artefact_is_answered_as_before_the_move(caller, old):
    before = items(caller, old)
    contents = [content(caller, old, item).data for item in before]
    pdf = caller.get(f"/api/invoices/{old}/pdf").data
    moved = move(caller)

    assert moved >= 4
    assert {"UBL", "ORIGINAL", "RECEIPT", "PDF"} <= {item["type"] for item in before}
    assert items(caller, old) == before
    assert [content(caller, old, item).data for item in before] == contents
    assert caller.get(f"/api/invoices/{old}/pdf").data == pdf


def kept(archive: Path) -> list[Path]:
    return [path for path in archive.rglob("*") if path.is_file()]


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    faults: list[str] = []
    monkeypatch.setattr(metrics, "archive_fault", faults.append)
    return faults


def test_a_store_that_is_away_is_503_and_statuses_and_lists_go_on(
    caller, old, archive, monkeypatch
):
    faults = counted(monkeypatch)
    before = items(caller, old)
    move(caller)
    archive.rename(archive.with_name("away"))
    ubl = next(item for item in items(caller, old) if item["type"] == "UBL")
    answer = content(caller, old, ubl)

    assert (answer.status_code, slug(answer)) == (503, "archive-unavailable")
    assert answer.headers["Retry-After"] == "10"
    assert items(caller, old) == before
    assert caller.get(f"/api/invoices/{old}").json["networkStatus"] == "Delivered"
    assert slug(caller.get(f"/api/invoices/{old}/pdf")) == "archive-unavailable"
    assert faults == ["unavailable", "unavailable"]


@pytest.mark.parametrize("change", ["missing", "damaged"])
def test_damage_is_500_with_the_digest_and_never_other_bytes(
    caller, old, archive, monkeypatch, change
):
    faults = counted(monkeypatch)
    move(caller)
    for path in kept(archive):
        path.chmod(0o600)
        path.unlink() if change == "missing" else path.write_bytes(b"<Invoice>other</Invoice>")
    for item in items(caller, old):
        if item["type"] == "VALIDATION_REPORT":
            continue
        answer = content(caller, old, item)

        assert (answer.status_code, slug(answer)) == (500, "archive-damaged")
        assert answer.json["sha256"] == item["sha256"]
    assert set(faults) == {change}


def test_what_was_dropped_is_410_with_its_digest(caller, old, monkeypatch):
    """And the list still says what it was."""
    before = items(caller, old)
    later = clock.now() + timedelta(days=3 * 365)
    with caller.app.app_context():
        disposal.drop(runtime_of(caller.app).settings, seconds=60, now=later)
    for item in before:
        if item["type"] == "VALIDATION_REPORT":
            continue
        answer = content(caller, old, item)

        assert (answer.status_code, slug(answer)) == (410, "document-dropped")
        assert answer.json["sha256"] == item["sha256"]
        assert answer.json["droppedAt"] == clock.timestamp(later)
    assert {item["sha256"] for item in items(caller, old)} == {item["sha256"] for item in before}
    assert slug(caller.get(f"/api/invoices/{old}/pdf")) == "document-dropped"


def test_another_tenant_gets_404_for_archived_content(caller, old):
    move(caller)
    other = Caller(caller.app)
    ubl = next(item for item in items(caller, old) if item["type"] == "UBL")

    assert content(other, old, ubl).status_code == 404
