"""Structured logs: constant events with fields. Ids are logged, invoices and secrets never."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from functools import lru_cache
from typing import Any

import structlog

# Parts of field names whose values are never logged.
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
    """Set up structlog, and the standard library's logging with the same output."""
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    steps: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        redact,
        structlog.processors.format_exc_info,
        without_rows,
    ]
    structlog.configure(
        processors=[*steps, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level)),
        logger_factory=structlog.WriteLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
            foreign_pre_chain=[_named, structlog.stdlib.ExtraAdder(), *steps],
        )
    )
    logging.basicConfig(level=level, handlers=[handler])
    for name in ("rq", "pikepdf", "flask-limiter"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("alembic.runtime.migration").addFilter(_is_migration_step)
    logging.getLogger("_granian").addFilter(_is_not_thread_advice)


def _named(_: object, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Add the logger's name as `module`, which our own records have."""
    event["module"] = event["_record"].name
    return event


def _is_migration_step(record: logging.LogRecord) -> bool:
    """Drop Alembic's records about the kind of database."""
    return record.msg.startswith("Running") or record.levelno > logging.INFO


def _is_not_thread_advice(record: logging.LogRecord) -> bool:
    """Drop Granian's advice on the number of threads, which cli/serve sets on purpose."""
    return not record.msg.startswith("Configuration allows spawning up to")


def redact(_: object, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Replace the value of every field whose name is one of a secret."""
    for name in event:
        if _is_secret(name):
            event[name] = "[redacted]"
    return event


@lru_cache(maxsize=1024)  # half of the cost of a line without it
def _is_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET)


# PostgreSQL's DETAIL about a refused row quotes the row.
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
