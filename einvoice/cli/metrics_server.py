"""/metrics of the long-running processes: web, relay, workers."""

from __future__ import annotations

from flask import Flask

from einvoice.observability import exposition
from einvoice.services.gauges import Gauges
from einvoice.web.runtime import runtime_of


def start_metrics_server(app: Flask) -> None:
    """Serve /metrics if EINVOICE_METRICS_LISTEN is set and no other process does."""
    runtime = runtime_of(app)
    settings = runtime.settings
    if settings.metrics_listen:
        exposition.serve(settings.metrics_listen, settings.metrics_path, [Gauges(runtime)])
