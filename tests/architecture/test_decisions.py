"""Every "decisions 19.1" in code, tests and docs is an entry of docs/decisions.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("einvoice", "jobs", "plugins", "tests", "bench", "migrations", "deploy", "docs")
ENTRY = re.compile(r'^##+ <a id="d([\d.]+)"></a>\1[. ]', re.MULTILINE)
# One number or several, as in "decisions 17.2 to 17.7" and "decisions 0.2, 17.14, 19.15".
NUMBER = r"\d+(?:\.\d+)?"
CITATION = re.compile(rf"\bdecisions?\s+((?:{NUMBER}(?:, | and | to |, and )?)+)", re.IGNORECASE)


def citations() -> Iterator[tuple[str, str]]:
    """Each cited number with the file that cites it."""
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".md", ".toml", ".lua"} and path != Path(__file__):
                for found in CITATION.finditer(path.read_text()):
                    for number in re.findall(NUMBER, found[1]):
                        yield number, str(path.relative_to(ROOT))


def entries() -> list[str]:
    """The numbers of the entries of docs/decisions.md."""
    return ENTRY.findall((ROOT / "docs" / "decisions.md").read_text())


def test_each_number_has_one_entry() -> None:
    assert sorted(entries()) == sorted(set(entries()))


def test_every_cited_decision_has_an_entry() -> None:
    """A citation is worth something only if its reason can be read."""
    known = set(entries())
    cited = set(citations())

    assert len(cited) > 100, "the citations are found"
    assert {found for found in cited if found[0] not in known} == set()


# A row of the table at the top: the group, and its key words.
TOPIC = re.compile(r"^\| \[(\d+)\. [^\]]+\]\(#d\1\) \| ([^|]+) \|$", re.MULTILINE)
KEY_WORDS = 5


def test_each_group_is_found_by_five_key_words() -> None:
    """Readers look for a topic; only code knows numbers."""
    topics = dict(TOPIC.findall((ROOT / "docs" / "decisions.md").read_text()))

    assert sorted(topics, key=int) == sorted({n for n in entries() if "." not in n}, key=int)
    assert {n: words for n, words in topics.items() if len(words.split(", ")) != KEY_WORDS} == {}
