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
    for chatty in ("rq", "pikepdf"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    logging.getLogger("alembic.runtime.migration").addFilter(_steps_only)
    logging.getLogger("_granian").addFilter(_not_its_advice)


def _named(_: object, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """Whose record it is, where ours say `module`."""
    event["module"] = event["_record"].name
    return event


def _steps_only(record: logging.LogRecord) -> bool:
    """What a migration does, not what kind of database it does it to."""
    return record.msg.startswith("Running") or record.levelno > logging.INFO


def _not_its_advice(record: logging.LogRecord) -> bool:
    """How many threads there are was thought about (cli/serve)."""
    return not record.msg.startswith("Configuration allows spawning up to")


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
