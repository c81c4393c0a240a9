"""Whether spans are exported: EINVOICE_TRACES, and the extra `otel` that it needs."""

from __future__ import annotations

import atexit
from importlib.util import find_spec

from einvoice.config import Settings, SettingsFault
from einvoice.observability import logging, spans

log = logging.get(__name__)

OTLP = "otlp"


def check(settings: Settings) -> None:
    """Raises SettingsFault if the packages that the setting needs are missing."""
    if settings.traces == OTLP and not _is_installed():
        raise SettingsFault("EINVOICE_TRACES=otlp: pip install 'einvoice[otel]' first")


def _is_installed() -> bool:
    try:
        return find_spec("opentelemetry.exporter.otlp.proto.http.trace_exporter") is not None
    except ModuleNotFoundError:  # a package above it is missing
        return False


def start(settings: Settings) -> None:
    """Record and export spans of this process, if the setting says so.

    With an invalid variable of OpenTelemetry the process goes on without spans.
    """
    if settings.traces != OTLP:
        return
    # Imported only here: without the setting, no process loads OpenTelemetry.
    from einvoice.observability import otlp

    try:
        spans.use(otlp.recorder())
    except ValueError:  # its words may quote the variable
        log.error("no spans are recorded: a variable OTEL_… is invalid")
        return
    atexit.register(spans.close)
