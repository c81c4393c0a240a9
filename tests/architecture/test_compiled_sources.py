"""The sources of the rules compile to what they say (setup.py): constructs that would not.

`make compiled` compiles them and judges documents; these tests name the cause before that.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def _setup() -> ModuleType:
    spec = importlib.util.spec_from_file_location("einvoice_setup", ROOT / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RULES = ROOT / "einvoice" / "rules"
MODULES: list[Path] = _setup().compiled_modules()


def test_all_modules_of_the_rules_are_compiled_but_the_named_ones() -> None:
    """An exception names a module that exists, and has a reason."""
    plain: dict[str, str] = _setup().PLAIN

    assert {*MODULES, *(RULES / name for name in plain)} == {
        path for path in RULES.rglob("*.py") if path.name != "__init__.py"
    }
    assert all(plain.values())


def test_no_function_is_defined_in_a_loop_of_a_module() -> None:
    """Compiled, all of them have the default arguments of the last turn: use a factory."""
    found = [
        f"{path.relative_to(RULES)}: {node.name}"
        for path in MODULES
        for loop in ast.parse(path.read_text()).body
        if isinstance(loop, ast.For)
        for node in ast.walk(loop)
        if isinstance(node, ast.FunctionDef)
    ]

    assert not found


def test_no_rule_is_declared_inside_of_a_function() -> None:
    """Compiled, an inner function has no docstring and no name: `add` takes the requirement."""
    found = [
        f"{path.relative_to(RULES)}: {inner.name}"
        for path in MODULES
        for outer in ast.walk(ast.parse(path.read_text()))
        if isinstance(outer, ast.FunctionDef)
        for inner in ast.walk(outer)
        if isinstance(inner, ast.FunctionDef) and inner is not outer
        if any(
            ast.unparse(each).partition("(")[0].endswith(".rule") for each in inner.decorator_list
        )
    ]

    assert not found


def test_a_plain_module_of_rules_is_not_both_named_and_imported_from() -> None:
    """Compiled, its name is None after `from p import m` and `from p.m import x`: use one."""
    assert not [f"{path.relative_to(RULES)}: {name}" for path in MODULES for name in _twice(path)]


def _twice(path: Path) -> set[str]:
    """The plain modules of rules that are imported in both ways."""
    imported = [
        node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)
    ]
    named = {f"{node.module}.{alias.name}" for node in imported for alias in node.names}
    compiled = {".".join(each.relative_to(ROOT).with_suffix("").parts) for each in MODULES}
    return (named & {node.module or "" for node in imported}) - compiled


def test_fields_of_dataclasses_name_classes_that_exist_already() -> None:
    """Compiled, a class that is imported for type checking only, or defined later, is a crash."""
    assert not [f"{path.relative_to(RULES)}: {name}" for path in MODULES for name in _early(path)]


def _early(path: Path) -> Iterator[str]:
    """The names in fields of dataclasses that are no classes yet."""
    body = ast.parse(path.read_text()).body
    unknown = {
        alias.name
        for node in body
        if isinstance(node, ast.If)
        for each in node.body
        if isinstance(each, ast.ImportFrom)
        for alias in each.names
    } | {node.name for node in body if isinstance(node, ast.ClassDef)}
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from (name for name in _field_types(node) if name in unknown)
            unknown.discard(node.name)


def _field_types(definition: ast.ClassDef) -> Iterator[str]:
    """The names in the annotations of a dataclass; none for another class."""
    if not any("dataclass" in ast.unparse(each) for each in definition.decorator_list):
        return
    for field in definition.body:
        if isinstance(field, ast.AnnAssign):
            yield from (n.id for n in ast.walk(field.annotation) if isinstance(n, ast.Name))


def test_contexts_that_other_modules_import_are_annotated() -> None:
    """All modules are one group for mypyc, which infers no type before its module was checked."""
    found = [
        f"{path.relative_to(RULES)}: {ast.unparse(node.targets[0])}"
        for path in RULES.rglob("contexts.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in {"context", "switch", "case"}
    ]

    assert not found
