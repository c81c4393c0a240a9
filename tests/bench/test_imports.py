"""The programs of bench/ start: what they import from the service and from the tests is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import bench
from tests.waiting import DEADLINE_SECONDS

FOLDER = Path(bench.__path__[0])
IMPORT = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"


def test_every_program_of_bench_can_be_imported() -> None:
    """In a process of its own, for some put folders of plugins on the path."""
    names = [f"bench.{each.stem}" for each in sorted(FOLDER.glob("*.py"))]
    assert "bench.as4_delivery" in names

    run = subprocess.run(
        [sys.executable, "-c", IMPORT, *names],
        cwd=FOLDER.parent,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )

    assert run.returncode == 0, run.stderr
