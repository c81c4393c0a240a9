"""/metrics of the processes that stay: web, relay, workers."""

from __future__ import annotations

from flask import Flask

from einvoice.observability import exposition
from einvoice.services.gauges import Gauges
from einvoice.web.runtime import runtime_of


def start_metrics_server(app: Flask) -> None:
    """Serve /metrics, or stand by to, where EINVOICE_METRICS_LISTEN asks for it."""
    settings = runtime_of(app).settings
    if settings.metrics_listen:
        exposition.serve(settings.metrics_listen, settings.metrics_path, [Gauges(app.app_context)])
