"""`einvoice relay` and `einvoice worker`: loaded by entry point, so einvoice never imports jobs."""

from __future__ import annotations

import click
from flask import Flask

from einvoice.cli import processes
from einvoice.cli.application import long_running_application, refuse_other_schema
from einvoice.cli.metrics_server import start_metrics_server
from einvoice.store.core import db
from einvoice.web.runtime import runtime_of
from jobs import worker as working
from jobs.relay import Relay
from jobs.table import LANES


def _application() -> Flask:
    app = long_running_application()
    refuse_other_schema(app)
    db.keep_plans(app)
    start_metrics_server(app)
    return app


def _redis(app: Flask) -> str:
    settings = runtime_of(app).settings
    return settings.redis


@click.command()
def relay() -> None:
    """Hand due work to the queues, until stopped."""
    app = _application()
    Relay(app, _redis(app)).run()


@click.command()
@click.argument("lane", required=False, type=click.Choice(list(LANES)))
@click.option(
    "--processes",
    "count",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="Workers of each lane.",
)
@click.option("--burst", is_flag=True, help="Stop when the queue is empty.")
def worker(lane: str | None, count: int, burst: bool) -> None:
    """Work on LANE, or on every lane with a process of its own for each."""
    if lane is not None and count == 1:
        app = _application()
        working.run(app, lane, _redis(app), burst=burst)
        return
    lanes = [lane] if lane else list(LANES)
    extra = ["--burst"] if burst else []
    commands = [["worker", name, *extra] for name in lanes for _ in range(count)]
    processes.run_all([processes.einvoice(*command) for command in commands], again=not burst)
