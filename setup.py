"""Compiles the rules with mypyc where EINVOICE_COMPILED=1 is set; else setup.cfg says it all.

    EINVOICE_COMPILED=1 pip install .

Every module of `einvoice/rules` is compiled, except the `__init__.py` of packages and those of
PLAIN. The sources are installed beside the compiled modules, for tracebacks and data files.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from setuptools import setup

ROOT = Path(__file__).resolve().parent
RULES = ROOT / "einvoice" / "rules"
# Modules that stay plain, with the reason.
PLAIN = {
    "book.py": "DeferredBook computes what the class it inherits from stores",
    "layers.py": "its classes are texts, and compiled classes cannot inherit from str",
}
_BUILDING = {"bdist_wheel", "build", "build_ext"}  # other commands read the metadata only


def compiled_modules() -> list[Path]:
    """The modules to compile."""
    modules = (path for path in sorted(RULES.rglob("*.py")) if path.name != "__init__.py")
    return [path for path in modules if str(path.relative_to(RULES)) not in PLAIN]


def extension_modules() -> list[Any]:
    """What setuptools builds: a shared library with all modules, and a stub for each."""
    from mypyc.build import mypycify  # a plain build does not have it

    # The types of libraries do not matter: an isolated build has none of them.
    options = ["--config-file=", "--ignore-missing-imports", "--follow-imports=silent"]
    modules: list[Any] = mypycify(
        [*options, "-p", "einvoice.rules"],
        only_compile_paths=[str(path) for path in compiled_modules()],
        debug_level="0",
    )
    return modules


def build_requirements() -> list[str]:
    """What an isolated build installs."""
    lines = (ROOT / "requirements" / "build.in").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def main() -> None:
    if os.environ.get("EINVOICE_COMPILED") != "1":
        setup()
        return
    building = not _BUILDING.isdisjoint(sys.argv)
    setup(
        setup_requires=build_requirements(),
        ext_modules=extension_modules() if building else [],
    )


if __name__ == "__main__":
    main()
