"""The pages of docs/ as Markdown at /docs, and /llms.txt, which lists them for programs that read.

Served are the pages for integrators, operators and authors of plugins, by name from a table: no
address leads to another file. Links to what is not served, such as sources, become plain text.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

# About the inside of the service, for those who change it.
INTERNAL = {"architecture.md", "decisions.md", "states.md"}
# The order of /llms.txt; pages of none are listed at its end.
GROUPS = {
    "Send and receive": (
        "first-bill.md", "integrators.md", "clients.md", "sdks.md", "fields.md", "validation.md",
        "v1.md", "receiving.md", "webhooks.md", "directory.md", "sharing.md", "pdf.md",
    ),
    "Accounts": (
        "oauth.md", "limits.md", "platforms.md", "dashboard.md", "export.md", "versions.md",
    ),
    "Networks": (
        "countries.md", "peppol.md", "peppol-five-corners.md", "ksef.md", "ro-efactura.md",
        "fr-ctc.md", "mail.md",
    ),
    "Operate and extend": (
        "operators.md", "sizing.md", "kubernetes.md", "disaster.md", "plugins.md", "authority.md",
    ),
}  # fmt: skip
_LINK = re.compile(r"(!?)\[([^\[\]]*)\]\(([^()\s]+)\)")
_SUMMARY = (
    "A service that sends, receives and validates electronic invoices: JSON in, EN 16931 documents "
    "over Peppol and the networks of tax authorities out."
)
_MAX_SUMMARY = 200


def names() -> tuple[str, ...]:
    """The served pages."""
    return tuple(sorted(_files()))


def page(name: str) -> str | None:
    """The text of a page, with links to served pages only; None if there is no such page."""
    file = _files().get(name)
    return None if file is None else _LINK.sub(_link, file.read_text("utf-8"))


@cache
def index() -> str:
    """/llms.txt: the pages with a sentence each, in groups."""
    parts = [f"# einvoice\n\n> {_SUMMARY}\n\nThe contract for programs is at /openapi.json.\n"]
    grouped = {name for group in GROUPS.values() for name in group}
    groups = GROUPS | {"More": tuple(name for name in names() if name not in grouped)}
    for title, members in groups.items():
        lines = [_line(name) for name in members if name in _files()]
        parts += [f"## {title}\n\n" + "".join(lines)] if lines else []
    return "\n".join(parts)


@cache
def _files() -> dict[str, Traversable]:
    folder = resources.files(__package__).joinpath("markdown")
    found = folder.iterdir() if folder.is_dir() else ()
    return {f.name: f for f in found if f.name.endswith(".md") and f.name not in INTERNAL}


def _link(match: re.Match[str]) -> str:
    image, text, target = match.groups()
    name = target.partition("#")[0]
    is_served = target.startswith(("#", "https://", "http://")) or name in _files()
    return match[0] if is_served and not image else text


def _line(name: str) -> str:
    text = page(name) or ""
    title = text.partition("\n")[0].removeprefix("# ")
    paragraphs = [p for p in text.split("\n\n")[1:] if p[0].isalpha() or p[0] == "`"]
    words = " ".join(_LINK.sub(r"\2", paragraphs[0]).split()) if paragraphs else title
    sentence = re.split(r"(?<=[.:])\s", words, maxsplit=1)[0].rstrip(":.")
    shown = sentence if len(sentence) <= _MAX_SUMMARY else sentence[:_MAX_SUMMARY] + "…"
    return f"- [{title}](/docs/{name}): {shown}.\n"
