"""What is installed is what was written: schemas, code lists and words included."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "einvoice", "jobs"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    source = tmp_path / "source"
    subprocess.run(["git", "checkout-index", "-a", f"--prefix={source}/"], cwd=ROOT, check=True)
    subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
            "--disable-pip-version-check", "-w", str(tmp_path), str(source),
        ],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip

    (wheel,) = tmp_path.glob("*.whl")
    assert set(listed.stdout.split()) <= set(zipfile.ZipFile(wheel).namelist())
