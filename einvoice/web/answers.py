"""The form of every JSON answer."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app

from einvoice.web import json


def answer(body: dict[str, Any], status: int = 200) -> Response:
    """A JSON answer."""
    return Response(json.write(body), status, content_type="application/json")


def provider() -> str:
    """The constant that names the service."""
    found: str = current_app.extensions["settings"].provider
    return found
