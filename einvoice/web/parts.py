"""Values that the web layer derives once from the routes of an application."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from flask import Flask, current_app

from einvoice.services.console.service_status import StatusBoard
from einvoice.web.compression import FixedText

_EXTENSION = "einvoice_web"


@dataclass(frozen=True, slots=True)
class WebParts:
    """The methods of each address without ids, and /openapi.json, both made on demand; and what
    /status shows."""

    named_addresses: Callable[[], Mapping[str, frozenset[str]]]
    openapi: Callable[[], FixedText]
    status: StatusBoard = field(default_factory=StatusBoard)


def install(app: Flask, parts: WebParts) -> None:
    """Make these the parts of the application."""
    app.extensions[_EXTENSION] = parts


def web_parts() -> WebParts:
    """The parts of the application whose context this is."""
    found: WebParts = current_app.extensions[_EXTENSION]
    return found
