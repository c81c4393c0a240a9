"""Files printed on a page of the documentation, written and run as a reader would."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = re.compile(r"^\*\*`([\w./]+)`\*\*\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


def write_files(text: str, directory: Path) -> None:
    """Write each file that a page prints below its name in bold."""
    for name, content in FILE.findall(text):
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def files_in(directory: Path) -> list[str]:
    return sorted(str(p.relative_to(directory)) for p in directory.rglob("*") if p.is_file())


def install(project: Path, wheels: Path, site: Path) -> None:
    """Build the project into a wheel, and unpack it into a directory for modules."""
    python("-c", BUILD, str(wheels), directory=project)
    (wheel,) = wheels.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)


def python(*arguments: str, directory: Path, path: tuple[Path, ...] = (), **variables: str) -> str:
    """What the interpreter prints; its exit code is 0."""
    paths = [str(p) for p in (*path, ROOT)]
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=directory,
        env=os.environ | variables | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_tests(project: Path, site: Path) -> tuple[int, int, str]:
    """How many of the project's tests passed and were skipped, and what pytest printed."""
    flags = ("-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "tests")
    said = python(*flags, directory=project, path=(site,))
    found = re.search(r"(\d+) passed, (\d+) skipped", said)
    assert found is not None, said
    return int(found[1]), int(found[2]), said


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def anchors_in_links(text: str, name: str) -> set[str]:
    """The anchors to which a page's links to another page lead."""
    return set(re.findall(rf"\]\({re.escape(name)}#([\w-]+)\)", text))
