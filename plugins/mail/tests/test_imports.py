"""The import contracts of this distribution, from its setup.cfg."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_the_plugin_imports_the_interface_and_not_the_service():
    lint = Path(sys.executable).with_name("lint-imports")
    folder = Path(__file__).parents[1]
    environ = os.environ | {"PYTHONPATH": str(folder.parent / "peppol")}
    verdict = subprocess.run(
        [lint, "--no-cache"], cwd=folder, env=environ, capture_output=True, text=True
    )

    assert verdict.returncode == 0, verdict.stdout + verdict.stderr
