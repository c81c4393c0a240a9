"""Each member of the plugin interface says since which interface it exists, and none goes away."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from einvoice.network import types

HERE = Path(__file__).parent
SINCE = re.compile(r"Since interface (\d+)(?:; ([^.]*): interface (\d+))?\.")
Statement = ast.ClassDef | ast.FunctionDef | ast.Assign


def statements(source: str) -> Iterator[tuple[str, Statement, str]]:
    """Each public name of a module, its statement, and the text that describes it."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name, node, ast.get_docstring(node) or ""
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            above = lines[: node.lineno - 1]
            comment = [line for line in above[-2:] if line.startswith("#")]
            yield node.targets[0].id, node, "\n".join(comment)


def parts(node: Statement) -> Iterator[str]:
    """The public attributes and methods of a class."""
    for part in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id
        elif isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
            yield part.name


def interface(source: str) -> Iterator[str]:
    """Each member with its interface, such as `Envelope.buyer 2`; `?` where nothing is said."""
    for name, node, text in statements(source):
        said = SINCE.search(" ".join(text.split()))
        first, later, second = said.groups() if said else ("?", None, None)
        yield f"{name} {first}"
        for part in parts(node):
            is_later = f"`{part}`" in (later or "")
            yield f"{name}.{part} {second if is_later else first}"


def test_every_member_of_the_interface_says_since_when_it_exists():
    found = list(interface(Path(types.__file__).read_text()))

    assert len(found) > 150
    assert [each for each in found if each.endswith("?")] == []
    assert {int(each.split()[1]) for each in found} == set(types.SUPPORTED_INTERFACES)


def test_the_interface_is_the_recorded_one():
    """What is new is recorded with its interface; what is gone would stop plugins."""
    recorded = (HERE / "interface.txt").read_text().split("\n")[:-1]

    assert sorted(interface(Path(types.__file__).read_text())) == recorded


def test_a_member_without_its_interface_is_found():
    source = 'class New:\n    """New."""\n    field: int\n\nLIMIT = 3\n'

    assert list(interface(source)) == ["New ?", "New.field ?", "LIMIT ?"]
