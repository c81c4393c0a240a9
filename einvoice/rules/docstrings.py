"""Docstrings of functions; of compiled ones from the source, because mypyc keeps none."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path


def first_line(function: Callable[..., object]) -> str:
    """The first line of the docstring of a function of a module, "" if it has none."""
    written = function.__doc__ or _written(function.__module__).get(function.__name__, "")
    return written.strip().partition("\n")[0]


@cache
def _written(module: str) -> Mapping[str, str]:
    """The docstrings in the source of a compiled module, by function; none of a plain one."""
    file = Path(str(sys.modules[module].__file__))
    if file.suffix == ".py":
        return {}
    source = file.with_name(f"{module.rpartition('.')[2]}.py").read_text(encoding="utf-8")
    return {
        node.name: ast.get_docstring(node) or ""
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    }
