"""`/metrics` at an address of its own: the metrics of all processes of a machine, added up.

Each process writes its metrics to files named after its process id. Every process with the setting
tries to listen at the address: the first one serves for all, and when it ends another takes over.

The metrics of ended processes are merged into files with the process id 0, so that counters never
decrease and files do not accumulate.
"""

from __future__ import annotations

import errno
import os
import struct
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, Metric, start_http_server
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from einvoice.observability import logging
from einvoice.observability.metric_files import MetricFile

log = logging.get(__name__)

RETRY_SECONDS = 3.0  # seconds between attempts to take over the address
MERGED_PROCESS = 0  # the process id of the merged files


def serve(listen: str, directory: Path, collectors: Iterable[Collector] = ()) -> None:
    """Serve /metrics at host:port from a thread, now or when the address becomes free."""
    registry = CollectorRegistry()
    for collector in (SharedMetrics(directory), *collectors):
        registry.register(collector)
    threading.Thread(target=_serve, args=(listen, registry), daemon=True, name="metrics").start()


def _serve(listen: str, registry: CollectorRegistry) -> None:
    host, _, port = listen.rpartition(":")
    pause = threading.Event()
    while True:
        try:
            server, _ = start_http_server(int(port), host or "0.0.0.0", registry)  # noqa: S104
        except OSError:  # another process of this machine listens there
            pause.wait(RETRY_SECONDS)
        else:
            # A web process forked from this one must not keep the address after its end.
            os.register_at_fork(after_in_child=server.socket.close)
            return


class SharedMetrics(Collector):
    """The metrics of all processes. Merges the files of ended processes at each collection.

    One collection at a time: a scrape that comes before the last one is answered must neither add
    the same files again nor read one that was just merged.
    """

    def __init__(self, directory: Path) -> None:
        self._directory, self._turn = directory, threading.Lock()
        self._files = MultiProcessCollector(None, str(directory))

    def collect(self) -> Iterator[Metric]:
        with self._turn:
            try:
                merge_dead_processes(self._directory)
            except OSError as fault:
                log.warning("metrics of ended processes not merged", fault=str(fault))
            found = list(self._files.collect())
        yield from found


def merge_dead_processes(directory: Path) -> None:
    """Merge the files of ended processes into the files of process 0, and delete them.

    Counters are added up. Gauges of live processes (live…) are dropped; of other gauges the largest
    value is kept, such as the last heartbeat of a relay.
    """
    dead: dict[str, list[Path]] = defaultdict(list)
    for path in directory.glob("*.db"):
        kind, _, process = path.stem.rpartition("_")
        if process.isdigit() and int(process) != MERGED_PROCESS and not _alive(int(process)):
            dead[kind].append(path)
    for kind, paths in dead.items():
        if not kind.startswith("gauge_live"):
            _add(kind, paths, directory / f"{kind}_{MERGED_PROCESS}.db")
        for path in paths:
            path.unlink()


def _add(kind: str, paths: Iterable[Path], merged: Path) -> None:
    """Add the files to the merged one, which is replaced atomically. Raises OSError."""
    total: dict[str, float] = {}
    for path in [*paths, *([merged] if merged.exists() else [])]:
        for key, value in _values(path):
            before = total.get(key, 0.0)
            total[key] = max(before, value) if kind.startswith("gauge") else before + value
    draft = merged.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    written = MetricFile(str(draft))
    for key, value in total.items():
        written.write_value(key, value, 0.0)  # type: ignore[no-untyped-call]
    if not written.is_shared:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    written.close()  # type: ignore[no-untyped-call]
    draft.replace(merged)


def _values(path: Path) -> list[tuple[str, float]]:
    """The values of a file; none of a file that is cut off, after a full disk for example."""
    try:
        found = MmapedDict.read_all_values_from_file(str(path))
        return [(key, value) for key, value, _, _ in found]
    except (struct.error, RuntimeError, ValueError) as fault:
        log.warning("metrics lost", file=path.name, fault=str(fault))
        return []


def _alive(process: int) -> bool:
    with suppress(PermissionError):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
    return True
