"""`einvoice validate --html`: one page for all files, which a browser shows and prints."""

from __future__ import annotations

import io
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from einvoice import clock
from einvoice.cli import parallel_checks
from einvoice.cli.validate import validate
from tests.browser import accessibility, visiting
from tests.web.buyer.pictures import compare

SAMPLES = Path(__file__).parents[1] / "samples"
GOOD = (SAMPLES / "good_ubl.xml").read_bytes()
RED = GOOD.replace(b">171.82<", b">1.00<")
XRECHNUNG = (
    (SAMPLES / "xrechnung_ubl.xml")
    .read_bytes()
    .replace(b'unitCode="C62"', b'unitCode="nn"')
    .replace(b">119.00<", b">118.00<")
)
PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "report.png"
HOSTILE = (
    "&lt;script>document.title = 'run'&lt;/script>&lt;img src=x onerror=alert(1)>" + "W" * 100_000
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Invoices of all lights, and what is none."""
    found = tmp_path / "files"
    found.mkdir()
    for name, content in {
        "a.xml": GOOD,
        "b.xml": RED,
        "c.xml": (SAMPLES / "former" / "zugferd_1.xml").read_bytes(),
        "d.xml": b"<Order/>",
        "e.xml": b"<Invoice",
        "f.xml": (SAMPLES / "xrechnung_cii.xml").read_bytes(),
    }.items():
        (found / name).write_bytes(content)
    return found


def run(*arguments: object) -> Result:
    return CliRunner().invoke(validate, [str(one) for one in arguments])


def headings(page: Path) -> list[tuple[str, str]]:
    """The light and the name of each file."""
    found = re.findall(
        r'<h2 id="name-\d+"><span class="light (\w+)">.*<bdi>.*?(\w+\.xml)</bdi></h2>',
        page.read_text(),
    )
    return [(name, light) for light, name in found]


def test_one_page_has_every_file_in_order(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = run(folder, tmp_path / "none.xml", "--html", page)

    assert result.exit_code == 2
    assert headings(page) == [
        ("a.xml", "green"), ("b.xml", "red"), ("c.xml", "amber"), ("d.xml", "other"),
        ("e.xml", "unreadable"), ("f.xml", "green"), ("none.xml", "unreadable"),
    ]  # fmt: skip
    assert "No such file or directory." in page.read_text()
    assert list(tmp_path.glob(".report*")) == []


def test_a_page_is_written_beside_every_other_report(folder: Path, tmp_path: Path) -> None:
    """With the same digests as in JSON; what is no invoice counts as the options say."""
    page, red = tmp_path / "report.html", folder / "b.xml"
    report = json.loads(run(red, "--json", "--html", page).stdout)
    for member in ("documentSha256", "ruleSetSha256", "ruleSetRelease", "ruleSet"):
        assert report[member] in page.read_text(), member

    run(folder, "--html", page, "--jsonl", "--ignore-other")
    assert "d.xml" not in dict(headings(page))
    run(folder, "--html", page, "--fail-on-other")
    assert dict(headings(page))["d.xml"] == "unreadable"


def test_several_processes_write_the_same_page(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [tmp_path / "one.html", tmp_path / "many.html"]
    run(folder, "--html", pages[0])
    monkeypatch.setattr(parallel_checks, "MIN_FILES", 2)
    monkeypatch.setattr(parallel_checks, "BLOCK_FILES", 1)
    run(folder, "--html", pages[1])
    one, many = (re.sub(r"Made on .*? UTC", "", page.read_text()) for page in pages)

    assert one == many


def test_a_page_that_cannot_be_written_leaves_the_one_before(folder: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text("before")
    (folder / "levels.toml").write_text('warning = ["NO-RULE"]')

    assert run(folder, "--html", page, "--levels", folder / "levels.toml").exit_code == 2
    assert page.read_text() == "before"
    missing = run(folder, "--html", tmp_path / "none" / "report.html")
    assert (missing.exit_code, "there is no folder" in missing.stderr) == (2, True)


def test_a_file_that_cannot_be_written_is_an_error_of_one_line(
    folder: Path, tmp_path: Path
) -> None:
    """Whatever the report; a name of 300 characters is too long for any file system."""
    for option in ("--html", "--junit", "--sarif"):
        result = run(folder, option, tmp_path / ("x" * 300))
        assert result.exit_code == 2, option
        assert "a report cannot be written: " in result.stderr


def test_a_page_is_written_into_a_link_or_a_device_not_in_its_place(
    folder: Path, tmp_path: Path
) -> None:
    link, target = tmp_path / "link.html", tmp_path / "target.html"
    link.symlink_to(target)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    run(folder / "c.xml", "--html", link)
    run(folder / "c.xml", "--html", tmp_path / "pipe")

    assert link.is_symlink()
    assert target.read_bytes().startswith(b"<!doctype html>")
    assert os.read(reader, 15) == b"<!doctype html>"
    os.close(reader)


def test_a_browser_shows_and_prints_the_page(browser, folder: Path, tmp_path: Path) -> None:
    """Accessible, silent, without a request, in the width of a telephone, a file a sheet."""
    page = tmp_path / "report.html"
    hostile = (
        GOOD.decode().replace(">Garden chair<", f">{HOSTILE}<").replace(">EUR<", f">{HOSTILE}<", 1)
    )
    (folder / "<b>&.xml").write_text(hostile)
    run(folder, "--html", page)
    phone = {"width": 390, "height": 844}

    with visiting(browser, page.as_uri(), viewport=phone) as visit:
        visit.page.goto(page.as_uri())
        wide = visit.page.evaluate("document.documentElement.scrollWidth")
        title = visit.page.title()
        visit.page.get_by_role("link", name="b.xml").click()
        opened = visit.page.evaluate("document.querySelector(':target h2').innerText")
        wrong, _ = accessibility(visit.page)
        printed = visit.page.pdf(prefer_css_page_size=True)
    with visiting(browser, page.as_uri(), viewport={"width": 1200, "height": 900}) as other:
        other.page.goto(page.as_uri())
        wrong += accessibility(other.page)[0]

    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith(page.as_uri())] == []
    assert (title, wrong) == ("Validation report", [])
    assert wide <= phone["width"]
    assert opened.startswith("Red")
    assert opened.endswith("b.xml")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) >= len(headings(page))


def test_the_picture_of_the_documentation_is_the_page(
    browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a change that is meant: EINVOICE_NEW_GOLDEN=1, then look at the picture."""
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 11, 23, 10, tzinfo=UTC))
    monkeypatch.chdir(tmp_path)
    for name, content in {"2026-07.xml": GOOD, "2026-08.xml": XRECHNUNG}.items():
        Path(name).write_bytes(content)
    run("2026-08.xml", "2026-07.xml", "--html", "report.html")
    page = (tmp_path / "report.html").as_uri()

    with visiting(browser, page, viewport={"width": 900, "height": 1200}) as visit:
        visit.page.goto(page)
        taken = Image.open(io.BytesIO(visit.page.screenshot())).convert("RGB")

    compare(taken, PICTURE)
