"""Access to the parts of the running service (services/runtime)."""

from __future__ import annotations

from flask import Flask, current_app

from einvoice.services.runtime import Runtime

_EXTENSION = "einvoice"


def install(app: Flask, runtime: Runtime) -> None:
    """Make these the parts of the application."""
    app.extensions[_EXTENSION] = runtime


def runtime_of(app: Flask) -> Runtime:
    """The parts of an application."""
    found: Runtime = app.extensions[_EXTENSION]
    return found


def runtime() -> Runtime:
    """The parts of the application whose context this is."""
    return runtime_of(current_app)
