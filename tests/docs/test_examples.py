"""Every example of README and the pages in docs/ is run, as printed, against the real service."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from einvoice.cli.stack import Stack
from einvoice.config import Settings
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.security.api_keys import SCOPES
from einvoice.web.problems import PROBLEMS
from einvoice_loopback.participants import MAGIC
from tests.practice import einvoice

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = (
    "README.md",
    "docs/integrators.md",
    "docs/v1.md",
    "docs/oauth.md",
    "docs/countries.md",
    "docs/receiving.md",
    "docs/webhooks.md",
    "docs/sharing.md",
    "docs/dashboard.md",
    "docs/directory.md",
    "docs/clients.md",
    "docs/first-bill.md",
    "docs/operators.md",
)
COMMANDS = {"einvoice": "-m einvoice.cli", "einvoice-client": "-m einvoice_client", "python": ""}
MARK = "----8<----"

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def blocks(page: str) -> list[tuple[str, str]]:
    """(language, text) of every fenced block; `bash` is run, the one behind it is its output."""
    found: list[tuple[str, str]] = BLOCK.findall((ROOT / page).read_text())
    return found


@pytest.fixture(scope="module")
def tenant(stack) -> str:
    return einvoice(stack, "tenants", "add", "Reader NV")


@pytest.fixture(scope="module")
def key(stack, tenant) -> str:
    scopes = [word for scope in SCOPES for word in ("--scope", scope)]
    return einvoice(stack, "keys", "add", tenant, "--name", "docs", *scopes)


def token(stack: Stack, tenant: str) -> str:
    """What `einvoice dev-token` prints."""
    settings = Settings.from_env(stack.environ)
    return dev_issuer.mint(settings, tenant_id=tenant, role=Role.ADMIN, subject="developer")


@pytest.fixture
def shell(stack, tenant, key, tmp_path):
    """Run a page's blocks in one bash, as a reader would; the output of each."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, module in COMMANDS.items():
        command = commands / name
        command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module} "$@"\n')
        command.chmod(0o755)
    environ = stack.environ | {
        "EINVOICE": stack.url,
        "KEY": key,
        "TENANT": tenant,
        "TOKEN": token(stack, tenant),
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "clients" / "python"),
    }

    def _run(scripts: list[str]) -> list[str]:
        together = f"\necho '{MARK}'\n".join(scripts)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", together],
            cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=400, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout.split(f"{MARK}\n")

    return _run


@pytest.mark.parametrize(
    "page", [*PAGES[:-1], pytest.param(PAGES[-1], marks=pytest.mark.long)]
)  # a dozen commands, each with an application of its own
def test_every_example_does_what_the_page_says(page, shell):
    """Commands succeed; JSON answers have the members that are printed, header lines are equal."""
    found = blocks(page)
    places = [i for i, (language, _) in enumerate(found) if language == "bash"]
    assert places
    outputs = shell([found[i][1] for i in places])

    for place, output in zip(places, outputs, strict=True):
        language, printed = found[place + 1] if place + 1 < len(found) else ("bash", "")
        if language == "json":
            assert shape(json.loads(output)) == shape(json.loads(printed)), output
            assert not misprinted(json.loads(output), json.loads(printed)), output
        elif language == "" and output.strip():
            assert alike(output, printed), output


def shape(value: object) -> object:
    """Names and types; of a list, its first item."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return type(value).__name__ if not isinstance(value, int | float) else "number"


# Members whose values are the same in every run, if the page is right.
FIGURES = ("trafficLight", "syntaxErrors", "semanticErrors", "semanticWarnings", "detail")


def misprinted(output: object, printed: object) -> list[str]:
    """The verdicts, counts and details that a page prints otherwise; those with … may differ."""
    if isinstance(output, list) and isinstance(printed, list):
        return [fault for pair in zip(output[:1], printed[:1], strict=False)
                for fault in misprinted(*pair)]  # fmt: skip
    if not isinstance(output, dict) or not isinstance(printed, dict):
        return []
    own = [
        f"{name}: {output[name]!r}, printed {printed[name]!r}"
        for name in FIGURES
        if name in printed and "…" not in str(printed[name]) and output.get(name) != printed[name]
    ]
    both = output.keys() & printed.keys()
    return own + [fault for name in both for fault in misprinted(output[name], printed[name])]


def alike(output: str, printed: str) -> bool:
    """Equal but for order and case of lines; what a page shows as … may be anything."""
    said = sorted(line.strip().lower() for line in output.splitlines() if line.strip())
    shown = sorted(line.strip().lower() for line in printed.splitlines() if line.strip())
    return len(said) == len(shown) and all(
        re.fullmatch(re.escape(b).replace("…", ".*"), a) for a, b in zip(said, shown, strict=True)
    )


def test_readme_names_targets_that_exist():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert set(re.findall(r"\bmake ([a-z-]+)", (ROOT / "README.md").read_text())) <= set(targets)


@pytest.mark.parametrize("page", [*(f"docs/{p.name}" for p in ROOT.glob("docs/*.md")), *PAGES[:1]])
def test_every_link_leads_somewhere(page):
    """Files exist, and headings inside pages too. What is measured comes with bench/."""
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        if file.name == "RESULTS.md":
            continue
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text()), target


def anchors(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    named = set(re.findall(r'<a id="([^"]+)"></a>', text))
    return named | {re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles}


def test_the_page_for_integrators_lists_every_error_they_can_meet():
    """Each slug that the service answers, with its status."""
    text = (ROOT / "docs" / "integrators.md").read_text()
    table = text.partition("| Slug |")[2].partition("\n\n")[0]
    listed = {
        slug: int(line.split("|")[2])
        for line in table.splitlines()[2:]
        for slug in re.findall(r"`([a-z-]+)`", line.split("|")[1])
    }

    assert listed == {slug: status for slug, (status, *_) in PROBLEMS.items()}


def test_the_page_for_integrators_lists_every_warning_of_a_send():
    """Each code that is in the sources, and no other; those of bills are on another page."""
    text = (ROOT / "docs" / "integrators.md").read_text()
    table = text.partition("### Warnings")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*)\|", table, re.MULTILINE)
    listed = set(re.findall(r"`([a-z-]+)`", "".join(cells)))
    sources = [
        path.read_text()
        for folder in ("domain", "services/send")
        for path in (ROOT / "einvoice" / folder).rglob("*.py")
    ]
    raised = {
        code
        for source in sources
        for code in re.findall(r'(?:SendWarning\(|"code":|_DROPPED: Final =)\s*"([a-z-]+)"', source)
    }

    assert listed == raised


def test_the_page_for_integrators_lists_every_participant_of_the_sandbox():
    text = (ROOT / "docs" / "integrators.md").read_text()

    assert re.findall(r"^\| `(0088:\d+)` \|", text, re.MULTILINE) == list(MAGIC)


def test_the_contract_is_served_and_linked(stack):
    """/openapi.json is open, and names the routes the page explains."""
    paths = requests.get(f"{stack.url}/openapi.json", timeout=60).json()["paths"]

    assert {"/api/participants/lookup", "/api/invoices/send"} <= paths.keys()
