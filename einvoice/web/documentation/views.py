"""`/openapi.json`: the contract, made of the code that answers. `/docs`: the same to read and try.

Below it are the pages of docs/ as Markdown (`/docs/integrators.md`); `/llms.txt` lists them.

The page is Swagger UI, served from here whole: it loads nothing from other hosts, and its policy
would not let it.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from flask import Response, render_template

from einvoice.domain.errors import NotFound
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.compression import FixedText
from einvoice.web.documentation import pages
from einvoice.web.parts import web_parts
from einvoice.web.runtime import runtime

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Name in the address → file of this package.
_FILES = {
    "swagger-ui-bundle.js": "swagger/swagger-ui-bundle.js",
    "swagger-ui.css": "swagger/swagger-ui.css",
    "start.js": "start.js",
    "page.css": "page.css",
}
_TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
}
_TEXT = {"schema": {"type": "string"}}

family = Family(
    "documentation",
    __name__,
    template_folder="templates",
    credential=credentials.public,
    tag="Documentation",
)


@family.route("/openapi.json")
@family.reads_headers("If-None-Match")
@family.response(
    200, {"type": "object", "additionalProperties": True}, description="An OpenAPI 3.1 document."
)
def get_openapi_document() -> Response:
    """This document: every route, field, problem and header, for programs."""
    return web_parts().openapi().response("application/json")


@family.unlisted("/")
def front_door() -> Response:
    """The page of the host's root, for browsers."""
    return Response(status=302, headers={"Location": "/docs"})


@family.route("/docs")
@family.doc(responses={200: {"content": {"text/html": _TEXT}}})
@family.response(200, description="A page.")
def get_documentation_page() -> Response:
    """The description of the API for people: a page to read it and to try it."""
    settings = runtime().settings
    page = render_template("documentation/page.html", provider=settings.provider)
    response = Response(page, content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


@family.route("/docs/<name>")
@family.doc(
    responses={
        200: {"content": dict.fromkeys(("text/markdown", "text/javascript", "text/css"), _TEXT)}
    }
)
@family.reads_headers("If-None-Match")
@family.response(200, description="A page as Markdown, a script or a style sheet.")
def get_documentation_file(name: str) -> Response:
    """A page of the documentation as Markdown, such as integrators.md, or a file of /docs.

    GET /llms.txt lists the pages.
    """
    content = _content(name) if name in _FILES or name in pages.names() else None
    if content is None:
        raise NotFound(f"The documentation has no part {name[:40]!r}.")
    return content.response(_TYPES[name.rpartition(".")[2]])


@family.route("/llms.txt")
@family.doc(responses={200: {"content": {"text/plain": _TEXT}}})
@family.reads_headers("If-None-Match")
@family.response(200, description="The list, as Markdown.")
def get_documentation_index() -> Response:
    """The pages of the documentation, each with a sentence, for programs that read them."""
    return _index().response("text/plain; charset=utf-8")


@cache
def _index() -> FixedText:
    return FixedText.of(pages.index().encode())


@cache
def _content(name: str) -> FixedText:
    page = pages.page(name)
    if page is not None:
        return FixedText.of(page.encode())
    return FixedText.of(resources.files(__package__).joinpath(_FILES[name]).read_bytes())
