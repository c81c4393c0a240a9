"""Calls of batch sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.networks.ksef.answers import Refused, result
from tests.networks.ksef.books import Session
from tests.networks.ksef.calls import Request, Route, member
from tests.networks.ksef.numbers import reference
from tests.networks.ksef.sessions import check_form, form_code, own, unwrapped
from tests.networks.ksef.storage import UPLOAD_HEADERS, Blob
from tests.networks.stand_ins import Answer

if TYPE_CHECKING:
    from tests.networks.ksef.authority import Authority

MAX_PARTS: Final = 50
MAX_PART_BYTES: Final = 100_000_000 + 16  # encrypted
MAX_ARCHIVE_BYTES: Final = 5_000_000_000
WRITE: Final = ("InvoiceWrite", "EnforcementOperations")


def open_batch(authority: Authority, request: Request) -> Answer:
    values, now = request.json(), authority.now()
    form = form_code(values)
    check_form(request, form)
    if form.startswith("PEF"):
        raise Refused(21405, "PEF nie jest dostępny w sesji wsadowej.")
    parts = _described(values)
    key, vector = unwrapped(authority, values)
    made = Session(reference("SB", now), request.login, form, key, vector, now, batch=True)
    made.parts = [(size, hashed, Blob(None)) for size, hashed in parts]
    made.offline = bool(member(values, "offlineMode", bool, needed=False))
    made.compression = member(values, "batchFile.compressionType", needed=False) or "Zip"
    made.archive = (
        member(values, "batchFile.fileSize", int),
        member(values, "batchFile.fileHash"),
    )
    if made.archive[0] > MAX_ARCHIVE_BYTES or made.compression not in ("Zip", "TarGz"):
        raise Refused(21405, "Nieprawidłowy opis paczki.")
    if key is None:
        made.fail(415)
    authority.sessions[made.reference] = made
    uploads = [
        {
            "ordinalNumber": number,
            "method": "PUT",
            "url": authority.storage.link(blob, now, "PUT")[0],
            "headers": UPLOAD_HEADERS,
        }
        for number, (_, _, blob) in enumerate(made.parts, 1)
    ]
    return result({"referenceNumber": made.reference, "partUploadRequests": uploads}, 201)


def _described(values: dict[str, Any]) -> list[tuple[int, str]]:
    """Size and hash of each part, in their order. Raises Refused."""
    parts = member(values, "batchFile.fileParts", list)
    if len(parts) > MAX_PARTS:
        raise Refused(21161, f"Liczba części przekracza {MAX_PARTS}.")
    ordered = sorted(parts, key=lambda each: member(each, "ordinalNumber", int))
    if not parts or [each["ordinalNumber"] for each in ordered] != [*range(1, len(parts) + 1)]:
        raise Refused(21405, "Części nie są kolejno numerowane od 1.")
    found = [(member(each, "fileSize", int), member(each, "fileHash")) for each in ordered]
    if any(size > MAX_PART_BYTES for size, _ in found):
        raise Refused(21157, f"Rozmiar części przekracza {MAX_PART_BYTES} bajtów.")
    return found


def close_batch(authority: Authority, request: Request) -> Answer:
    session = own(authority, request, batch=True)
    if session.code != 100:
        raise Refused(21180, f"Status sesji {session.code} uniemożliwia jej zamknięcie.")
    if not any(blob.content for _, _, blob in session.parts):
        raise Refused(21205)
    if any(len(blob.content or b"") != size for size, _, blob in session.parts):
        raise Refused(21157, "Rozmiar przesłanej części nie zgadza się z zadeklarowanym.")
    session.code = 150
    session.closed = session.updated = authority.now()
    authority.unpacking.append(session)
    return Answer(204)


ROUTES: Final = (
    Route("POST", "/sessions/batch", open_batch, group="batchSession", any_of=WRITE),
    Route(
        "POST",
        "/sessions/batch/{referenceNumber}/close",
        close_batch,
        group="batchSession",
        any_of=WRITE,
    ),
)
