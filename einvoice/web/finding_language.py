"""The language of the findings in a response (decisions 20.14)."""

from __future__ import annotations

from flask import Response, current_app, g, request

from einvoice import validation
from einvoice.web.api import headers_read
from einvoice.web.headers import accepted_languages

SERVER_ERROR = 500


def language_of_findings() -> str:
    """The first language of Accept-Language that findings have, else English; the response is
    labelled with it (`label_language`)."""
    g.language_of_findings = validation.best_language(accepted_languages())
    return str(g.language_of_findings)


def label_language(response: Response) -> Response:
    """Add Content-Language and Vary to the response of a route that reads Accept-Language.

    A failure of the service has no findings, and so no language.
    """
    view = current_app.view_functions.get(request.endpoint or "")
    if view is not None and "Accept-Language" in headers_read(view):
        response.vary.add("Accept-Language")
        if "language_of_findings" in g and response.status_code < SERVER_ERROR:
            response.headers["Content-Language"] = g.language_of_findings
    return response
