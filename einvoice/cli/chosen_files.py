"""The files that `einvoice validate` checks: named ones, and the files of folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatch
from pathlib import Path, PurePath
from typing import Final

from einvoice.cli.checked_file import CheckedFile
from einvoice.cli.file_checker import STANDARD_INPUT

SUFFIXES: Final = frozenset({".xml", ".pdf"})


class Others(StrEnum):
    """Treatment of files in folders that are no invoices, such as an order or a schema."""

    REPORTED = "reported"  # but for the exit code, which they do not decide
    IGNORED = "ignored"
    COUNTED = "counted"  # as a file that is named


@dataclass(frozen=True, slots=True)
class ChosenFiles:
    """The files in the order given; in a folder in alphabetical order.

    in_folders  those that nobody has named
    """

    files: Sequence[str]
    in_folders: frozenset[str]

    @classmethod
    def of(
        cls, paths: Sequence[str], include: Sequence[str] = (), exclude: Sequence[str] = ()
    ) -> ChosenFiles:
        """The files of these paths.

        Patterns hold for files of folders: `*` and `?` stand for any characters, and what is
        compared is the name, or the path below the folder if the pattern has a slash.

        include  only files that fit one of these, of any suffix; none: every *.xml and *.pdf
        exclude  not those that fit one of these
        """
        files: list[str] = []
        in_folders: set[str] = set()
        for path in paths:
            folder = Path(path)
            if path == STANDARD_INPUT or not folder.is_dir():
                files.append(path)
            else:
                found = sorted(_files_of(folder, include, exclude))
                files += found
                in_folders.update(found)
        return cls(files, frozenset(in_folders.difference(paths)))

    def counted(self, checked: Iterable[CheckedFile], others: Others) -> Iterator[CheckedFile]:
        """The results that are reported; `is_other` only where they decide nothing."""
        for each in checked:
            if not each.is_other or each.file not in self.in_folders or others is Others.COUNTED:
                yield replace(each, is_other=False) if each.is_other else each
            elif others is Others.REPORTED:
                yield each


def _files_of(folder: Path, include: Sequence[str], exclude: Sequence[str]) -> Iterator[str]:
    for file in folder.rglob("*"):
        below = file.relative_to(folder)
        wanted = _fits(below, include) if include else file.suffix.lower() in SUFFIXES
        if wanted and not _fits(below, exclude) and file.is_file():
            yield str(file)


def _fits(path: PurePath, patterns: Iterable[str]) -> bool:
    return any(fnmatch(str(path) if "/" in each else path.name, each) for each in patterns)
