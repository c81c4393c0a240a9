"""The map of the code is read between changes: its paragraphs stay short and in their order."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_CHARACTERS = 400
# The order of the path of a send.
ORDER = [
    "Admission",
    "Computing",
    "Lists and pages",
    "Accounts and connections",
    "Delivery",
    "Storage",
]


def page() -> str:
    return (ROOT / "docs" / "architecture.md").read_text()


def test_no_paragraph_of_the_map_is_longer_than_can_be_read_at_once() -> None:
    paragraphs = [line for line in page().splitlines() if line.startswith("**")]

    assert len(paragraphs) > 20
    assert [each for each in paragraphs if len(each) > MAX_CHARACTERS] == []


def test_the_paragraphs_of_the_map_are_in_the_order_of_the_path() -> None:
    assert re.findall(r"^### (.+)$", page(), re.MULTILINE) == ORDER
