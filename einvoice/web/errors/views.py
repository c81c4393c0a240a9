"""`GET /errors` and `GET /errors/<slug>`: a page for people, JSON for programs, by Accept."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import Any

from flask import Response, render_template, request
from markupsafe import Markup

from einvoice.domain.errors import NotFound
from einvoice.web import credentials, json
from einvoice.web.api import Family
from einvoice.web.errors.schemas import ExplainedProblem, ProblemExplanation, ProblemTypeList
from einvoice.web.problems import PROBLEMS

_STYLE = resources.files(__package__).joinpath("style.css").read_text("utf-8")
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
# The page needs its own style and nothing else: no script, no picture, no frame, no form.
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_LIST, _EXPLANATION = ProblemTypeList(), ProblemExplanation()
_PAGE = {"content": {"text/html": {"schema": {"type": "string"}}}}

family = Family(
    "errors",
    __name__,
    url_prefix="/errors",
    template_folder="templates",
    credential=credentials.public,
    tag="Problems",
)


@family.route("")
@family.doc(responses={200: _PAGE})
@family.response(200, _LIST)
def list_problems() -> Response:
    """Every problem type of this service.

    A page for browsers, JSON otherwise.
    """
    problems = [ExplainedProblem(slug) for slug in sorted(PROBLEMS)]
    return _answer("list.html", _LIST.write(problems))


@family.route("/<slug>")
@family.doc(responses={200: _PAGE})
@family.response(200, _EXPLANATION)
def explain_problem(slug: str) -> Response:
    """Get the meaning of a problem type, what to do about it, and whether to repeat the request.

    A page for browsers, JSON otherwise. The address is the `type` of the problem.
    """
    if slug not in PROBLEMS:
        raise NotFound("There is no problem type of this name; GET /errors lists them all.")
    return _answer("problem.html", _EXPLANATION.dump(ExplainedProblem(slug)))


def _answer(template: str, body: dict[str, Any]) -> Response:
    """The problem as a page for clients that prefer HTML to JSON, as browsers do."""
    accepts = request.accept_mimetypes
    if accepts["text/html"] > accepts["application/json"]:
        page = render_template(f"errors/{template}", style=Markup(_STYLE), **body)  # noqa: S704
        response = Response(page, content_type="text/html; charset=utf-8")
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers["Referrer-Policy"] = "no-referrer"
    else:
        response = Response(json.write(body), content_type="application/json")
    response.headers["Cache-Control"] = "public, max-age=3600"
    response.headers["Vary"] = "Accept"
    return response
