"""A file that a command writes, and that must not be there."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import click


class NewFile(click.Path):
    """The path of a file that is not there: nothing is replaced."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        file = Path(os.fsdecode(super().convert(value, param, ctx)))
        if file.exists():
            self.fail(f"{file} exists; it is not replaced.", param, ctx)
        return file


NEW_FILE: Final = NewFile(dir_okay=False, path_type=Path)
