"""A disk without room costs counts, never a process."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.mmap_dict import MmapedDict

from einvoice.observability import exposition, metric_files
from einvoice.observability.metric_files import INITIAL_BYTES, MetricFile

MANY = INITIAL_BYTES // 24  # entries that need a larger file


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_files, "_allocate", _no_room)


def _filled(file: MetricFile, count: int) -> dict[str, float]:
    expected = {f"key {number:06d}": float(number) for number in range(count)}
    for key, value in expected.items():
        file.write_value(key, value, 0.0)
    return expected


def _values(file: MmapedDict) -> dict[str, float]:
    return {key: value for key, value, _ in file.read_all_values()}


@pytest.mark.parametrize("count", [0, 1, MANY])
def test_others_read_what_is_written(tmp_path: Path, count: int) -> None:
    """Also of a file that had to grow; a second opening continues it."""
    path = str(tmp_path / "counter_1.db")
    first = MetricFile(path)
    expected = _filled(first, count)
    first.close()
    second = MetricFile(path)
    again = _values(second)
    second.close()
    read = {key: value for key, value, *_ in MmapedDict.read_all_values_from_file(path)}

    assert first.is_shared is False  # it is closed
    assert again == read == expected


def test_the_room_of_a_file_is_reserved(tmp_path: Path) -> None:
    """A sparse file has a size and no blocks."""
    file = MetricFile(str(tmp_path / "counter_1.db"))
    _filled(file, MANY)
    status = (tmp_path / "counter_1.db").stat()
    file.close()

    assert status.st_size > INITIAL_BYTES
    assert status.st_blocks * 512 >= status.st_size


def test_without_room_values_stay_in_memory_and_no_file_is_left(
    tmp_path: Path, full_disk: None
) -> None:
    file = MetricFile(str(tmp_path / "counter_1.db"))
    expected = _filled(file, MANY)

    assert _values(file) == expected
    assert not file.is_shared
    assert list(tmp_path.iterdir()) == []
    file.close()


def test_a_file_that_cannot_grow_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    path = str(tmp_path / "counter_1.db")
    file = MetricFile(path)
    shared = _filled(file, 10)
    request.getfixturevalue("full_disk")
    expected = _filled(file, MANY)
    left = {key: value for key, value, *_ in MmapedDict.read_all_values_from_file(path)}

    assert _values(file) == expected
    assert shared.items() <= left.items() < expected.items()


def test_values_of_ended_processes_are_merged_when_there_is_room_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    dead = tmp_path / f"counter_{child.pid}.db"
    file = MetricFile(str(dead))
    file.write_value('["a", "a", {}, "help"]', 3.0, 0.0)
    file.close()
    with monkeypatch.context() as full:
        full.setattr(metric_files, "_allocate", _no_room)
        samples = [s.value for m in exposition.SharedMetrics(tmp_path).collect() for s in m.samples]
        kept = [path.name for path in tmp_path.iterdir()]
    exposition.merge_dead_processes(tmp_path)

    assert samples == [3.0]
    assert kept == [dead.name]
    assert [path.name for path in tmp_path.iterdir()] == ["counter_0.db"]


def _no_room(file: int, size: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# Counts on a disk of 256 KiB that something else fills, then more than its file holds.
_ON_A_FULL_DISK = """
import errno, os, sys
from einvoice.observability import metrics
metrics.webhook_attempted("before")
with open(os.path.join(os.environ["DISK"], "other"), "wb", buffering=0) as other:
    try:
        while True:
            other.write(bytes(4096))
    except OSError as fault:
        assert fault.errno == errno.ENOSPC
for number in range(5000):
    metrics.webhook_attempted(f"status {number}")
print("alive")
"""


def test_a_process_survives_a_full_disk(tmp_path: Path) -> None:
    """On a real file system without room, where a sparse file ends it with SIGBUS."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare to mount a small disk")
    mount = 'mount -t tmpfs -o size=256k tmpfs "$DISK" && mkdir "$DISK/metrics" && exec "$@"'
    environ = {
        **os.environ,
        "DISK": str(tmp_path),
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "metrics"),
    }
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", mount, "sh", sys.executable, "-c", _ON_A_FULL_DISK],
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if "unshare" in done.stderr or "mount" in done.stderr.partition("\n")[0]:
        pytest.skip(f"this machine mounts no disk for tests: {done.stderr.strip()}")

    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("alive\n")
    assert "metrics of this process are not shared" in done.stdout
