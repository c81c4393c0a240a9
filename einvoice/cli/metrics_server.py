"""/metrics of the processes that stay: web, relay, workers."""

from __future__ import annotations

from flask import Flask

from einvoice.config import Settings
from einvoice.observability import exposition
from einvoice.services.gauges import Gauges


def start_metrics_server(app: Flask) -> None:
    """Serve /metrics, or stand by to, where EINVOICE_METRICS_LISTEN asks for it."""
    settings: Settings = app.extensions["settings"]
    if settings.metrics_listen:
        exposition.serve(settings.metrics_listen, settings.metrics_path, [Gauges(app)])
