"""A release made from a commit: its wheels in an environment of their own, and its processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench.service import ROOT
from einvoice.cli.stack import Stack
from tests.access_points import http_access_point
from tests.ports import free_port

FIRST = "2f6385a4"  # the commit of 0.1.0, which has no tag
WHEELS = (".", "plugins/loopback")


@dataclass(frozen=True)
class Release:
    """A release that can be started.

    name    as the trial prints it
    python  the interpreter that has its packages
    path    PYTHONPATH of its processes: the plugin of the simulated network
    """

    name: str
    python: Path
    path: str

    def environ(self, given: Mapping[str, str]) -> dict[str, str]:
        """The variables of its processes, which import nothing from the current directory."""
        return {**given, "PYTHONPATH": self.path, "PYTHONSAFEPATH": "1"}

    def home(self) -> Path:
        """Where its code is imported from."""
        code = "import einvoice; print(einvoice.__file__)"
        found = subprocess.check_output(
            [self.python, "-c", code], env=self.environ(os.environ), text=True
        )
        return Path(found.strip())

    def run(self, environ: Mapping[str, str], *words: str) -> str:
        """Run a command to its end; its output. Raises CalledProcessError."""
        return subprocess.run(
            [self.python, "-m", "einvoice.cli", *words], env=self.environ(environ), check=True,
            stdout=subprocess.PIPE, text=True,
        ).stdout.strip()  # fmt: skip

    def lanes(self, environ: Mapping[str, str]) -> list[str]:
        code = "from einvoice.store import outbox; print(*outbox.LANES)"
        command = [self.python, "-c", code]
        return subprocess.check_output(command, env=self.environ(environ), text=True).split()


def last_release() -> str:
    """The newest tag that is not this commit, else the commit of 0.1.0."""
    tags = _git("tag", "--sort=-creatordate", "--list", "v*").split()
    here = _git("rev-parse", "HEAD")
    return next((tag for tag in tags if _git("rev-list", "-n1", tag) != here), FIRST)


def present(directory: Path) -> Release:
    """This checkout, with its own environment."""
    http_access_point.announce(directory / "plugins")
    paths = (directory / "plugins", ROOT, ROOT / "plugins/loopback")
    name = f"present ({_git('rev-parse', '--short', 'HEAD')})"
    return Release(name, Path(sys.executable), os.pathsep.join(map(str, paths)))


def built(commit: str, directory: Path) -> Release:
    """Build the wheels of the commit and install them, with the packages that it names.

    A directory in which that was done before is used as it is.
    """
    source, plugins, wheels = (directory / name for name in ("source", "plugins", "wheels"))
    python, done = directory / "environment/bin/python", directory / "complete"
    found = Release(
        f"before ({_git('rev-parse', '--short', f'{commit}^{{commit}}')})", python, str(plugins)
    )
    if done.exists() and done.read_text() == found.name:
        return _of_its_own(found, directory)
    shutil.rmtree(directory, ignore_errors=True)
    source.mkdir(parents=True)
    archive = subprocess.Popen(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE)
    assert archive.stdout is not None
    _unpack(archive.stdout, source)
    if archive.wait():
        raise ValueError(f"there is no commit {commit}")
    environ = {**os.environ, "EINVOICE_COMPILED": "0"}
    pip = ["-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run(
        [sys.executable, *pip, "wheel", "--no-deps", "--no-build-isolation", "-w", wheels,
         *(source / each for each in WHEELS)],
        check=True, env=environ,
    )  # fmt: skip
    subprocess.run([sys.executable, "-m", "venv", directory / "environment"], check=True)
    locked = ["--require-hashes", "-r", source / "requirements/runtime.txt"]
    subprocess.run([python, *pip, "install", *locked], check=True)
    subprocess.run([python, *pip, "install", "--no-deps", *wheels.glob("*.whl")], check=True)
    http_access_point.announce(plugins)
    shutil.copytree(source / "tests/access_points", plugins / "tests/access_points")
    shutil.rmtree(source)
    done.write_text(found.name)
    return _of_its_own(found, directory)


def _of_its_own(found: Release, directory: Path) -> Release:
    """The release, whose processes run its own code. Raises ValueError."""
    if directory not in found.home().parents:
        raise ValueError(f"{found.name} would run the code of {found.home()}")
    return found


def _unpack(archive: IO[bytes], into: Path) -> None:
    subprocess.run(["tar", "-x", "-C", into], stdin=archive, check=True)
    archive.close()


def _git(*words: str) -> str:
    return subprocess.check_output(["git", *words], cwd=ROOT, text=True).strip()


class Side(Stack):
    """The processes of one release, with logs in a directory of their own."""

    def __init__(self, release: Release, directory: Path, environ: Mapping[str, str]) -> None:
        self.release = release
        environ = release.environ(environ)
        workers = dict.fromkeys(release.lanes({**os.environ, **environ}), 1)
        super().__init__(directory, f"127.0.0.1:{free_port()}", environ, workers=workers)

    def command(self, name: str) -> None:
        """Start a process of this release's own interpreter."""
        self.children.start(
            name,
            [str(self.release.python), "-m", "einvoice.cli", *self.commands[name]],
            env=self.environ,
            log=self.data_dir / f"{name}.log",
        )

    def run(self, *words: str) -> str:
        """Run a command of this release to its end; its output. Raises CalledProcessError."""
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.release.run(self.environ, *words)

    def restart(self, name: str) -> None:
        """Kill a process and start it again, without waiting until it works."""
        self.children.kill(name)
        self.command(name)

    def kill(self) -> None:
        """Kill all processes at once: their leases stay."""
        for name in self.commands:
            self.children.kill(name)
