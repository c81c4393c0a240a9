"""The directory of companies and their addresses: lookups and searches at a Directory Service.

The addresses of a company begin with its SIREN (scheme 0225): of the company as a whole, of an
establishment (SIRET), of a routing code, or with a suffix.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final
from urllib.parse import quote

from einvoice import clock
from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId
from einvoice.http import Client, HttpFault, Limits, Policy, Response
from einvoice.network.types import (
    DirectoryUnavailable,
    ListedParticipant,
    NotRegistered,
    Registration,
)
from einvoice_fr_ctc import companies
from einvoice_fr_ctc.accounts import NewToken, NoToken, token_of
from einvoice_fr_ctc.answers import Unreadable, fault_in, members, unreadable
from einvoice_fr_ctc.client import Platform, request_token
from einvoice_fr_ctc.configuration import DirectoryAccount

_LIMITS: Final = Limits(connect=2.0, read=4.0, total=4.0, answer_bytes=1 << 20)
_ENABLED, _ACTIVE = "Enabled", "A"
_COUNTRY: Final = "FR"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the directory: an address, and whether a platform receives for it."""

    address: str
    enabled: bool


class Directory:
    """Queries of one Directory Service, with one token for all. Safe to share between threads."""

    def __init__(self, account: DirectoryAccount, policy: Policy) -> None:
        self._url = account.url
        self._account = Platform(
            account.url, account.token_url, account.client_id, account.client_secret
        )
        self._http = Client(policy, limits=_LIMITS)
        self._token: NewToken | None = None
        self._lock = Lock()

    def lookup(
        self, participant: ParticipantId, types: tuple[DocumentTypeId, ...]
    ) -> Registration | NotRegistered:
        """Whether the address receives. A SIREN or SIRET may be known as an address of its own."""
        try:
            if participant.scheme == companies.DIRECTORY:
                line = self._line(participant.value)
                return Registration(types) if line and line.enabled else NotRegistered()
            return self._by_number(participant)
        except (HttpFault, Unreadable, NoToken) as fault:
            raise DirectoryUnavailable(f"The French directory does not answer: {fault}") from fault

    def _by_number(self, participant: ParticipantId) -> NotRegistered:
        """Names the address of a company that is asked for by its number."""
        siren = companies.siren_in(participant)
        if siren is None:
            return NotRegistered()
        is_siret = participant.scheme == companies.SIRET
        candidates = [f"{siren}_{participant.value}"] if is_siret else []
        for address in (*candidates, siren):
            line = self._line(address)
            if line is not None and line.enabled:
                return NotRegistered(ParticipantId(companies.DIRECTORY, address))
        return NotRegistered()

    def search(self, name: str, country: str | None, limit: int) -> Iterator[ListedParticipant]:
        """Companies with this text in their name; of a SIREN or SIRET, the addresses at which it
        receives, those of a routing code if one follows it."""
        if country not in (None, _COUNTRY):
            return
        try:
            yield from self._companies(name, limit)
        except (HttpFault, Unreadable, NoToken) as fault:
            raise DirectoryUnavailable(f"The French directory does not answer: {fault}") from fault

    def _companies(self, name: str, limit: int) -> Iterator[ListedParticipant]:
        number, code = _number_in(name)
        siren = companies.siren_of(number) if number else None
        filters: dict[str, Any] = {"administrativeStatus": _strict(_ACTIVE)}
        if siren is not None:
            filters["siren"] = _strict(siren)
        else:
            filters["businessName"] = {"op": "contains", "value": name}
        found = [each for each in map(_company, self._found("siren", filters, limit)) if each]
        if siren is None or not found:
            yield from found
            return
        yield from self._addresses(found[0].name, number, siren, code, limit)

    def _addresses(
        self, name: str, number: str, siren: str, code: str, limit: int
    ) -> Iterator[ListedParticipant]:
        """The addresses of a company at which a platform receives."""
        filters: dict[str, Any] = {"siren": _strict(siren)}
        if len(number) == companies.SIRET_DIGITS:
            filters["siret"] = _strict(number)
        if code:
            filters["routingIdentifier"] = {"op": "contains", "value": code}
        for line in self._found("directory-line", filters, limit):
            found = _address(line, siren)
            if found is not None:
                rest = found.value.removeprefix(siren).strip("_").replace("_", " ")
                yield ListedParticipant(found, f"{name} {rest}".strip(), _COUNTRY)

    def _found(self, resource: str, filters: Mapping[str, Any], limit: int) -> list[object]:
        """The results of a search. Raises HttpFault, Unreadable, NoToken."""
        body = {"filters": filters, "limit": limit + 1, "ignore": 0}
        response = self._send("POST", f"{resource}/search", json.dumps(body).encode())
        listed = members(_good(response)).get("results")
        return listed[: limit + 1] if isinstance(listed, list) else []

    # -- calls -------------------------------------------------------------------------------------

    def _line(self, address: str) -> Line | None:
        """The line of an address; None if there is none. Raises HttpFault, Unreadable, NoToken."""
        path = f"directory-line/code:{quote(address, safe='')}"
        response = self._send("GET", path)
        if response.status == 404 and fault_in(response) is not None:
            return None
        values = members(_good(response))
        return Line(address, values.get("directoryLineStatus", _ENABLED) == _ENABLED)

    def _send(self, method: str, path: str, body: bytes | None = None) -> Response:
        held = self._current()
        response = self._asked(method, path, body, held)
        if response.status != 401:
            return response
        return self._asked(method, path, body, self._current(ended=held))

    def _asked(self, method: str, path: str, body: bytes | None, token: NewToken) -> Response:
        headers = {"authorization": f"Bearer {token.value}", "accept": "application/json"}
        if body is not None:
            headers["content-type"] = "application/json"
        return self._http.send(method, f"{self._url}/v1/{path}", headers=headers, body=body)

    def _current(self, ended: NewToken | None = None) -> NewToken:
        """The token; a new one, if there is none, it has ended, or it is the refused one."""
        with self._lock:
            token = self._token
            if token is None or token is ended or token.ends <= clock.now():
                token = self._token = token_of(request_token(self._http, self._account, _LIMITS))
            return token


def _good(response: Response) -> Response:
    """A response of 200. Raises Unreadable for another one."""
    if response.status != 200:
        fault = fault_in(response)
        raise Unreadable(fault.words if fault else unreadable(response))
    return response


def _company(values: object) -> ListedParticipant | None:
    """A company of a search; None where the entry is of another form."""
    if not isinstance(values, Mapping):
        return None
    siren, name = values.get("siren"), values.get("businessName")
    if not isinstance(siren, str) or not isinstance(name, str) or not name.strip():
        return None
    try:
        participant = ParticipantId.parse(f"{companies.DIRECTORY}:{siren}")
    except InvalidParticipant:
        return None
    return ListedParticipant(participant, name.strip(), _COUNTRY)


def _number_in(text: str) -> tuple[str, str]:
    """The SIREN, SIRET or VAT number with which a text begins, and the routing code after it.

    >>> _number_in("404 833 048"), _number_in("40483304800022 SALES"), _number_in("Dupont 7")
    (('404833048', ''), ('40483304800022', 'SALES'), ('', ''))
    """
    compact = "".join(text.split())
    if companies.siren_of(compact) and "_" not in compact:
        return compact.upper(), ""
    number, _, code = text.strip().partition(" ")
    is_number = companies.siren_of(number) is not None and "_" not in number
    return (number.upper(), code.strip()) if is_number else ("", "")


def _strict(value: str) -> dict[str, str]:
    return {"op": "strict", "value": value}


def _address(line: object, siren: str) -> ParticipantId | None:
    """The address of a line, if it is of the company and a platform receives there."""
    if not isinstance(line, Mapping) or line.get("directoryLineStatus", _ENABLED) != _ENABLED:
        return None
    address = line.get("addressingIdentifier")
    if not isinstance(address, str) or companies.siren_of(address) != siren:
        return None
    try:
        return ParticipantId.parse(f"{companies.DIRECTORY}:{address}")
    except InvalidParticipant:
        return None
