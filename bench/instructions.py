"""Instructions that processes execute, counted by the processor (`perf stat`).

Unlike CPU time they hardly depend on what else the machine does. Programs only, without the kernel.
"""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

EVENT = "instructions:u"


def available() -> bool:
    """Whether perf is installed and the processor's counters can be read."""
    if shutil.which("perf") is None:
        return False
    tried = subprocess.run(
        ["perf", "stat", "-x,", "-e", EVENT, "true"], capture_output=True, text=True, check=False
    )
    return tried.returncode == 0 and "not" not in tried.stderr


def counted(processes: Sequence[int], work: Callable[[], T]) -> tuple[T, float]:
    """The result of `work`, and the instructions of the processes, and of those that they start."""
    with tempfile.TemporaryDirectory(prefix="perf-") as directory:
        out = Path(directory, "out")
        command = ["perf", "stat", "-x,", "-e", EVENT, "-o", str(out), "-p"]
        with subprocess.Popen(
            [*command, ",".join(map(str, processes))], stderr=subprocess.DEVNULL
        ) as perf:
            time.sleep(0.5)
            result = work()
            perf.send_signal(signal.SIGINT)
        (count,) = re.findall(rf"^(\d+),,{EVENT}", out.read_text(), re.MULTILINE)
        return result, float(count)
