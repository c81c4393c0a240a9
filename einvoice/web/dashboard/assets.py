"""Scripts and styles of the pages, named by their digests, so that browsers keep them for a year.

htmx (Zero-Clause BSD) and the icons of Lucide (ISC), as one sprite, are vendored with their
licences; the rest is ours. Nothing is loaded from other hosts.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from flask import Response

from einvoice.domain.errors import NotFound
from einvoice.web import credentials
from einvoice.web.api import Family
from einvoice.web.compression import FixedText

_TYPES = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
# Name in the address → file of the folder.
_FILES = {
    "style.css": "style.css", "page.js": "page.js", "htmx.js": "htmx/htmx.js",
    "icons.svg": "lucide/icons.svg",
}  # fmt: skip
_YEAR = "public, max-age=31536000, immutable"

family = Family(
    "dashboard_assets",
    __name__,
    url_prefix="/dashboard/assets",
    credential=credentials.public,
    tag="",
    secret_paths=True,
)  # no route of it is in the document


def address(name: str) -> str:
    """The address of an asset: its name with the digest of its content."""
    return f"/dashboard/assets/{_contents()[name].tag[:16]}-{name}"


@family.unlisted("/<name>")
def get_asset(name: str) -> Response:
    """A script or style sheet, under its present name."""
    digest, _, file = name.partition("-")
    if file not in _FILES or address(file) != f"/dashboard/assets/{digest}-{file}":
        raise NotFound("The dashboard has no such file.")
    response = _contents()[file].response(_TYPES[file.rpartition(".")[2]])
    response.headers["Cache-Control"] = _YEAR
    return response


@cache
def _contents() -> dict[str, FixedText]:
    folder = resources.files(__package__).joinpath("assets")
    return {name: FixedText.of(folder.joinpath(file).read_bytes()) for name, file in _FILES.items()}
