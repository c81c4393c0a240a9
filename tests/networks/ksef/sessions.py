"""Calls of interactive sessions, of statuses and of UPO."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.networks.ksef import keys
from tests.networks.ksef.answers import Forbidden, Refused, result, shown
from tests.networks.ksef.books import Invoice, Session
from tests.networks.ksef.calls import STATUS, WRITE, Request, Route, member
from tests.networks.ksef.login import unbased
from tests.networks.ksef.numbers import reference
from tests.networks.ksef.storage import Blob
from tests.networks.stand_ins import Answer

if TYPE_CHECKING:
    from tests.networks.ksef.authority import Authority

FORM_CODES: Final = {
    ("FA (2)", "1-0E", "FA"),
    ("FA (3)", "1-0E", "FA"),
    ("PEF (3)", "2-1", "PEF"),
    ("PEF_KOR (3)", "2-1", "PEF"),
    ("FA_RR (1)", "1-1E", "FA_RR"),
}
_LINK: Final = ("upoDownloadUrl", "upoDownloadUrlExpirationDate")


def decrypted(content: bytes, key: bytes, vector: bytes) -> bytes | None:
    """AES-256-CBC with PKCS#7; None where it cannot be decrypted."""
    if not content or len(content) % 16 or len(key) != 32:
        return None
    cipher = Cipher(algorithms.AES(key), modes.CBC(vector)).decryptor()
    unpadder = padding.PKCS7(128).unpadder()
    try:
        return unpadder.update(cipher.update(content) + cipher.finalize()) + unpadder.finalize()
    except ValueError:
        return None


def encrypted(content: bytes, key: bytes, vector: bytes) -> bytes:
    """The ciphertext of AES-256-CBC with PKCS#7."""
    padder = padding.PKCS7(128).padder()
    cipher = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
    return cipher.update(padder.update(content) + padder.finalize()) + cipher.finalize()


def form_code(values: dict[str, Any]) -> str:
    """The system code of the triple. Raises Refused."""
    names = ("systemCode", "schemaVersion", "value")
    given = tuple(member(values, f"formCode.{each}") for each in names)
    if given not in FORM_CODES:
        raise Refused(21405, f"Nieprawidłowy kod formularza {given}.")
    return given[0]


def unwrapped(authority: Authority, values: dict[str, Any]) -> tuple[bytes | None, bytes]:
    """The symmetric key (None: it cannot be decrypted) and the vector. Raises Refused."""
    wrapped = unbased(member(values, "encryption.encryptedSymmetricKey"), "encryptedSymmetricKey")
    vector = unbased(member(values, "encryption.initializationVector"), "initializationVector")
    if len(vector) != 16:
        raise Refused(21405, "Wektor inicjujący ma długość 16 bajtów.")
    key_id = member(values, "encryption.publicKeyId", needed=False)
    try:
        key = authority.keys.unwrap(keys.SYMMETRIC, wrapped, key_id, authority.now())
    except ValueError:
        return None, vector
    return (key if len(key) == 32 else None), vector


def open_online(authority: Authority, request: Request) -> Answer:
    values, now = request.json(), authority.now()
    form = form_code(values)
    check_form(request, form)
    key, vector = unwrapped(authority, values)
    made = Session(reference("SO", now), request.login, form, key, vector, now)
    if key is None:
        made.fail(415)
    authority.sessions[made.reference] = made
    return result({"referenceNumber": made.reference, "validUntil": shown(made.until)}, 201)


def check_form(request: Request, form: str) -> None:
    """PEF is for providers of Peppol services, the other forms are for the others."""
    kind = request.login.context[0]
    if form.startswith("PEF") is not (kind == "PeppolId"):
        raise Forbidden("context-type-not-allowed", contextIdentifierType=kind)


def own(authority: Authority, request: Request, *, batch: bool | None = None) -> Session:
    """The session of a request, of the context of its caller. Raises Refused."""
    number = request.params["referenceNumber"]
    found = authority.sessions.get(number)
    known = found is not None and found.login.context == request.login.context
    if found is None or not known or batch not in (None, found.batch):
        raise Refused(21173, f"Sesja o numerze referencyjnym {number} nie została odnaleziona.")
    return found


def send(authority: Authority, request: Request) -> Answer:
    session, values, now = own(authority, request, batch=False), request.json(), authority.now()
    if session.code != 100:
        raise Refused(21180, f"Status sesji {session.code} uniemożliwia wysyłkę faktur.")
    if session.reference in authority.no_sends:
        raise Refused(authority.no_sends[session.reference])
    most = authority.session_limits["onlineSession"]["maxInvoices"]
    if len(session.invoices) >= most:
        raise Refused(21155, f"Sesja o numerze referencyjnym {session.reference} osiągnęła "
                             f"dozwolony limit liczby faktur {most}.")  # fmt: skip
    content = unbased(member(values, "encryptedInvoiceContent"), "encryptedInvoiceContent")
    check_file(content, member(values, "encryptedInvoiceSize", int),
               member(values, "encryptedInvoiceHash"))  # fmt: skip
    size, hashed = member(values, "invoiceSize", int), member(values, "invoiceHash")
    if len(unbased(hashed, "invoiceHash")) != 32 or size < 1:
        raise Refused(21405, "Pole 'invoiceHash' nie jest skrótem SHA-256.")
    assert session.key is not None
    plain = decrypted(content, session.key, session.vector)
    if plain is not None:
        check_file(plain, size, hashed)
    offline = bool(member(values, "offlineMode", bool, needed=False))
    corrected = member(values, "hashOfCorrectedInvoice", needed=False)
    if corrected is not None:
        _check_correction(authority, session, corrected, offline=offline)
    made = add_invoice(session, hashed, plain, now, offline=offline)
    made.corrects = corrected
    authority.waiting.append(made)
    return result({"referenceNumber": made.reference}, 202)


def check_file(content: bytes, size: int, hashed: str) -> None:
    """Size and hash as given. Raises Refused."""
    if len(content) != size:
        raise Refused(21402, "Długość treści nie zgadza się z rozmiarem pliku.")
    if keys.digest(content) != hashed:
        raise Refused(21403, "Skrót treści nie zgadza się ze skrótem pliku.")


def _check_correction(
    authority: Authority, session: Session, hashed: str, *, offline: bool
) -> None:
    """A technical correction, of an offline invoice that was not accepted. Raises Refused."""
    if not offline:
        raise Refused(21405, "Korekta techniczna wymaga trybu offline.")
    same = [
        each
        for other in authority.sessions.values()
        if other.login.context == session.login.context
        for each in other.invoices
    ]
    original = [each for each in same if each.hash == hashed]
    refused = [each for each in original if each.mode == "Offline" and each.is_final]
    if any(each.code == 200 for each in original) or not refused:
        raise Refused(21167, "Nie można wysłać korekty technicznej do prawidłowo przetworzonej "
                             "faktury.")  # fmt: skip
    if any(each.corrects == hashed and each.code == 200 for each in same):
        raise Refused(21166, "Faktura posiada już przetworzoną prawidłowo korektę techniczną.")


def add_invoice(
    session: Session, hashed: str, content: bytes | None, now: datetime, *, offline: bool
) -> Invoice:
    mode = "Offline" if offline else "Online"
    number = reference("EE", now)
    made = Invoice(number, session, len(session.invoices) + 1, hashed, now, content, mode)
    session.invoices.append(made)
    session.updated = now
    return made


def close(authority: Authority, request: Request) -> Answer:
    session = own(authority, request, batch=False)
    if session.code != 100:
        raise Refused(21180, f"Status sesji {session.code} uniemożliwia jej zamknięcie.")
    authority.close(session)
    return Answer(204)


# -- statuses --------------------------------------------------------------------------------------


def status(authority: Authority, request: Request) -> Answer:
    session, now = own(authority, request), authority.now()
    count, good, failed = session.counts()
    values = session.shown() | {
        "invoiceCount": count,
        "successfulInvoiceCount": good,
        "failedInvoiceCount": failed,
    }
    if session.upo is not None:
        page = {"referenceNumber": session.upo_reference}
        page |= authority.storage.shown(
            session.upo, now, ("downloadUrl", "downloadUrlExpirationDate")
        )
        values["upo"] = {"pages": [page]}
    return result(values)


def shown_invoice(authority: Authority, invoice: Invoice) -> dict[str, Any]:
    now = authority.now()
    values = invoice.shown(now)
    if invoice.code == 200:
        values |= authority.storage.shown(authority.upo_of(invoice), now, _LINK)
    return values


def invoices(authority: Authority, request: Request) -> Answer:
    return _listed(authority, request, own(authority, request).invoices)


def failed(authority: Authority, request: Request) -> Answer:
    session = own(authority, request)
    bad = [each for each in session.invoices if each.is_final and each.code != 200]
    return _listed(authority, request, bad)


def _listed(authority: Authority, request: Request, found: Sequence[Invoice]) -> Answer:
    page, token = paged(request, found, 1000)
    values: dict[str, Any] = {"invoices": [shown_invoice(authority, each) for each in page]}
    return result(values | token)


def paged(
    request: Request, found: Sequence[Any], most: int
) -> tuple[Sequence[Any], dict[str, str]]:
    """The page that a request asks for, and the token of the next one. Raises Refused."""
    size = integer(request, "pageSize", 10, 10, most)
    start, given = 0, request.headers.get("x-continuation-token")
    if given:
        try:
            start = int(base64.b64decode(given, validate=True))
        except (binascii.Error, ValueError) as fault:
            raise Refused(21418) from fault
    token = base64.b64encode(str(start + size).encode()).decode()
    more = {"continuationToken": token} if start + size < len(found) else {}
    return found[start : start + size], more


def integer(request: Request, name: str, default: int, least: int, most: int) -> int:
    """A number of the query within its bounds. Raises Refused."""
    text = request.query.get(name, str(default))
    if not text.isdecimal() or not least <= int(text) <= most:
        raise Refused(21405, f"Parametr '{name}' ma wartość od {least} do {most}.")
    return int(text)


def _own_invoice(authority: Authority, request: Request, name: str, value: str) -> Invoice:
    for each in own(authority, request).invoices:
        if getattr(each, name) == value:
            return each
    if name == "ksef_number":
        raise Refused(21178)
    raise Refused(21405, f"Faktura o numerze referencyjnym {value} nie została odnaleziona.")


def invoice(authority: Authority, request: Request) -> Answer:
    number = request.params["invoiceReferenceNumber"]
    return result(shown_invoice(authority, _own_invoice(authority, request, "reference", number)))


def _confirmed(blob: Blob) -> Answer:
    content = blob.content or b""
    return Answer(200, content, "application/xml", {"x-ms-meta-hash": keys.digest(content)})


def invoice_upo(authority: Authority, request: Request) -> Answer:
    name, number = "ksef_number", request.params.get("ksefNumber", "")
    if not number:
        name, number = "reference", request.params["invoiceReferenceNumber"]
    found = _own_invoice(authority, request, name, number)
    if found.code != 200:
        raise Refused(21405, "UPO nie jest dostępne.")
    return _confirmed(authority.upo_of(found))


def session_upo(authority: Authority, request: Request) -> Answer:
    session = own(authority, request)
    if session.upo is None or session.upo_reference != request.params["upoReferenceNumber"]:
        raise Refused(21178)
    return _confirmed(session.upo)


_STATES: Final = {200: "Succeeded", 440: "Cancelled", 100: "InProgress", 150: "InProgress",
                  170: "InProgress"}  # fmt: skip


def sessions(authority: Authority, request: Request) -> Answer:
    kind = request.query.get("sessionType")
    if kind not in ("Online", "Batch"):
        raise Refused(21405, "Parametr 'sessionType' jest wymagany.")
    states = [each for each in request.query.get("statuses", "").split(",") if each]
    found = [
        each
        for each in reversed(authority.sessions.values())
        if each.login.context == request.login.context
        and each.batch is (kind == "Batch")
        and request.query.get("referenceNumber", each.reference) == each.reference
        and (not states or _STATES.get(each.code, "Failed") in states)
    ]
    page, token = paged(request, found, 1000)
    listed = []
    for each in page:
        count, good, bad = each.counts()
        listed.append(
            {
                "referenceNumber": each.reference,
                **each.shown(),
                "totalInvoiceCount": count,
                "successfulInvoiceCount": good,
                "failedInvoiceCount": bad,
            }
        )
    return result({"sessions": listed, **token})


_ONE: Final = "/sessions/{referenceNumber}"
ROUTES: Final = (
    Route("POST", "/sessions/online", open_online, group="onlineSession", any_of=WRITE),
    Route("POST", "/sessions/online/{referenceNumber}/invoices", send, group="invoiceSend",
          any_of=WRITE),
    Route("POST", "/sessions/online/{referenceNumber}/close", close, group="onlineSession",
          any_of=WRITE),
    Route("GET", "/sessions", sessions, group="sessionList", any_of=STATUS),
    Route("GET", _ONE, status, group="sessionMisc", any_of=STATUS),
    Route("GET", f"{_ONE}/invoices", invoices, group="sessionInvoiceList", any_of=STATUS),
    Route("GET", f"{_ONE}/invoices/failed", failed, group="sessionInvoiceList", any_of=STATUS),
    Route("GET", f"{_ONE}/invoices/{{invoiceReferenceNumber}}", invoice, group="invoiceStatus",
          any_of=STATUS),
    Route("GET", f"{_ONE}/invoices/{{invoiceReferenceNumber}}/upo", invoice_upo,
          group="sessionMisc", any_of=STATUS),
    Route("GET", f"{_ONE}/invoices/ksef/{{ksefNumber}}/upo", invoice_upo, group="sessionMisc",
          any_of=STATUS),
    Route("GET", f"{_ONE}/upo/{{upoReferenceNumber}}", session_upo, group="sessionMisc",
          any_of=STATUS),
)  # fmt: skip
