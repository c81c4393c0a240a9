"""The part of redis-py that the service uses, imported without OpenTelemetry.

Where OpenTelemetry is installed, redis-py loads its SDK for metrics that are never recorded here:
0.15 s and 4 MiB of each process. It takes a failed import for a package that is not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = [
    "Connection",
    "ConnectionLost",
    "NoBackoff",
    "NoScriptError",
    "OutOfMemoryError",
    "ReadOnlyError",
    "Redis",
    "RedisError",
    "ResponseError",
    "Retry",
    "SSLConnection",
    "Sentinel",
    "parse_url",
]


@contextmanager
def _hidden(package: str) -> Iterator[None]:
    """Within the block importing the package fails, unless it is loaded."""
    modules: dict[str, Any] = sys.modules
    if package in modules:
        yield
        return
    modules[package] = None
    try:
        yield
    finally:
        del modules[package]


with _hidden("opentelemetry"):
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.connection import Connection, SSLConnection, parse_url
    from redis.exceptions import ConnectionError as ConnectionLost
    from redis.exceptions import (
        NoScriptError,
        OutOfMemoryError,
        ReadOnlyError,
        RedisError,
        ResponseError,
    )
    from redis.retry import Retry
    from redis.sentinel import Sentinel
