"""The form of every JSON answer."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.web import json
from einvoice.web.contract import Contract
from einvoice.web.runtime import runtime


def json_response(body: dict[str, Any], status: int = 200) -> Response:
    """A JSON answer."""
    return Response(json.write(body), status, content_type="application/json")


def provider() -> str:
    """The constant that names the service."""
    return runtime().settings.provider


def created_response(body: dict[str, Any], address: str) -> Response:
    """201 with the record and where it is found."""
    response = json_response(body, 201)
    response.headers["Location"] = address
    return response


def add_vary(response: Response, header: str) -> None:
    """Say that the response depends on this header of the request, too.

    Werkzeug's `response.vary` parses and writes the list: 9 us.
    """
    given = response.headers.get("Vary")
    if given is None:
        response.headers["Vary"] = header
    elif header not in given:
        response.headers["Vary"] = f"{given}, {header}"


def documented_body(contract: type[Contract], *, required: bool = True) -> dict[str, Any]:
    """The documented JSON body of a route."""
    return {"required": required, "content": {"application/json": {"schema": contract}}}
