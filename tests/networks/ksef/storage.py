"""Pre-signed links: what they lead to, until when, and that they need no Bearer token."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from tests.networks.ksef.answers import shown
from tests.networks.ksef.calls import Request
from tests.networks.ksef.keys import digest
from tests.networks.stand_ins import Answer

if TYPE_CHECKING:
    from tests.networks.ksef.authority import Authority

LIFE: Final = timedelta(hours=1)
PREFIX: Final = "/storage"
UPLOAD_HEADERS: Final = {"x-ms-blob-type": "BlockBlob"}


@dataclass
class Blob:
    """A file behind links. `content` None: it is uploaded."""

    content: bytes | None
    type: str = "application/octet-stream"


@dataclass
class Storage:
    """Files by the path of their links. `base`: the address of the service."""

    base: str = ""
    moved_to: str = ""  # where links redirect to, if they do
    links: dict[str, tuple[Blob, datetime, str]] = field(default_factory=dict)

    def link(self, blob: Blob, now: datetime, method: str = "GET") -> tuple[str, datetime]:
        """A new link to a file, and until when it can be used."""
        until = now + LIFE
        path = f"{PREFIX}/{secrets.token_hex(8)}"
        self.links[path] = blob, until, method
        return f"{self.base}{path}?se={until.timestamp():.0f}&sig={secrets.token_hex(8)}", until

    def shown(self, blob: Blob, now: datetime, names: tuple[str, str]) -> dict[str, str]:
        url, until = self.link(blob, now)
        return dict(zip(names, (url, shown(until)), strict=True))


def answer(authority: Authority, request: Request) -> Answer:
    """What the storage says to a request by a link."""
    if authority.storage.moved_to:
        return Answer(302, b"", headers={"Location": authority.storage.moved_to})
    if "authorization" in request.headers:
        return _fault(403, "AuthenticationFailed")
    blob, until, method = authority.storage.links.get(request.path, (None, None, ""))
    if blob is None or until is None:
        return _fault(404, "BlobNotFound")
    if until <= authority.now() or method != request.method:
        return _fault(403, "AuthenticationFailed")
    if method == "GET":
        content = blob.content or b""
        return Answer(200, content, blob.type, {"x-ms-meta-hash": digest(content)})
    if not _has(request.headers, UPLOAD_HEADERS):
        return _fault(400, "MissingRequiredHeader")
    blob.content = request.body
    return Answer(201, b"", "text/plain")


def _has(headers: Mapping[str, str], needed: Mapping[str, str]) -> bool:
    return all(headers.get(name) == value for name, value in needed.items())


def _fault(status: int, code: str) -> Answer:
    words = f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code></Error>'
    return Answer(status, words.encode(), "application/xml")
