"""`einvoice tenants move`, as docs/operators.md prints it, between two installations."""

from __future__ import annotations

import re
import shlex
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flask import Flask

from einvoice.cli import application
from einvoice.cli.tenants import tenants as commands
from einvoice.services.account import tenants
from einvoice.services.tenant_data import move_source
from tests.services.tenant_data.conftest import elsewhere as elsewhere

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

PAGE = Path(__file__).parents[2] / "docs/operators.md"
THERE = {"receive", "discard"}  # commands of the installation that the tenant comes to
Run = Callable[..., Result]


@pytest.fixture
def run(app: Flask, elsewhere: Flask, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command of `move` at the installation of which it is."""
    monkeypatch.setattr(move_source, "NOTICED_SECONDS", 0.0)

    def _run(step: str, *words: str, code: int = 0) -> Result:
        here = elsewhere if step in THERE else app
        monkeypatch.setattr(application, "application", lambda: here)
        result = CliRunner().invoke(commands, ["move", step, *words])
        assert result.exit_code == code, result.output
        return result

    return _run


def printed() -> list[list[str]]:
    """The words behind `einvoice tenants move` of each line of the blocks of the page."""
    page, form = PAGE.read_text(), re.MULTILINE | re.DOTALL
    (section,) = re.findall(r"^### Moving a tenant\n(.*?)^#", page, form)
    blocks = re.findall(r"^```\n(.*?)^```$", section, form)
    lines = "".join(blocks).splitlines()
    return [shlex.split(line.removeprefix("einvoice tenants move ")) for line in lines]


def test_the_commands_of_the_page_move_a_tenant(
    run: Run, elsewhere: Flask, tenant: str, tmp_path: Path
) -> None:
    """Each manifest is the one that was printed when its file was written."""
    manifests: dict[str, str] = {}
    for step, *words in printed():
        words = [tenant if word == "TENANT" else word for word in words]
        files = [word for word in words if word.endswith(".zip")]
        if "--manifest" in words:
            words[words.index("--manifest") + 1] = manifests[files[0]]
        words = [str(tmp_path / w) if w.endswith((".zip", ".key")) else w for w in words]
        shown = run(step, *words).stdout.strip()
        if step not in THERE and files:
            manifests[files[0]] = shown
    with elsewhere.app_context():
        there = tenants.get(tenant)

    assert len(manifests) == 3
    assert tenants.get(tenant).moved_to == "https://eu2.example.com"
    assert there.closed_at is None
    assert stat.S_IMODE((tmp_path / "move.key").stat().st_mode) == 0o600


def test_a_move_is_given_up(run: Run, tenant: str, tmp_path: Path) -> None:
    """Its standing is shown meanwhile."""
    files = [str(tmp_path / name) for name in ("0.zip", "1.zip", "move.key")]
    run("begin", tenant, files[0])
    run("receive", files[0])
    run("finish", tenant, files[1])
    shown = run("status", tenant).stdout.splitlines()[-1].split()
    run("release", tenant, files[2])
    assert "Discard it there" in run("cancel", tenant, code=1).output
    run("discard", tenant, "--yes")
    run("cancel", tenant, "--discarded")

    assert "2" in shown
    assert tenants.get(tenant).held_at is None
    run("status", tenant, code=1)


REFUSED = {
    "a file that is there": (["release", "TENANT", "there"], "is not replaced"),
    "a directory that is not there": (["release", "TENANT", "nowhere"], "no directory"),
    "no last file": (["release", "TENANT", "new"], "is not written"),
    "a key that is none": (["receive", "there", "--key", "there"], "no key of a move"),
    "no export": (["receive", "there"], "File is not a zip file"),
    "an address that is none": (["leave", "TENANT", "--to", "eu2", "--yes"], "no base URL"),
    "an unknown tenant": (["begin", "nobody", "new"], "There is no tenant"),
}
OF_USAGE = {"is not replaced", "no directory", "no base URL"}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_is_one_line(run: Run, tenant: str, tmp_path: Path, case: str) -> None:
    (tmp_path / "there").write_text("x")
    words, message = REFUSED[case]
    places = {"TENANT": tenant, "there": str(tmp_path / "there"), "new": str(tmp_path / "new"),
              "nowhere": str(tmp_path / "no" / "key")}  # fmt: skip
    step, *rest = [places.get(word, word) for word in words]
    result = run(step, *rest, code=2 if message in OF_USAGE else 1)

    assert message in result.output
