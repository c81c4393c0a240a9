"""The answers of the authority: one table that says what each of its texts means.

The HTTP status alone says little: a refusal, a used up quota and a missing right are all 200.

>>> classify(200, b'{"eroare": "Nu exista mesaje in ultimele 15 zile"}').kind.value
'nothing'
>>> classify(204, b"").kind.value
'quota'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from lxml import etree

from einvoice import xml
from einvoice.http import json_of

MAX_TEXT: Final = 1_000  # characters of a text that are shown
_MAX_HEADER_BYTES: Final = 1024 * 1024


class Kind(StrEnum):
    """The meaning of an answer."""

    ACCEPTED = "accepted"  # an upload, with its index
    REFUSED = "refused"  # an upload, at once
    TOO_LARGE = "too-large"
    WORKING = "working"
    CLEARED = "cleared"
    REJECTED = "rejected"  # after its check; the error file can be fetched
    NOT_TAKEN = "not-taken"  # after its check, without an error file
    FILE = "file"
    LIST = "list"
    NOTHING = "nothing"  # a list without messages
    TOO_MANY = "too-many"  # the list without pages has more than 500 messages
    NO_RIGHT = "no-right"  # of the account: a connection problem, never one of a document
    NOT_FOUND = "not-found"
    QUOTA = "quota"
    CALL = "call"  # a parameter that is missing or wrong
    TECHNICAL = "technical"
    VALID = "valid"
    INVALID = "invalid"
    UNREADABLE = "unreadable"  # none of the forms above


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in its meaning.

    text    the words of the authority, or what was found in their place
    errors  its words one by one, of a header
    values  attributes of the header, or members of the JSON object
    """

    kind: Kind
    status: int
    text: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    errors: tuple[str, ...] = ()

    @property
    def index(self) -> str:
        """The upload index of an accepted upload."""
        return str(self.values.get("index_incarcare", ""))

    @property
    def download_id(self) -> str:
        """The id of the file of a cleared or rejected upload."""
        return str(self.values.get("id_descarcare", ""))


# Texts as officially published, in the order in which they are compared.
_TEXTS: Final[tuple[tuple[str, Kind], ...]] = (
    (r"Marime fisier transmis mai mare de \d+ MB", Kind.TOO_LARGE),
    (r"Nu exista niciun CIF pe(n)?tru care sa aveti drept", Kind.NO_RIGHT),
    (r"Nu aveti drept in SPV pentru CIF=", Kind.NO_RIGHT),
    (r"Nu aveti dreptul de inte(ro|or)gare pentru", Kind.NO_RIGHT),
    (r"Nu aveti dreptul sa descarcati", Kind.NO_RIGHT),
    (r"nu este inregistrat in Registrul RO e-Factura executari silite", Kind.NO_RIGHT),
    (r"S-au (facut|incarcat) deja \d+ ", Kind.QUOTA),
    (r"Nu exista mesaje in ", Kind.NOTHING),
    (r"Nu exista factura cu id_incarcare=", Kind.NOT_FOUND),
    (r"nu exista inregistrata nici o factura", Kind.NOT_FOUND),
    (r"Lista de mesaje este mai mare decat numarul de \d+ elemente", Kind.TOO_MANY),
    (r"Pagina solicitata \d+ este mai mare decat", Kind.NOTHING),
    (r"A aparut o eroare tehnica", Kind.TECHNICAL),
    (r"Eroare tehnică: request incorect", Kind.CALL),
    (r"Fisierul transmis nu este valid", Kind.REFUSED),
    (r"NU au putut fi validate cu succes", Kind.INVALID),
    (r"au fost validate cu succes", Kind.VALID),
    (r"Valorile acceptate pentru parametrul ", Kind.CALL),
    (r"Daca parametrul \w+ trebuie completat", Kind.CALL),
    (r"nu este un numar", Kind.CALL),
    (r"Numarul de zile trebuie sa fie intre", Kind.CALL),
    (r"nu poate fi mai vechi de \d+ de zile", Kind.CALL),
    (r"nu poate fi <= startTime", Kind.CALL),
    (r"nu poate in viitor fata de", Kind.CALL),
    (r"(este|sunt) obligatori(u|i)", Kind.CALL),
    (r"Trebuie sa aveti atasat in request un fisier", Kind.CALL),
)
# Limits in words that are not published, as "Ai atins limita de 10 descarcari": any, where the
# answer is of no other form, and these of a refusal.
_LIMIT: Final = re.compile(r"\blimit|numar(ul)? maxim|prea multe|too many|quota", re.IGNORECASE)
_LIMIT_REACHED: Final = re.compile(
    r"atins limita|limita (zilnic|maxim\w* (zilnic|de (apel|cerer|mesaj|descarc|interog)))",
    re.IGNORECASE,
)
_TABLE: Final = tuple((re.compile(pattern), kind) for pattern, kind in _TEXTS)
_STATES: Final = {
    "in prelucrare": Kind.WORKING,
    "ok": Kind.CLEARED,
    "nok": Kind.REJECTED,
    "XML cu erori nepreluat de sistem": Kind.NOT_TAKEN,
}
_STATUSES: Final = {
    204: Kind.QUOTA,
    401: Kind.NO_RIGHT,
    404: Kind.CALL,
    429: Kind.QUOTA,
}


def classify(status: int, body: bytes) -> Answer:
    """The meaning of an answer. Never raises: a strange answer is UNREADABLE."""
    if status in (401, 429):
        return Answer(_STATUSES[status], status, f"HTTP {status}")
    if status == 200 and body.startswith((b"PK\x03\x04", b"%PDF")):
        return Answer(Kind.FILE, status)
    start = body.lstrip()[:1]
    found = None
    if start == b"<":
        found = _of_header(status, body)
    elif start == b"{":
        found = _of_json(status, body)
    return found or _of_status(status, body)


def is_own(body: bytes) -> bool:
    """Whether a refusal has words of the authority, in its XML or its JSON.

    Others are of the firewall before it, which refuses the address of this service, whatever the
    account.

    >>> is_own(b'{"eroare": "Nu aveti drept in SPV pentru CIF=1"}')
    True
    >>> is_own(b'{"title": "Request blocked", "status": 403}')
    False
    """
    return classify(403, body).kind is not Kind.UNREADABLE


def _of_status(status: int, body: bytes) -> Answer:
    kind = _STATUSES.get(status, Kind.TECHNICAL if status >= 500 else Kind.UNREADABLE)
    words = f"HTTP {status} with {len(body):,} bytes that are neither its XML nor its JSON"
    return Answer(kind, status, words)


def _of_header(status: int, body: bytes) -> Answer | None:
    """The answer in an XML header; None if it is none."""
    try:
        root = xml.parse(body, max_bytes=_MAX_HEADER_BYTES)
    except xml.NotXml:
        return None
    if etree.QName(root).localname != "header":
        return None
    values = {str(name): str(value) for name, value in root.attrib.items()}
    errors = tuple(_errors(root))
    text = "; ".join(errors)
    if text:
        default = Kind.REFUSED if values.get("ExecutionStatus") == "1" else Kind.UNREADABLE
        return Answer(_meaning(text, default), status, text, values, errors)
    if values.get("ExecutionStatus") == "0" and values.get("index_incarcare", "").isdecimal():
        return Answer(Kind.ACCEPTED, status, "", values)
    state = values.get("stare", "")
    kind = _STATES.get(state, Kind.UNREADABLE)
    if kind in (Kind.CLEARED, Kind.REJECTED) and not values.get("id_descarcare", "").isdecimal():
        kind = Kind.UNREADABLE
    return Answer(kind, status, f"state {state[:80]!r}", values)


def _errors(root: etree._Element) -> Iterator[str]:
    for each in root.iterchildren("{*}Errors", "{*}Error"):
        yield shown(each.get("errorMessage") or "")


def shown(text: str) -> str:
    """A text in one line, of at most MAX_TEXT characters."""
    return " ".join(text.split())[:MAX_TEXT]


def _meaning(text: str, default: Kind) -> Kind:
    found = next((kind for pattern, kind in _TABLE if pattern.search(text)), None)
    if found is not None:
        return found
    limit = {Kind.UNREADABLE: _LIMIT, Kind.REFUSED: _LIMIT_REACHED}.get(default)
    return Kind.QUOTA if limit is not None and limit.search(text) else default


def _of_json(status: int, body: bytes) -> Answer | None:
    """The answer in a JSON object; None if it is none."""
    values = json_of(body)
    if not isinstance(values, dict):
        return None
    if isinstance(values.get("mesaje"), list):
        return Answer(Kind.LIST, status, "", values)
    messages = values.get("Messages")
    if values.get("stare") in ("ok", "nok") and not messages:
        return Answer(Kind.VALID if values["stare"] == "ok" else Kind.INVALID, status, "", values)
    text = shown(str(_text(values, messages)))
    default = Kind.INVALID if messages else _STATUSES.get(status, Kind.UNREADABLE)
    if status >= 500:
        default = Kind.TECHNICAL
    return Answer(_meaning(text, default), status, text, values)


def _text(values: Mapping[str, Any], messages: object) -> object:
    if isinstance(messages, list) and messages and isinstance(messages[0], dict):
        return "; ".join(str(each.get("message", "")) for each in messages)
    named = ("eroare", "message", "msg", "error")
    return next((values[name] for name in named if values.get(name)), "")
