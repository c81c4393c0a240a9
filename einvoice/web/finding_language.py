"""The language of the findings in a response (decisions 20.14)."""

from __future__ import annotations

from flask import Response, current_app, g, request

from einvoice import validation
from einvoice.web.api import headers_read
from einvoice.web.headers import accepted_languages
from einvoice.web.responses import add_vary

SERVER_ERROR = 500


def language_of_findings() -> str:
    """The first language of Accept-Language that findings have, else English; the response is
    labelled with it (`label_language`)."""
    language = validation.best_language(accepted_languages())
    g.language_of_findings = language
    return language


def label_language(response: Response) -> Response:
    """Add Content-Language and Vary to the response of a route that reads Accept-Language.

    A failure of the service has no findings, and so no language.
    """
    view = current_app.view_functions.get(request.endpoint or "")
    if view is not None and "Accept-Language" in headers_read(view):
        add_vary(response, "Accept-Language")
        language: str | None = g.get("language_of_findings")
        if language is not None and response.status_code < SERVER_ERROR:
            response.headers["Content-Language"] = language
    return response
