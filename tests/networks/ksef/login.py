"""Calls of the login: challenge, signature or token, status, and the tokens of a session."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any, Final

from cryptography import x509
from lxml import etree

from einvoice.xml import NotXml, parse
from tests.networks.ksef import keys, xades
from tests.networks.ksef.answers import Gone, Refused, result, shown
from tests.networks.ksef.callers import (
    CONTEXTS,
    PERMISSIONS,
    Identifier,
    KsefToken,
    Login,
    fingerprint,
    new_token,
    subject_of,
)
from tests.networks.ksef.calls import Request, Route, member
from tests.networks.ksef.numbers import reference
from tests.networks.ksef.schemas import login_fault
from tests.networks.ksef.texts import BLOCKED, IN_ENGLISH, LOGIN
from tests.networks.stand_ins import Answer

if TYPE_CHECKING:
    from tests.networks.ksef.authority import Authority

LIFE: Final = timedelta(minutes=10)
KEPT: Final = timedelta(days=7)
NAMESPACES: Final = (
    "http://ksef.mf.gov.pl/auth/token/2.0",
    "http://ksef.mf.gov.pl/auth/token/2.1",
)
METHODS: Final = {
    "Token": ("Token", "token.ksef", "Token KSeF"),
    "QualifiedSeal": ("XadesSignature", "xades.seal", "Pieczęć kwalifikowana"),
    "QualifiedSignature": ("XadesSignature", "xades.signature", "Podpis kwalifikowany"),
    "PeppolSignature": ("XadesSignature", "xades.peppol", "Podpis dostawcy Peppol"),
}


@dataclass
class Challenge:
    text: str
    at: datetime

    @property
    def milliseconds(self) -> int:
        return int(self.at.timestamp() * 1000)


def challenge(authority: Authority, request: Request) -> Answer:
    now = authority.now()
    made = Challenge(reference("CR", now), now)
    authority.challenges[made.text] = made
    values = {
        "challenge": made.text,
        "timestamp": shown(made.at),
        "timestampMs": made.milliseconds,
        "clientIp": request.ip,
    }
    return result(values)


def _taken(authority: Authority, text: str) -> Challenge:
    """Take a challenge, which is used up by that. Raises Refused."""
    found = authority.challenges.pop(text, None)
    if found is None or authority.now() - found.at > LIFE:
        raise Refused(21111)
    return found


# -- by signature ----------------------------------------------------------------------------------


def xades_signature(authority: Authority, request: Request) -> Answer:
    root = _document(request.body)
    try:
        certificate = xades.verify(root)
        asked = xades.without_signature(root)
    except xades.BadSignature as fault:
        authority.refused_signatures.append(str(fault))
        raise Refused(fault.code, str(fault)) from fault
    except (binascii.Error, ValueError) as fault:
        raise Refused(9101, str(fault)) from fault
    fault = login_fault(asked)
    if fault is not None:
        raise Refused(21401, fault)
    context = _context(asked)
    subject = _subject(asked, certificate)
    if (context[0] == "PeppolId") != (subject[0] == "PeppolId"):
        raise Refused(21117)
    _taken(authority, asked.findtext("{*}Challenge") or "")
    made = _started(authority, context, subject, _method(subject, certificate),
                    keys.digest(request.body))  # fmt: skip
    made.allowed = tuple(
        each.text or "" for each in asked.iterfind("{*}AuthorizationPolicy/{*}AllowedIps/{*}*")
    )
    checked = authority.production or request.query.get("verifyCertificateChain") == "true"
    made.decided = _certificate_status(authority, certificate, checked) or made.decided
    return _answered(authority, made)


def _document(body: bytes) -> etree._Element:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise Refused(21217) from fault
    try:
        root = parse(body)
    except NotXml as fault:
        raise Refused(21001, str(fault)) from fault
    name = etree.QName(root)
    if name.localname not in ("AuthTokenRequest", "Signature"):
        raise Refused(21401, f"Nieznany element {name.text}.")
    return root


def _context(asked: etree._Element) -> Identifier:
    (found,) = asked.iterfind("{*}ContextIdentifier/{*}*")
    return etree.QName(found).localname, found.text or ""


def _subject(asked: etree._Element, certificate: x509.Certificate) -> Identifier:
    if asked.findtext("{*}SubjectIdentifierType") == "certificateFingerprint":
        return "Fingerprint", fingerprint(certificate)
    found = subject_of(certificate)
    if found is None:
        raise Refused(21115, "Certyfikat nie zawiera identyfikatora podmiotu.")
    return found


def _method(subject: Identifier, certificate: x509.Certificate) -> str:
    if subject[0] == "PeppolId":
        return "PeppolSignature"
    seal = certificate.subject.get_attributes_for_oid(x509.ObjectIdentifier("2.5.4.97"))
    return "QualifiedSeal" if seal else "QualifiedSignature"


def _certificate_status(
    authority: Authority, certificate: x509.Certificate, chain: bool
) -> tuple[int, tuple[str, ...]] | None:
    now, serial = authority.now(), certificate.serial_number
    if not certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
        return 460, ("Nieważny certyfikat",)
    if serial in authority.revoked_certificates:
        return 460, ("Certyfikat odwołany",)
    if serial in authority.suspended_certificates:
        return 460, ("Certyfikat zawieszony",)
    if chain and certificate.issuer == certificate.subject:
        return 460, ("Niezaufany łańcuch certyfikatów",)
    return None


# -- by token --------------------------------------------------------------------------------------


def ksef_token(authority: Authority, request: Request) -> Answer:
    values = request.json()
    context = _asked_context(values)
    key_id = member(values, "publicKeyId", needed=False)
    wrapped = unbased(member(values, "encryptedToken"), "encryptedToken")
    now = authority.now()
    try:
        content: bytes | None = authority.keys.unwrap(keys.TOKENS, wrapped, key_id, now)
    except ValueError:
        content = None
    taken = _taken(authority, member(values, "challenge"))
    token, fault = _token_in(authority, content, taken, context)
    subject = token.subject if token else ("Nip", context[1])
    made = _started(authority, context, subject, "Token", token.reference if token else "")
    if token is not None:
        made.permissions = token.permissions
        token.used = now
    allowed = member(values, "authorizationPolicy.allowedIps", dict, needed=False) or {}
    made.allowed = tuple(each for listed in allowed.values() for each in listed or ())
    made.decided = (450, (fault,)) if fault else made.decided
    return _answered(authority, made)


def _asked_context(values: dict[str, Any]) -> Identifier:
    kind, value = (member(values, f"contextIdentifier.{name}") for name in ("type", "value"))
    if kind not in CONTEXTS or not CONTEXTS[kind].fullmatch(value):
        raise Refused(21405, "Nieprawidłowy identyfikator kontekstu.")
    return kind, value


def _token_in(
    authority: Authority, content: bytes | None, taken: Challenge, context: Identifier
) -> tuple[KsefToken | None, str]:
    """The token of an encrypted text, and what is wrong with it."""
    if content is None:
        return None, "Nieprawidłowe szyfrowanie tokena"
    try:
        text, _, milliseconds = content.decode().rpartition("|")
    except UnicodeDecodeError:
        return None, "Nieprawidłowe kodowanie tokena"
    found = authority.ksef_tokens.get(text)
    if found is None:
        return None, "Nieprawidłowy token"
    if milliseconds != str(taken.milliseconds):
        return found, "Nieprawidłowy czas tokena"
    if found.context != context:
        return found, f"Token nie może być użyty w kontekście {context[1]}"
    words = {"Revoked": "Token unieważniony", "Active": ""}
    return found, words.get(found.status, "Token nieaktywny")


def unbased(text: str, path: str) -> bytes:
    """The content of a member in base64. Raises Refused."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as fault:
        raise Refused(21405, f"Pole '{path}' nie jest w Base64.") from fault


# -- status and tokens -----------------------------------------------------------------------------


def _started(
    authority: Authority, context: Identifier, subject: Identifier, method: str, proof: str
) -> Login:
    now = authority.now()
    granted = authority.permissions_of(context, subject)
    made = Login(reference("AU", now), context, subject, method, granted, now, proof)
    if not granted and method != "Token":
        made.decided = 415, ("Brak przypisanych uprawnień",)
    if context in authority.blocked:
        made.decided = 480, (BLOCKED,)
    authority.logins[made.reference] = made
    return made


def _answered(authority: Authority, made: Login) -> Answer:
    token, until = authority.tokens.issue("authentication", made, authority.now())
    return result(
        {
            "referenceNumber": made.reference,
            "authenticationToken": {"token": token, "validUntil": shown(until)},
        },
        202,
    )


def _settle(authority: Authority, login: Login) -> None:
    if login.code == 100 and authority.now() - login.started >= authority.login_delay:
        login.code, login.details = login.decided


def _shown_login(authority: Authority, login: Login) -> dict[str, Any]:
    category, code, name = METHODS[login.method]
    status: dict[str, Any] = {"code": login.code, "description": LOGIN[login.code]}
    if login.details:
        known = IN_ENGLISH if authority.in_english else {}
        status["details"] = [known.get(each, each) for each in login.details]
    values: dict[str, Any] = {
        "startDate": shown(login.started),
        "authenticationMethod": login.method,
        "authenticationMethodInfo": {"category": category, "code": code, "displayName": name},
        "status": status,
        "isTokenRedeemed": login.redeemed,
    }
    if login.refreshed is not None:
        values["lastTokenRefreshDate"] = shown(login.refreshed)
    if login.refresh_until is not None:
        values["refreshTokenValidUntil"] = shown(login.refresh_until)
    return values


def status(authority: Authority, request: Request) -> Answer:
    found = authority.logins.get(request.params["referenceNumber"])
    if found is None or found is not request.login:
        number = request.params["referenceNumber"]
        raise Refused(21304, f"Operacja uwierzytelniania o numerze referencyjnym {number} "
                             "nie została znaleziona.")  # fmt: skip
    if authority.now() - found.started > KEPT:
        raise Gone
    _settle(authority, found)
    return result(_shown_login(authority, found))


def redeem(authority: Authority, request: Request) -> Answer:
    login, now = request.login, authority.now()
    _settle(authority, login)
    if login.code != 200:
        raise Refused(21301, f"Status uwierzytelniania ({login.code}) nie pozwala na pobranie "
                             "tokenów.")  # fmt: skip
    if login.redeemed:
        raise Refused(21301, f"Tokeny dla operacji uwierzytelniania {login.reference} zostały "
                             "już pobrane.")  # fmt: skip
    login.redeemed = True
    access, until = authority.tokens.issue("access", login, now)
    refresh, login.refresh_until = authority.tokens.issue("refresh", login, now)
    return result(
        {
            "accessToken": {"token": access, "validUntil": shown(until)},
            "refreshToken": {"token": refresh, "validUntil": shown(login.refresh_until)},
        }
    )


def refresh(authority: Authority, request: Request) -> Answer:
    login, now = request.login, authority.now()
    if login.code != 200:
        raise Refused(21301, f"Status uwierzytelniania ({login.code}) nie pozwala na odświeżenie "
                             "tokenu dostępowego.")  # fmt: skip
    token = next((t for t in authority.ksef_tokens.values() if t.reference == login.proof), None)
    if token is not None and token.status != "Active":
        raise Refused(21301, "Token KSeF został unieważniony.")
    login.refreshed = now
    access, until = authority.tokens.issue("access", login, now)
    return result({"accessToken": {"token": access, "validUntil": shown(until)}})


def sessions(authority: Authority, request: Request) -> Answer:
    own = request.login
    found = [
        each
        for each in authority.logins.values()
        if each.context == own.context and each.subject == own.subject and each.code == 200
    ]
    items = [
        {
            "referenceNumber": each.reference,
            "isCurrent": each is own,
            **_shown_login(authority, each),
        }
        for each in found
    ]
    return result({"items": items})


def revoke(authority: Authority, request: Request) -> Answer:
    number = request.params.get("referenceNumber")
    login = request.login if number is None else authority.logins.get(number)
    if login is None or login.context != request.login.context:
        raise Refused(21405, "Nie znaleziono sesji uwierzytelnienia.")
    login.code = 425
    login.details = (
        "Uwierzytelnienie i powiązane refresh tokeny zostały unieważnione przez użytkownika",
    )
    return Answer(204)


def may_come_from(login: Login, ip: str) -> bool:
    """Whether the policy of a login allows calls from this address."""
    return not login.allowed or any(_is_in(ip, each) for each in login.allowed)


def _is_in(ip: str, allowed: str) -> bool:
    if "-" in allowed:
        first, last = (ip_address(each) for each in allowed.split("-"))
        return bool(int(first) <= int(ip_address(ip)) <= int(last))
    return ip_address(ip) in ip_network(allowed, strict=False)


# -- tokens of KSeF --------------------------------------------------------------------------------


def new_ksef_token(authority: Authority, request: Request) -> Answer:
    values, login = request.json(), request.login
    asked = frozenset(member(values, "permissions", list))
    if not asked or not asked <= set(PERMISSIONS):
        raise Refused(21405, "Pole 'permissions' ma nieznane uprawnienie.")
    if login.context[0] == "PeppolId":
        raise Refused(21405, "Kontekst nie pozwala na wygenerowanie tokena.")
    if not asked <= login.permissions:
        raise Refused(26001)
    made = new_token(login.context, login.subject, asked, member(values, "description"),
                     authority.now())  # fmt: skip
    authority.ksef_tokens[made.text] = made
    return result({"referenceNumber": made.reference, "token": made.text}, 202)


def _shown_token(token: KsefToken) -> dict[str, object]:
    values: dict[str, object] = {
        "referenceNumber": token.reference,
        "authorIdentifier": {"type": token.subject[0], "value": token.subject[1]},
        "contextIdentifier": {"type": token.context[0], "value": token.context[1]},
        "description": token.description,
        "requestedPermissions": sorted(token.permissions),
        "dateCreated": shown(token.created),
        "status": token.status,
    }
    return values | ({"lastUseDate": shown(token.used)} if token.used else {})


def _own_token(authority: Authority, request: Request) -> KsefToken:
    number = request.params["referenceNumber"]
    for each in authority.ksef_tokens.values():
        if each.reference == number and each.context == request.login.context:
            return each
    raise Refused(21405, "Nie znaleziono tokena.")


def list_ksef_tokens(authority: Authority, request: Request) -> Answer:
    own = [t for t in authority.ksef_tokens.values() if t.context == request.login.context]
    return result({"tokens": [_shown_token(each) for each in own]})


def show_ksef_token(authority: Authority, request: Request) -> Answer:
    return result(_shown_token(_own_token(authority, request)))


def revoke_ksef_token(authority: Authority, request: Request) -> Answer:
    _own_token(authority, request).status = "Revoked"
    return Answer(204)


ROUTES: Final = (
    Route("POST", "/auth/challenge", challenge, None),
    Route("POST", "/auth/xades-signature", xades_signature, None),
    Route("POST", "/auth/ksef-token", ksef_token, None),
    Route("GET", "/auth/sessions", sessions),
    Route("DELETE", "/auth/sessions/current", revoke),
    Route("DELETE", "/auth/sessions/{referenceNumber}", revoke),
    Route("POST", "/auth/token/redeem", redeem, "authentication"),
    Route("POST", "/auth/token/refresh", refresh, "refresh"),
    Route("GET", "/auth/{referenceNumber}", status, "authentication"),
    Route("POST", "/tokens", new_ksef_token),
    Route("GET", "/tokens", list_ksef_tokens),
    Route("GET", "/tokens/{referenceNumber}", show_ksef_token),
    Route("DELETE", "/tokens/{referenceNumber}", revoke_ksef_token),
)
