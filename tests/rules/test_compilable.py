"""mypyc can type all modules of the rules: the first part of `make compiled`.

It judges them as one cycle, and needs the types of some constants that mypy infers.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TYPE = """
import setup
from mypyc.build import construct_groups, get_mypy_config
from mypyc.codegen.emitmodule import parse_and_typecheck
from mypyc.options import CompilerOptions

paths, options = [str(path) for path in setup.compiled_modules()], CompilerOptions()
compiled, read, of_mypy = get_mypy_config(
    ["--config-file=", "--ignore-missing-imports", "--follow-imports=silent", "-p",
     "einvoice.rules"], paths, options, None)
groups = construct_groups(compiled, False, len(compiled) > 1, None)
parse_and_typecheck(read, of_mypy, options, groups)
print("modules:", len(compiled))
"""


@pytest.mark.plain
def test_the_rules_can_be_compiled(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", TYPE], cwd=ROOT, capture_output=True, text=True, timeout=600,
        check=False, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    said = done.stdout + done.stderr

    assert "modules: " in said, said[-2000:]
