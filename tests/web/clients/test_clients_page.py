"""Each example of docs/clients.md runs as it is printed, with its own imports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "clients.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


def test_each_example_of_python_runs_as_printed(origin: str, caller: Any, working: Any) -> None:
    environ = os.environ | {
        "EINVOICE": origin,
        "KEY": caller.key,
        "PYTHONPATH": str(ROOT / "clients" / "python"),
    }
    printed = []
    for block in BLOCKS:
        done = subprocess.run(
            [sys.executable, "-c", block],
            env=environ, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, block + done.stderr[-2000:]
        printed.append(done.stdout)

    assert printed[0] == "Delivered\n"
    assert "PY-2026-001 121.0\n" in printed[1]
    assert "PY-2026-002 400\n" in printed[1]
    assert printed[-1].startswith("missing-routing [] ")
