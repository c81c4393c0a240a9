"""Many files, checked by as many processes as there are processors, in the order of the files.

The files are divided into blocks. Each process checks every n-th block and writes the results to a
pipe. It waits while the pipe is full, so it is never far ahead. The processes are forked after the
first block: they have the rules that these files need. A block whose process has ended is checked
here.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from multiprocessing.connection import Connection
from typing import Final

import click

from einvoice.cli.checked_file import UNREADABLE, CheckedFile
from einvoice.cli.file_checker import STANDARD_INPUT, FileChecker

MIN_FILES: Final = 1_000  # fewer take a second or less
BLOCK_FILES: Final = 32
_MAX_PROCESSES: Final = 8
_SECONDS: Final = 300.0  # for a block, until the run is given up

Block = Sequence[str]
MakeChecker = Callable[[], FileChecker]


class TooSlow(click.ClickException):
    """The check of a block takes too long."""

    exit_code = UNREADABLE


def checked_files(
    files: Sequence[str], make_checker: MakeChecker
) -> Generator[CheckedFile, None, None]:
    """Each file as it is checked. Close the iterator to end the processes.

    Raises ValidationUnavailable, and TooSlow.
    """
    processes = _processes(files)
    first = len(files) if processes < 2 else BLOCK_FILES
    with closing(make_checker()) as checker:
        yield from map(checker.check, files[:first])
        if first < len(files):
            blocks = [files[at : at + BLOCK_FILES] for at in range(first, len(files), BLOCK_FILES)]
            yield from _checked_in(processes, blocks, make_checker, checker)


def _processes(files: Sequence[str]) -> int:
    """How many processes check these files; standard input can be read by this one only."""
    if len(files) < MIN_FILES or STANDARD_INPUT in files or sys.platform != "linux":
        return 1
    return min(len(os.sched_getaffinity(0)), _MAX_PROCESSES)


def _checked_in(
    processes: int, blocks: Sequence[Block], make_checker: MakeChecker, checker: FileChecker
) -> Iterator[CheckedFile]:
    forked = multiprocessing.get_context("fork")
    with ExitStack() as ended:
        pipes: list[Connection] = []
        for number in range(processes):
            pipe, writer = forked.Pipe(duplex=False)
            pipes.append(ended.enter_context(pipe))
            arguments = (blocks[number::processes], make_checker, writer, pipes)
            process = forked.Process(target=_check_blocks, args=arguments, daemon=True)
            process.start()
            writer.close()
            ended.callback(process.join)
            ended.callback(process.terminate)
        for place, block in enumerate(blocks):
            yield from _received(pipes[place % processes], block) or map(checker.check, block)


def _received(pipe: Connection, block: Block) -> list[CheckedFile]:
    """The results of the next block; none if its process has ended. Raises TooSlow."""
    if not pipe.poll(_SECONDS):
        raise TooSlow(f"{block[0]} and those after it: not checked within {_SECONDS:.0f} seconds")
    try:
        found: list[CheckedFile] = pipe.recv()
    except (EOFError, OSError):
        return []
    return found


def _check_blocks(
    blocks: Sequence[Block],
    make_checker: MakeChecker,
    results: Connection,
    pipes: Sequence[Connection],
) -> None:
    """The program of a process: it ends with the last block, and when the results are not read.

    pipes  the other ends of all pipes so far: only the parent may have one open
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends without a traceback
    for pipe in pipes:
        pipe.close()
    with suppress(BrokenPipeError), closing(make_checker()) as checker:
        for block in blocks:
            results.send([checker.check(file) for file in block])
