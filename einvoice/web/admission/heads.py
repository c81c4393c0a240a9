"""Limits of the head of a request, below those of the server, whose refusals have no body.

The server refuses an address above 64 KiB, more than 100 header lines and what is not HTTP before
the application sees it (docs/operators.md).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flask import Flask, request

from einvoice.domain.errors import AddressTooLong, HeadersTooLarge, MalformedRequest

MAX_ADDRESS_BYTES = 16 * 1024
MAX_HEADER_BYTES = 32 * 1024
MAX_HEADERS = 80
_HOST = re.compile(r"[A-Za-z0-9._~%:\[\]-]{1,255}", re.ASCII)
_OF_CHECKS = frozenset({"/healthz", "/readyz"})  # load balancers ask without a host


def init_app(app: Flask) -> None:
    app.before_request(refuse_head)


def refuse_head() -> None:
    """Raise AddressTooLong, HeadersTooLarge, and MalformedRequest for a host that is none."""
    environ = request.environ
    _check_address(environ)
    _check_headers(environ)
    host = environ.get("HTTP_HOST", "")
    if not _HOST.fullmatch(host) and environ["PATH_INFO"] not in _OF_CHECKS:
        raise MalformedRequest("The header Host is missing, given twice, or no name of a host.")


def _check_address(environ: Mapping[str, Any]) -> None:
    length = len(environ["PATH_INFO"]) + len(environ["QUERY_STRING"])
    if length > MAX_ADDRESS_BYTES:
        raise AddressTooLong(
            f"The address has {length:,} bytes; {MAX_ADDRESS_BYTES:,} are read at most."
        )


def _check_headers(environ: Mapping[str, Any]) -> None:
    lengths = [len(environ[name]) for name in environ if name[:5] == "HTTP_"]
    if len(lengths) > MAX_HEADERS:
        raise HeadersTooLarge(
            f"The request has {len(lengths)} headers; {MAX_HEADERS} are read at most."
        )
    if sum(lengths) > MAX_HEADER_BYTES:
        raise HeadersTooLarge(
            f"The headers have {sum(lengths):,} bytes; {MAX_HEADER_BYTES:,} are read at most."
        )
