"""The language of the findings in a response (decisions 20.14)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flask import Response, current_app, g, request

from einvoice import validation
from einvoice.validation import DEFAULT_LANGUAGE
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

    Content-Language has the language of the request, and that of single findings which have no
    words in it (`de, en`). A failure of the service has no findings, and so no language.
    """
    view = current_app.view_functions.get(request.endpoint or "")
    if view is not None and "Accept-Language" in headers_read(view):
        add_vary(response, "Accept-Language")
        language: str | None = g.get("language_of_findings")
        if language is not None and response.status_code < SERVER_ERROR:
            others = _other_languages(response) if language != DEFAULT_LANGUAGE else set()
            response.headers["Content-Language"] = ", ".join([language, *sorted(others)])
    return response


def _other_languages(response: Response) -> set[str]:
    """The languages that findings and warnings of this response name as theirs.

    They name one only if the request has another, so most responses are not parsed.
    """
    if response.is_streamed or response.direct_passthrough or not response.is_json:
        return set()
    body = response.get_data()
    if b'"language"' not in body:
        return set()
    return set(_named_languages(json.loads(body)))


def _named_languages(body: object) -> Iterator[str]:
    """The `language` of each member that has a `message`."""
    waiting = [body]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            if "message" in one and isinstance(one.get("language"), str):
                yield one["language"]
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
