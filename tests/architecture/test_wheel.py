"""What is installed is what was written: schemas, code lists and words included."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("einvoice", "jobs")
MADE_BY_RUNNING = shutil.ignore_patterns("__pycache__", "*.egg-info")


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    """Made of a copy: a build leaves traces. Of files, not of Git, which need not be there."""
    source = tmp_path / "source"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=MADE_BY_RUNNING)
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, source)
    written = {
        str(path.relative_to(source))
        for name in PACKAGES
        for path in (source / name).rglob("*")
        if path.is_file()
    }
    subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
            "--disable-pip-version-check", "-w", str(tmp_path), str(source),
        ],
        cwd=tmp_path, check=True, capture_output=True,
    )  # fmt: skip

    (wheel,) = tmp_path.glob("*.whl")
    assert written <= set(zipfile.ZipFile(wheel).namelist())
