"""The TypeScript client compiles, its own tests pass at a running service, and so do the examples.

`clients/typescript/prepare` (`make test-more` runs it) installs the compiler where npm is there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from einvoice.webhooks import signing

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "clients" / "typescript"
INSTALLED = PACKAGE / "node_modules"
PAGE = (ROOT / "docs" / "clients.md").read_text()
BLOCKS = re.findall(r"^```ts\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PROGRAMS = [block for block in BLOCKS if "await" in block]

pytestmark = [
    pytest.mark.parametrize("build", ["sqlite"], indirect=True),
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
    pytest.mark.skipif(
        not INSTALLED.exists(), reason="clients/typescript/prepare installs the compiler"
    ),
]


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """The output of a command that succeeds within three minutes."""
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | variables, text=True, check=False, timeout=180,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8000:]
    return done.stdout


def with_packages(directory: Path) -> Path:
    """The directory, with the packages of the lock file."""
    (directory / "node_modules").mkdir(exist_ok=True)
    for each in INSTALLED.iterdir():
        (directory / "node_modules" / each.name).symlink_to(each)
    return directory


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with its tests, compiled."""
    directory = with_packages(tmp_path_factory.mktemp("typescript"))
    for name in ("src", "test"):
        shutil.copytree(PACKAGE / name, directory / name)
    for name in ("package.json", "tsconfig.json", "README.md"):
        shutil.copy(PACKAGE / name, directory)
    run("node_modules/.bin/tsc", cwd=directory)
    return directory


@pytest.fixture(scope="module")
def program(copied: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of somebody who has installed what `npm pack` makes of the package."""
    directory = with_packages(tmp_path_factory.mktemp("program"))
    run("npm", "pack", "--ignore-scripts", "--pack-destination", directory, cwd=copied)
    (archive,) = directory.glob("einvoice-client-*.tgz")
    unpacked = directory / "node_modules" / "einvoice-client"
    unpacked.mkdir()
    run("tar", "xzf", archive, "-C", unpacked, "--strip-components=1", cwd=directory)
    (directory / "package.json").write_text('{"type": "module"}')
    settings = json.loads((PACKAGE / "tsconfig.json").read_text())
    settings["include"] = ["*.ts"]
    (directory / "tsconfig.json").write_text(json.dumps(settings))
    return directory


def test_its_own_tests_pass_at_the_service(
    copied: Path, origin: str, caller: Any, working: Any
) -> None:
    body = b'{"eventType":"webhook.test","eventId":"evt_1"}'
    signed = signing.signature(body, "evt_1", "1795147506", "whsec_" + "QUJD" * 8)
    tests = sorted((copied / "built" / "test").glob("*.test.js"))
    output = run(
        "node", "--test", *tests,
        cwd=copied, EINVOICE=origin, KEY=caller.key, EXPECTED_SIGNATURE=signed,
    )  # fmt: skip

    assert re.search(r"^# fail 0$", output, re.MULTILINE), output
    assert re.search(r"^# skipped 0$", output, re.MULTILINE), output


def test_each_example_compiles_and_runs_as_printed(
    program: Path, origin: str, caller: Any, working: Any
) -> None:
    for index, block in enumerate(BLOCKS):
        (program / f"example{index}.ts").write_text(block)
    run("node_modules/.bin/tsc", cwd=program)
    printed = [
        run("node", program / "built" / f"example{index}.js", cwd=program, EINVOICE=origin,
            KEY=caller.key)
        for index, block in enumerate(BLOCKS)
        if block in PROGRAMS
    ]  # fmt: skip

    assert printed[0] == "Delivered\n"
    assert "TS-2026-001 121\n" in printed[1]
    assert "TS-2026-002 400\n" in printed[1]
    assert printed[-1].startswith("missing-routing [] ")


def test_a_contract_that_breaks_the_client_does_not_compile(
    build: Any, copied: Path, tmp_path: Path
) -> None:
    """A renamed member, route and parameter are each named by the compiler."""
    directory = with_packages(tmp_path)
    shutil.copytree(copied / "src", directory / "src")
    shutil.copy(copied / "tsconfig.json", directory)
    contract = directory / "src" / "generated" / "contract.ts"
    text = contract.read_text()
    names = ("networkStatus", "/api/invoices/batch", "participantId")
    for name in names:
        assert name in text
        text = text.replace(name, f"{name}Renamed")
    contract.write_text(text)
    compiled = subprocess.run(
        ["node_modules/.bin/tsc", "--noEmit"], cwd=directory, timeout=180, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    found = [line for line in compiled.stdout.splitlines() if line.startswith("src/client.ts")]

    assert [name for name in names if not any(name in line for line in found)] == [], found
