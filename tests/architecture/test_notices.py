"""NOTICE.md names every file of others that is in the repository."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTICE = (ROOT / "NOTICE.md").read_text()
NAMED = re.findall(r"^\| `([^`]+)` ", NOTICE, re.MULTILINE)
# Of others unless they are in a folder of our own tables.
MADE_BY_OTHERS = (
    "*.ttf",
    "*.otf",
    "*.woff2",
    "*.xsd",
    "*.pem",
    "*.icc",
    "*bundle.js",
    "htmx*.js",
    "icons.svg",
    "codelists/*.csv",
)


@pytest.mark.parametrize("pattern", MADE_BY_OTHERS)
def test_every_folder_with_works_of_others_is_named(pattern: str) -> None:
    found = [
        str(path.relative_to(ROOT))
        for part in ("einvoice", "plugins")
        for path in (ROOT / part).rglob(pattern)
        if "tests" not in path.parts
    ]

    assert [path for path in found if not path.startswith(tuple(NAMED))] == []


@pytest.mark.parametrize("folder", NAMED)
def test_every_named_folder_is_there(folder: str) -> None:
    assert any((ROOT / folder).iterdir())


@pytest.mark.parametrize("folder", [name for name in NAMED if "/fonts/" in name])
def test_a_font_has_its_licence_beside_it(folder: str) -> None:
    assert "SIL OPEN FONT LICENSE" in (ROOT / folder / "OFL.txt").read_text().upper()
