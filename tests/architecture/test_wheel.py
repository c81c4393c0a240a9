"""What is installed is what was written, and it runs where no source tree is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("einvoice", "jobs", "migrations")
PLUGINS = (
    "plugins/loopback",
    "plugins/peppol",
    "plugins/gateway",
    "plugins/anaf",
    "plugins/ksef",
    "plugins/mail",
    "plugins/zatca",
    "plugins/fr-ctc",
)
MADE_BY_RUNNING = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy: a build leaves traces. Of files, not of Git, which need not be there."""
    source = tmp_path_factory.mktemp("source")
    for name in (*PACKAGES, *PLUGINS):
        shutil.copytree(ROOT / name, source / name, ignore=MADE_BY_RUNNING)
    for path in ROOT.iterdir():
        if path.is_file() and not path.name.startswith("."):
            shutil.copy(path, source)
    return source


@pytest.fixture(scope="module")
def wheels(source: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The service, and the plugins that come with it: the demo uses the simulated network."""
    directory = tmp_path_factory.mktemp("wheels")
    subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
            "--disable-pip-version-check", "-w", directory, source,
            *(source / name for name in PLUGINS),
        ],
        cwd=directory, check=True, capture_output=True,
    )  # fmt: skip
    return sorted(directory.glob("*.whl"))


def test_the_wheel_holds_every_file_of_the_package(wheels: list[Path]) -> None:
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*") if path.is_file()]
    written = {str(path.relative_to(ROOT)) for path in files if "__pycache__" not in path.parts}
    service = next(path for path in wheels if path.name.startswith("einvoice-"))

    assert written <= set(zipfile.ZipFile(service).namelist())


def test_the_wheel_holds_the_pages_of_the_documentation(wheels: list[Path]) -> None:
    """They are served at /docs, where no source tree is."""
    pages = {f"einvoice/web/documentation/markdown/{p.name}" for p in ROOT.glob("docs/*.md")}
    service = next(path for path in wheels if path.name.startswith("einvoice-"))

    assert pages
    assert pages <= set(zipfile.ZipFile(service).namelist())


def test_a_wheel_is_plain_python_unless_it_is_asked_to_be_compiled(wheels: list[Path]) -> None:
    """It installs where no compiler is, on any platform."""
    service = next(path for path in wheels if path.name.startswith("einvoice-"))

    assert service.name.endswith("-py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(service).namelist() if name.endswith(".so")]


def test_the_wheel_of_peppol_holds_the_authorities(wheels: list[Path]) -> None:
    """Without them no certificate is trusted, which only a network would show."""
    files = (ROOT / "plugins" / "peppol" / "einvoice_peppol" / "anchors").rglob("*.pem")
    written = {str(path.relative_to(ROOT / "plugins" / "peppol")) for path in files}
    plugin = next(path for path in wheels if path.name.startswith("einvoice_peppol-"))

    assert len(written) == 6
    assert written <= set(zipfile.ZipFile(plugin).namelist())


@pytest.mark.long
def test_the_demo_runs_from_wheels_alone(wheels: list[Path], tmp_path: Path) -> None:
    """In an empty environment with the dependencies, in a directory without the source."""
    environment = tmp_path / "environment"
    python = environment / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    packages = next((environment / "lib").glob("python3*")) / "site-packages"
    # Editable installations of this directory are not seen through it, only its packages.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    for wheel in wheels:
        subprocess.run(
            [python, "-m", "pip", "install", "-q", "--no-deps", "--no-index",
             "--disable-pip-version-check", wheel],
            check=True, capture_output=True,
        )  # fmt: skip
    environ = {"PATH": f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}", "LANG": "C.UTF-8"}
    command = ["einvoice", "demo", "--oneshot", "--listen", f"127.0.0.1:{free_port()}"]
    used = subprocess.run(
        [python, "-c", "import einvoice, jobs, migrations; print(einvoice.__file__)"],
        cwd=tmp_path, env=environ, capture_output=True, text=True, check=True,
    )  # fmt: skip
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, timeout=300, check=False
    )

    assert str(packages) in used.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Delivered" in done.stdout
