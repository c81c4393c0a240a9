"""Structured logs: short constant events with fields; ids yes, invoices, keys and secrets never."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any

import structlog

# Fields that never reach a log line, whoever passes them.
_SECRET = (
    "secret",
    "authorization",
    "api_key",
    "x-api-key",
    "password",
    "token",
    "body",
    "document",
)


def configure(level: str, form: str) -> None:
    """Set up structlog and send the standard library's records the same way."""
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            redact,
            structlog.processors.format_exc_info,
            without_rows,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level)),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=level, format="%(levelname)s %(name)s %(message)s", stream=sys.stderr)
    logging.getLogger("rq").setLevel(logging.WARNING)


def redact(_: object, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Blank out every field whose name says that it is secret."""
    for name in event:
        if any(word in name.lower() for word in _SECRET):
            event[name] = "[redacted]"
    return event


# PostgreSQL's words about a refused row quote the row.
_ROW = re.compile(
    r"^DETAIL: .*?(?=^(?:The above exception|During handling of)|\Z)", re.MULTILINE | re.DOTALL
)


def without_rows(_: object, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """A traceback without the DETAIL of a database error."""
    if "exception" in event:
        event["exception"] = _ROW.sub("DETAIL: [redacted]\n", event["exception"])
    return event


def get(name: str) -> Any:
    """A logger bound to the module's name."""
    return structlog.get_logger(module=name)
