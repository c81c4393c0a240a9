"""`GET /status`: a page for people, JSON for programs, by Accept; `GET /status/feed`: RSS."""

from __future__ import annotations

import base64
import hashlib
from email.utils import format_datetime
from importlib import resources

from flask import Response, render_template, request
from lxml import etree
from markupsafe import Markup

from einvoice import clock
from einvoice.services.console.service_status import ServiceStatus
from einvoice.web import credentials, json
from einvoice.web.api import Family
from einvoice.web.contract import FORBIDDEN
from einvoice.web.parts import web_parts
from einvoice.web.responses import provider
from einvoice.web.runtime import runtime
from einvoice.web.status.schemas import ServiceStatusResponse

_STYLE = resources.files(__package__).joinpath("style.css").read_text("utf-8")
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_KEPT = "public, max-age=20"
_BODY = ServiceStatusResponse()
_HTML, _RSS = "text/html", "application/rss+xml"

family = Family(
    "status",
    __name__,
    url_prefix="/status",
    template_folder="templates",
    credential=credentials.public,
    tag="Health",
)


@family.route("")
@family.doc(responses={200: {"content": {_HTML: {"schema": {"type": "string"}}}}})
@family.response(200, _BODY)
def get_status() -> Response:
    """How the service and its networks are, and the incidents that its operator describes.

    A page for browsers, JSON otherwise; GET /status/feed has the incidents as RSS. It answers also
    while the database does not.
    """
    found = _current()
    accepts = request.accept_mimetypes
    if accepts[_HTML] > accepts["application/json"]:
        style = Markup(_STYLE)  # noqa: S704 - a file of this package
        page = render_template("status/page.html", style=style, found=found, provider=provider())
        response = Response(page, content_type=f"{_HTML}; charset=utf-8")
        response.headers["Content-Security-Policy"] = _POLICY
        response.headers["Referrer-Policy"] = "no-referrer"
    else:
        response = Response(json.write(_BODY.write(found)), content_type="application/json")
    response.headers["Cache-Control"] = _KEPT
    response.headers["Vary"] = "Accept"
    return response


@family.route("/feed")
@family.doc(responses={200: {"content": {_RSS: {"schema": {"type": "string"}}}}})
@family.response(200, description="The feed.")
def read_status_feed() -> Response:
    """The incidents as RSS 2.0, an item for each of their updates, the newest first."""
    response = Response(_feed(_current()), content_type=_RSS)
    response.headers["Cache-Control"] = _KEPT
    return response


def _current() -> ServiceStatus:
    return web_parts().status.read(runtime())


def _feed(found: ServiceStatus) -> bytes:
    address = f"{runtime().settings.base_url}/status"
    feed = etree.Element("rss", version="2.0")
    channel = _with_texts(
        etree.SubElement(feed, "channel"),
        title=f"{provider()}: status",
        link=address,
        description="Incidents of the service.",
        lastBuildDate=format_datetime(found.at),
    )
    items = [(each, incident) for incident in found.incidents for each in incident.updates]
    for update, incident in sorted(items, key=lambda item: item[0].at, reverse=True):
        item = _with_texts(
            etree.SubElement(channel, "item"),
            title=f"{incident.title}: {update.status.value}",
            link=address,
            guid=f"{incident.id}/{clock.timestamp(update.at)}",
            pubDate=format_datetime(update.at),
            description=update.text,
        )
        item.find("guid").set("isPermaLink", "false")  # type: ignore[union-attr]
    return etree.tostring(feed, xml_declaration=True, encoding="UTF-8")


def _with_texts(element: etree._Element, **texts: str) -> etree._Element:
    """The element with a child of each text; characters that XML lacks are left out."""
    for name, text in texts.items():
        etree.SubElement(element, name).text = FORBIDDEN.sub("", text)
    return element
