"""Request bodies are read in one way: completely, and before a computing slot is taken."""

from __future__ import annotations

import ast
from pathlib import Path

from einvoice.web.admission.request_bodies import receiving_body

WEB = Path(__file__).resolve().parents[2] / "einvoice" / "web"
READING = {"form", "files", "stream", "data", "json", "get_json", "get_data", "input_stream"}
READING_NAMES = {"values", "input_stream"}
# Surrounded by `receiving_body`, as the test below checks.
FORMS = {
    "oauth/views.py": {"form"},
    "directory/views.py": {"files"},
    "dashboard/forms.py": {"get_data", "form"},  # fields are counted before they are parsed
    "dashboard/uploads.py": {"files"},
}


def reads(tree: ast.AST) -> list[ast.Attribute]:
    """Uses of an attribute of `request` that reads the body."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "request"
        and node.attr in READING | READING_NAMES
    ]


def test_no_view_reads_a_body_itself():
    """But `request_bodies.request_body` or `request_file`; forms are parsed in `receiving_body`."""
    found = {
        (str(path.relative_to(WEB)), node.attr)
        for path in WEB.rglob("*.py")
        for node in reads(ast.parse(path.read_text()))
    }

    assert found == {
        ("admission/request_bodies.py", "get_data"),
        ("admission/request_bodies.py", "stream"),  # of `request_file`
        *((name, read) for name, names in FORMS.items() for read in names),
    }


def test_forms_are_parsed_where_bodies_may_be_waited_for():
    for name, names in FORMS.items():
        tree = ast.parse((WEB / name).read_text())
        blocks = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.With)
            and receiving_body.__name__ in ast.unparse(node.items[0].context_expr)
        ]
        inside = [read for block in blocks for read in reads(block)]
        assert len(inside) == len(reads(tree)) == len(names), name
