"""Requests over HTTP (test client): their durations compared, and the plans of their statements."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from flask import Flask

from einvoice.store.core import db

Headers = dict[str, str]
Request = tuple[Headers, str]  # its headers and its path


def milliseconds(app: Flask, request: Request) -> float:
    """The duration of one request."""
    headers, path = request
    start = time.perf_counter()
    answer = app.test_client().get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return (time.perf_counter() - start) * 1000


def title(what: str, sizes: Sequence[int]) -> str:
    """The line above those of `compare`."""
    return f"{what:34} {sizes[0]:>9,} {sizes[1]:>9,}   ratio"


def compare(app: Flask, question: str, requests: Sequence[Request], times: int) -> None:
    """Print the medians of two requests, made in turns: other load on the machine affects both."""
    taken = [[milliseconds(app, each) for each in requests] for _ in range(times)]
    small, large = (statistics.median(column) for column in zip(*taken, strict=True))
    print(f"{question:34} {small:9.2f} {large:9.2f} {large / small:7.2f}")


def deep(app: Flask, request: Request) -> Request:
    """The request of the 21st page of a list, or as far as there are pages."""
    (headers, path), following = request, request
    for _ in range(20):
        body = app.test_client().get(following[1], headers=headers).json
        if not body["hasMore"]:
            break
        following = headers, f"{path}&cursor={body['nextCursor']}"
    return following


def explain(app: Flask, question: str, request: Request, tables: Sequence[str]) -> None:
    """Print EXPLAIN ANALYZE of the statements of a request that read from these tables."""
    with app.app_context():
        for statement, parameters in _statements(app, request, tables):
            with db.reading() as connection:
                explained = f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {statement}"
                rows = connection.exec_driver_sql(explained, parameters)
                print(f"\n-- {question}", *rows.scalars(), sep="\n")


def _statements(app: Flask, request: Request, tables: Sequence[str]) -> list[tuple[str, Any]]:
    seen: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if any(f"FROM {table}" in statement for table in tables):
            seen.append((statement, parameters))

    sa.event.listen(db.db.engine, "before_cursor_execute", note)
    milliseconds(app, request)
    sa.event.remove(db.db.engine, "before_cursor_execute", note)
    return seen
