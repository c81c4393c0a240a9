"""The Peppol Directory: participants by name, as far as they have published a business card.

Source: REST API of the Peppol Directory, `GET /search/1.0/json`. It allows two queries a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlencode

from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import ParticipantId
from einvoice.http import Client, HttpFault, Limits, Policy, members_of
from einvoice.network.types import DirectoryUnavailable, ListedParticipant
from einvoice_peppol.sml import SCHEME

MAX_RESULTS: Final = 100
_LIMITS: Final = Limits(connect=2.0, read=4.0, total=4.5, answer_bytes=2 << 20)
_COUNTRY = re.compile(r"[A-Z]{2}", re.ASCII)


class Search:
    """Searches the directory at an address. Safe to share between threads."""

    def __init__(self, address: str, policy: Policy, ca_file: str | None = None) -> None:
        self._address = address.rstrip("/")
        self._http = Client(policy, limits=_LIMITS, ca_file=ca_file)

    def participants(
        self, name: str, country: str | None, limit: int
    ) -> Iterator[ListedParticipant]:
        """Participants with this text in their name. Raises DirectoryUnavailable."""
        found = 0
        for listed in _listed(self._matches(name, country, limit)):
            if name.casefold() not in listed.name.casefold():
                continue  # it also finds similar words
            if country is not None and listed.country != country:
                continue
            yield listed
            found += 1
            if found > limit:
                return

    def _matches(self, name: str, country: str | None, limit: int) -> list[Any]:
        query = {"name": name, "resultPageCount": str(min(MAX_RESULTS, 2 * limit + 2))}
        if country is not None:
            query["country"] = country
        try:
            response = self._http.send("GET", f"{self._address}/search/1.0/json?{urlencode(query)}")
        except HttpFault as fault:
            raise DirectoryUnavailable(f"the Peppol Directory does not answer: {fault}") from fault
        if response.status != 200:
            raise DirectoryUnavailable(f"the Peppol Directory answers with {response.status}")
        return _matches_in(response.body)


def _matches_in(content: bytes) -> list[Any]:
    if not content.strip():
        return []
    matches = members_of(content).get("matches")
    if matches is None:
        raise DirectoryUnavailable("the answer of the Peppol Directory cannot be read")
    return matches if isinstance(matches, list) else []


def _listed(matches: list[Any]) -> Iterator[ListedParticipant]:
    """The participants in the matches; entries of another form are left out."""
    for match in matches[:MAX_RESULTS]:
        participant = _participant(match)
        for entity in _part(match, "entities", list)[:1] if participant else ():
            country = _part(entity, "countryCode", str).upper()
            known = country if _COUNTRY.fullmatch(country) else None
            if participant and (name := _name(entity)):
                yield ListedParticipant(participant, name, known)


def _participant(match: Any) -> ParticipantId | None:
    found = _part(match, "participantID", dict)
    if found.get("scheme") != SCHEME:
        return None
    try:
        return ParticipantId.parse(found.get("value"))
    except InvalidParticipant:
        return None


def _name(entity: Any) -> str:
    """The first name of an entity: a text, or a list of names by language."""
    names = entity.get("name") if isinstance(entity, dict) else None
    first = names[0] if isinstance(names, list) and names else names
    text = first.get("name") if isinstance(first, dict) else first
    return text.strip()[:200] if isinstance(text, str) else ""


def _part(of: Any, name: str, kind: type) -> Any:
    """A member of a JSON object, empty where it is missing or of another type."""
    value = of.get(name) if isinstance(of, dict) else None
    return value if isinstance(value, kind) else kind()
