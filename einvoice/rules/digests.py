"""Digests of releases of rule sets, by which a report says with which rules it was made."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from einvoice.rules.packs import Pack

_RULES: Final = Path(__file__).parent
_OWN: Final = __package__ or ""
_SUFFIXES: Final = frozenset({".py", ".csv"})
_known: dict[str, str] = {}


def digest_of(pack: Pack) -> str:
    """SHA-256 of all that the findings of a release depend on, in hexadecimal digits.

    That is the list of its rules with their flags, and the files of the engine, of the rules and of
    the code lists; of a plugin's rules also the files beside them. So the same digest means the
    same rules; another one may also be that of rules which another set has.
    """
    found = _known.get(pack.id)
    if found is None:
        digest = hashlib.sha256(pack.id.encode())
        for book in pack.books:
            for rule in book.rules:
                digest.update(f"\n{book.layer} {book.release} {rule.id} {rule.flag}".encode())
        for folder in (_RULES, *sorted(_folders_of_plugins(pack))):
            digest.update(_digest_of_folder(folder))
        found = _known[pack.id] = digest.hexdigest()
    return found


def _folders_of_plugins(pack: Pack) -> set[Path]:
    """The folders of the modules that have the checks of rules and are not of the service."""
    rules = (rule for book in pack.books for rule in book.rules)
    names = {str(getattr(rule.check, "__module__", _OWN)) for rule in rules}
    # What is wrapped by the standard library (a partial) has its module.
    names = {name for name in names if name.partition(".")[0] not in sys.stdlib_module_names}
    foreign = (name for name in names if not f"{name}.".startswith(f"{_OWN}."))
    files = (getattr(sys.modules.get(name), "__file__", None) for name in foreign)
    return {Path(file).parent for file in files if file}


@cache
def _digest_of_folder(folder: Path) -> bytes:
    digest = hashlib.sha256()
    for name, content in _files(folder):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.digest()


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    found = (file for file in folder.rglob("*") if file.suffix in _SUFFIXES)
    for file in sorted(found):
        yield file.relative_to(folder).as_posix(), file.read_bytes()
