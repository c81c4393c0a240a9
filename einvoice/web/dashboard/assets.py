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
# Name in the address → files of the folder. A page loads one style sheet: of lists, of the form of
# a new invoice, or the whole one.
_FILES = {
    "style.css": ("style.css", "lists.css", "documents.css", "form.css"),
    "lists.css": ("style.css", "lists.css"), "form.css": ("style.css", "form.css"),
    "page.js": ("page.js",), "form.js": ("form.js",), "htmx.js": ("htmx/htmx.js",),
    "icons.svg": ("lucide/icons.svg",),
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
    texts = {
        name: "".join(folder.joinpath(file).read_text("utf-8") for file in files)
        for name, files in _FILES.items()
    }
    return {name: FixedText.of(_short(name, text).encode()) for name, text in texts.items()}


def _short(name: str, text: str) -> str:
    """Our own scripts and styles without indentation and comments on lines of their own: 1.5 KB of
    a first load.

    >>> _short("page.js", "// A rule.\\nif (a) {\\n  b(); // c\\n}\\n")
    'if (a) {\\nb(); // c\\n}'
    >>> _short("style.css", "/* A */\\na, b { c: d; }\\n")
    'a,b{c: d}'
    """
    if name.endswith(".css"):
        first, *commented = text.split("/*")
        plain = first + "".join(part.partition("*/")[2] for part in commented)
        words = " ".join(plain.split())
        for sign in "{};,":
            words = words.replace(f" {sign}", sign).replace(f"{sign} ", sign)
        return words.replace(";}", "}")
    if name in {"page.js", "form.js"}:
        lines = (line.strip() for line in text.splitlines())
        return "\n".join(line for line in lines if line and not line.startswith("//"))
    return text
