"""The code of docs/sdks.md is that of the programs that `make sdk` compiles and runs."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUITE = ROOT / "tests" / "interop" / "sdk"
PAGE = (ROOT / "docs" / "sdks.md").read_text()
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SUFFIXES = {"python": ".py", "ts": ".ts", "java": ".java", "yaml": ".yaml"}


def blocks(language: str) -> list[str]:
    return [text for name, text in BLOCK.findall(PAGE) if name == language]


def programs(suffix: str) -> list[list[str]]:
    """The lines of every source file of the suite."""
    return [path.read_text().splitlines() for path in SUITE.rglob(f"*{suffix}")]


def is_part(block: str, lines: list[str]) -> bool:
    """Whether the block is a run of these lines, indented alike."""
    wanted = block.splitlines()
    runs = (lines[start : start + len(wanted)] for start in range(len(lines)))
    return any(textwrap.dedent("\n".join(run)).splitlines() == wanted for run in runs)


@pytest.mark.parametrize("language", SUFFIXES)
def test_each_block_is_part_of_a_tested_program(language: str) -> None:
    sources = programs(SUFFIXES[language])
    # What takes address and key of the environment is run from the page itself.
    quoted = [b for b in blocks(language) if "os.environ" not in b and "process.env" not in b]
    foreign = [b for b in quoted if not any(is_part(b, lines) for lines in sources)]

    assert len(blocks(language)) >= 3
    assert foreign == []


@pytest.mark.parametrize(
    ("language", "file"),
    [
        ("python", "python/sending.py"),
        ("ts", "typescript/sending.ts"),
        ("java", "java/src/main/java/com/example/journey/Sending.java"),
    ],
)
def test_the_page_shows_every_function_that_sends(language: str, file: str) -> None:
    """With the imports: a reader who copies the blocks lacks nothing."""
    shown = {line.strip() for block in blocks(language) for line in block.splitlines()}
    start = r"^(?:async )?def |^export |^  (?:private )?static |^import |^from (?!__future__)"
    heads = [line for line in (SUITE / file).read_text().splitlines() if re.match(start, line)]

    assert len(heads) >= 8
    assert [line for line in heads if line.strip() not in shown] == []


def test_the_page_names_the_version_of_the_generator() -> None:
    """The one that the suite downloads."""
    version = re.search(r"^GENERATOR=(.+)$", (SUITE / "versions").read_text(), re.MULTILINE)

    assert version is not None
    assert set(re.findall(r"openapi-generator-cli[:-](\d[\d.]*\d)", PAGE)) == {version[1]}
    assert f"openapi-generator.tech) {version[1]}" in PAGE
