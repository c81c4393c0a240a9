"""GET /api/invoices/view/{token}: a page or JSON, depending on Accept.

Unknown, revoked and malformed tokens get the same bytes as response. The token is a secret, so
responses must not be cached, indexed, or cause a Referer to other sites; it is not logged.
"""

from __future__ import annotations

from flask import Response, request
from werkzeug.routing import PathConverter

from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable, NotFound, RateLimitExceeded
from einvoice.services.invoices import share_links
from einvoice.services.invoices.handout_terms import Networks
from einvoice.web import credentials, json, limits, locales
from einvoice.web.api import Family
from einvoice.web.buyer import page
from einvoice.web.buyer.schemas import SharedInvoice, SharedPage
from einvoice.web.headers import accepted_languages
from einvoice.web.problems import PROBLEMS, problem
from einvoice.web.runtime import runtime
from einvoice.web.shared import archive, computations
from einvoice.web.shared.pdf import inline_pdf


class _AnyText(PathConverter):
    """The rest of the path, any text: the converter `path` does not match a leading slash."""

    part_isolating = False
    regex = ".*?"


family = Family(
    "buyer",
    __name__,
    url_prefix="/api/invoices/view",
    template_folder="templates",
    credential=credentials.public,
    tag="Shares",
    secret_paths=True,
)
_REFUSALS = (
    RateLimitExceeded,
    AccessPointUnavailable,
    *computations.REFUSALS,
    *archive.REFUSALS,
)
_NOT_OF_TOKENS = "/.,;:!?)]}>'\"’”» "  # tokens are letters, digits, - and _
_PDF = "/pdf"
_PAGE = {"content": {"text/html": {"schema": {"type": "string"}}}}
_BYTES = {"type": "string", "format": "binary"}

family.record_once(lambda state: state.app.url_map.converters.update({"any_text": _AnyText}))


@family.before_request
@limits.per_network(lambda: "buyer", lambda: _settings().limit_buyer)
def _count() -> None:
    limits.leave_unstated()


@family.after_request
def _keep_to_yourself(response: Response) -> Response:
    response.headers["Cache-Control"] = "private, no-store"
    response.headers["X-Robots-Tag"] = "noindex"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Vary"] = "Accept, Accept-Language"
    response.headers.setdefault("Content-Security-Policy", page.NOTHING)
    return response


def _token(text: str) -> str:
    """The token without what mail programs add to a link: a slash, the full stop of a sentence."""
    return text.rstrip(_NOT_OF_TOKENS)


def _view(token: str) -> share_links.SharedView:
    parts, languages = runtime(), accepted_languages()

    def language_of(country: str | None) -> str:
        return str(locales.chosen(languages, country).language)

    return share_links.view(token, parts.computing, Networks.of(parts), language_of)


# The whole rest of the path is the token, slashes included: wrong ones get the same 404.
@family.route("/<any_text:share_token>")
@family.doc(responses={200: _PAGE})
@family.refuses(*_REFUSALS)
@family.response(200, SharedInvoice())
def get_shared_invoice(share_token: str) -> Response | SharedPage:
    """The summary of a shared invoice.

    For browsers a page in the reader's language, otherwise JSON. The link is the only credential.
    """
    token = _token(share_token)
    if token.endswith(_PDF):
        return _pdf(token.removesuffix(_PDF))
    view = _view(token)
    environment = Environment(view.invoice.environment)
    pdf_url = f"{share_links.address(token, environment, _settings())}/pdf"
    if _wants_page():
        return page.invoice(view, pdf_url, accepted_languages(), _settings().provider)
    return SharedPage(view, pdf_url)


@family.route("/<any_text:share_token>/pdf")
@family.doc(responses={200: {"content": {"application/pdf": {"schema": _BYTES}}}})
@family.refuses(*_REFUSALS)
@family.response(200, description="The PDF, branded by its sender.")
def get_shared_invoice_pdf(share_token: str) -> Response:
    """The PDF of a shared invoice."""
    return _pdf(_token(share_token))


def _pdf(token: str) -> Response:
    found = share_links.pdf(token, runtime().computing, Networks.of(runtime()))
    return inline_pdf(found.content, found.name)


@family.errorhandler(NotFound)
def _gone(_: NotFound) -> Response:
    """The response for every invalid link: without instance and requestId."""
    status, title = PROBLEMS[NotFound.slug]
    if _wants_page():
        return page.notice("gone", status, accepted_languages(), _settings().provider)
    body = {
        "type": f"{_settings().errors_prefix}/{NotFound.slug}",
        "title": title,
        "status": status,
        "detail": "This link is not valid. Ask the sender of the invoice for a new one.",
    }
    return Response(json.write(body), status, content_type="application/problem+json")


@family.errorhandler(RateLimitExceeded)
def _busy(refusal: RateLimitExceeded) -> Response:
    if _wants_page():
        return page.notice("busy", 429, accepted_languages(), _settings().provider)
    return problem(refusal.slug, refusal.detail)


def _wants_page() -> bool:
    accepts = request.accept_mimetypes
    return accepts["text/html"] > accepts["application/json"]


def _settings() -> Settings:
    return runtime().settings
