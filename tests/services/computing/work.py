"""Functions that tests run in computing processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import NoReturn

from einvoice.domain.errors import FieldError, InvalidField


def pid(_: object = None) -> int:
    return os.getpid()


def environment() -> dict[str, str]:
    return dict(os.environ)


def nap(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def spin() -> NoReturn:
    while True:
        pass


def allocate(size: int) -> int:
    return len(bytearray(size))


def abort() -> NoReturn:
    """What a library of compiled code does when it gets no memory."""
    os.abort()


def kill_itself() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def refuse() -> NoReturn:
    raise InvalidField([FieldError("/lines", "too-many", "has too many")])


def fail() -> NoReturn:
    raise ValueError("a fault of the code")


def counted(path: str) -> bytes:
    """Add a character to the file; its content."""
    with Path(path).open("a") as file:
        file.write("x")
    return Path(path).read_bytes()


def hold(path: str, seconds: float) -> None:
    """Write the process id to the file, then sleep."""
    Path(path).write_text(str(os.getpid()))
    time.sleep(seconds)
