"""A file that a command writes, and that must not be there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import click


class NewFile(click.Path):
    """The path of a file that is not there, in a directory that is: nothing is replaced, and no
    work is done in vain."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        file = Path(os.fsdecode(super().convert(value, param, ctx)))
        if file.exists():
            self.fail(f"{file} exists; it is not replaced.", param, ctx)
        if not file.parent.is_dir():
            self.fail(f"There is no directory {file.parent}.", param, ctx)
        return file


NEW_FILE: Final = NewFile(dir_okay=False, path_type=Path)
