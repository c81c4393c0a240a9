"""Compiled rules judge as plain ones do. `make compiled` makes both and runs this.

tests/compiled/prepare makes the environment; tests/compiled/run names the tree with plain rules.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.rules import grown
from einvoice import rules
from einvoice.rules import Syntax, pack_on
from einvoice.xml import parse
from tests.compiled.judging import DAY, documents, line

pytestmark = pytest.mark.skipif(not rules.are_compiled(), reason="for `make compiled`")


def test_findings_values_and_order_are_those_of_the_plain_rules() -> None:
    """Samples, also of networks, long invoices, broken documents, and some of each corpus."""
    tree = Path(os.environ["EINVOICE_PLAIN_TREE"])
    plain = subprocess.run(
        [tree / ".venv" / "bin" / "python", "-m", "tests.compiled.judging"],
        cwd=tree, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    compiled = [f"{number} {line(content)}" for number, content in enumerate(documents())]

    assert len(compiled) > 3_000
    assert compiled == plain


def test_every_module_of_the_rules_but_the_exceptions_is_compiled() -> None:
    """Packages, and what PLAIN in setup.py names, are not."""
    loaded = {
        name: str(module.__file__)
        for name, module in sys.modules.items()
        if name.startswith("einvoice.rules.")
    }
    plain = {
        name
        for name, file in loaded.items()
        if file.endswith(".py") and not file.endswith("__init__.py")
    }

    assert len(loaded) > 100
    assert plain == {"einvoice.rules.book", "einvoice.rules.layers"}


def test_rules_have_the_requirements_of_the_plain_ones() -> None:
    """mypyc keeps no docstrings; they are the first sentence of a report."""
    missing = [
        rule.id
        for rule_set in rules.built_in()
        for pack in rule_set.packs
        for book in pack.books
        for rule in book.rules
        if not rule.requires
    ]

    assert not missing


def test_the_traceback_of_an_error_names_the_line_of_the_source() -> None:
    """Of a compiled function, as of a plain one."""
    engine = pack_on(DAY).engine(Syntax.UBL)
    with pytest.raises(Exception) as caught:  # what is raised is not the point
        engine.check(object())  # type: ignore[arg-type]
    files = [entry.path for entry in caught.traceback]

    assert any(str(file).endswith("einvoice/rules/engine.py") for file in files)


def _findings(content: bytes) -> int:
    return len(pack_on(DAY).engine(Syntax.UBL).check(parse(content), content).findings)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_child_process_judges_with_the_compiled_rules(method: str) -> None:
    """As computing processes and workers do."""
    content = grown("UBL", 2).replace(b">380<", b">X<")
    with multiprocessing.get_context(method).Pool(1) as pool:
        found = pool.apply(_findings, (content,))

    assert found == _findings(content) > 0
