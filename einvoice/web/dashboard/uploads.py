"""Files of forms."""

from __future__ import annotations

from flask import request
from werkzeug.datastructures import FileStorage, MultiDict

from einvoice.web import concurrency


def uploaded() -> MultiDict[str, FileStorage]:
    """The files of the form that the request has, by their fields."""
    with concurrency.receiving_body():
        return request.files
