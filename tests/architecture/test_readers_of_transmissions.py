"""What asks for documents finds no message: a transmission without an invoice.

A statement about transmissions says which it means: it joins `invoices`, asks for `invoice_id` or
`listed_at`, which a message has not, or has the ids of transmissions. Others are listed here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import einvoice

ROOT = Path(einvoice.__file__).parent
# Names of the statement that say which transmissions it is about.
SAYS = ("invoice_id", "listed_at", "Transmission.id", "transmissions.id", "transmission_id")
SAYS_BY_JOIN = ("Invoice", "invoices")
# Statements about documents and messages, and why.
OF_BOTH = {
    "installation.recoveries._uncertain": "by outbox rows: both may have been sent after a restore",
    "installation.recoveries.count_uncertain": "the same",
    "sending.transmissions.needing_attention": "operators settle both",
}


def statements(source: str, name: str) -> Iterator[tuple[str, str]]:
    """(name, text) of each function and value of a module that mentions transmissions."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef):
            continue
        text = ast.get_source_segment(source, node) or ""
        if "= RecordColumns(" in text:  # columns, of a statement that selects them
            continue
        if "Transmission." in text or "select(Transmission" in text or _is_sql(text):
            label = getattr(node, "name", None) or ast.unparse(node).partition(" =")[0]
            yield f"{name}.{label.partition(':')[0]}", text


def _is_sql(text: str) -> bool:
    return any(f"{word} transmissions" in text for word in ("FROM", "JOIN", "UPDATE"))


def forgets(text: str) -> bool:
    """Whether the statement finds messages where it may mean documents."""
    return not any(word in text for word in (*SAYS, *SAYS_BY_JOIN))


def readers() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "store").rglob("*.py")):
        if "tables" not in path.parts:
            name = ".".join(path.relative_to(ROOT / "store").with_suffix("").parts)
            yield from statements(path.read_text(), name)


def test_every_reader_of_transmissions_asks_for_an_invoice_or_is_listed() -> None:
    found = dict(readers())
    forgetful = {name for name, text in found.items() if forgets(text)}

    assert len(found) > 40
    assert forgetful <= OF_BOTH.keys(), forgetful - OF_BOTH.keys()
    assert OF_BOTH.keys() <= found.keys()


def test_only_the_store_names_the_table() -> None:
    """So that its statements are all that is to be looked at."""
    outside = [
        str(path.relative_to(ROOT))
        for path in ROOT.rglob("*.py")
        if "store" not in path.parts and "import Transmission" in path.read_text()
    ]

    assert outside == []


COUNT = "def count(tenant):\n    return select(func.count()).where(Transmission.{})\n"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("tenant_id == tenant", True),
        ("listed_at >= since", False),
        ("invoice_id.is_not(None)", False),
    ],
)
def test_a_new_reader_that_forgets_the_invoice_is_found(condition: str, expected: bool) -> None:
    ((_, text),) = statements(COUNT.format(condition), "usage")

    assert forgets(text) is expected
