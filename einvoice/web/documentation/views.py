"""`/openapi.json`: the contract, made of the code that answers."""

from __future__ import annotations

import json

from flask import Response, current_app

from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.openapi.document import document

family = Family("documentation", __name__, credential=credentials.nobody)

_KEPT = "openapi_text"


@family.route("/openapi.json")
@family.response(200, {"type": "object"}, description="An OpenAPI 3 document.")
def openapi_document() -> Response:
    """This document: every route, field, problem and header, for programs."""
    return Response(_text(), content_type="application/json")


def _text() -> str:
    """The document, made when it is first asked for: the routes do not change afterwards."""
    extensions = current_app.extensions
    if _KEPT not in extensions:
        whole = document(current_app, extensions["openapi_spec"])
        extensions[_KEPT] = json.dumps(whole, ensure_ascii=False, indent=1)
    text: str = extensions[_KEPT]
    return text
