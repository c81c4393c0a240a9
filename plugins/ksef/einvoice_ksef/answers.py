"""The meaning of every answer of KSeF: codes of exceptions, codes of statuses, HTTP statuses.

The rows are those of the official interface (open-api 2.7.0), with their texts; what follows for us
is the last column. A code that no row has is UNKNOWN: it never fails a document. Reasons of refused
logins come in Polish, as published, and in English.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from einvoice.http import Response

MAX_TEXT: Final = 500
MAX_REASON: Final = 2_000  # characters of a status with its details


class Kind(StrEnum):
    """The meaning of an answer for the caller."""

    DONE = "done"
    RUNNING = "running"
    RETRY = "retry"  # KSeF has taken nothing; the same again later
    SESSION = "session"  # this session takes nothing more; another one does
    KEYS = "keys"  # the public key is out of date
    TOKEN = "token"  # noqa: S105 - the access token has ended
    CONNECTION = "connection"  # somebody at the tenant has to act
    DOCUMENT = "document"  # this document is refused for good
    DUPLICATE = "duplicate"  # KSeF has an invoice of this seller, type and number
    OPERATOR = "operator"  # our request or setting is at fault
    LIMIT = "limit"  # too many calls
    MISSING = "missing"  # KSeF does not have, or no longer has, what was asked for
    UNKNOWN = "unknown"


class Area(StrEnum):
    """The subject of a status: the same code means different things."""

    LOGIN = "login"
    SESSION = "session"
    INVOICE = "invoice"
    EXPORT = "export"
    OPERATION = "operation"  # of permissions and tokens
    ENROLMENT = "enrolment"  # of KSeF certificates


# -- exceptions ------------------------------------------------------------------------------------

FIRST_EXCEPTION: Final = 9000  # smaller codes of a fault are HTTP statuses
EXCEPTIONS: Final[Mapping[int, tuple[str, Kind]]] = {
    9101: ("Nieprawidłowy dokument.", Kind.OPERATOR),
    9102: ("Brak podpisu.", Kind.OPERATOR),
    9103: ("Przekroczona liczba dozwolonych podpisów.", Kind.OPERATOR),
    9105: ("Nieprawidłowy podpis.", Kind.OPERATOR),
    21001: ("Nieczytelna treść.", Kind.OPERATOR),
    21111: ("Nieprawidłowe wyzwanie autoryzacyjne.", Kind.RETRY),
    21115: ("Nieprawidłowy certyfikat.", Kind.CONNECTION),
    21117: (
        "Nieprawidłowy identyfikator podmiotu dla wskazanego typu kontekstu.",
        Kind.CONNECTION,
    ),
    21155: ("Przekroczono dozwoloną liczbę faktur w sesji.", Kind.SESSION),
    21157: ("Nieprawidłowy rozmiar części pakietu.", Kind.OPERATOR),
    21161: ("Przekroczono dozwoloną liczbę części pakietu.", Kind.OPERATOR),
    21164: ("Faktura o podanym identyfikatorze nie istnieje.", Kind.MISSING),
    21165: ("Faktura o podanym numerze KSeF nie jest jeszcze dostępna.", Kind.RETRY),
    21166: ("Korekta techniczna niedostępna.", Kind.DOCUMENT),
    21167: ("Status faktury nie pozwala na korektę techniczną.", Kind.DOCUMENT),
    21173: ("Brak sesji o wskazanym numerze referencyjnym.", Kind.SESSION),
    21175: ("Wynik zapytania o podanym identyfikatorze nie istnieje.", Kind.MISSING),
    21178: ("Nie znaleziono UPO dla podanych kryteriów.", Kind.MISSING),
    21180: ("Status sesji nie pozwala na wykonanie operacji.", Kind.SESSION),
    21181: ("Nieprawidłowe żądanie eksportu faktur.", Kind.OPERATOR),
    21182: ("Osiągnięto limit trwających eksportów.", Kind.LIMIT),
    21183: ("Zakres filtrowania wykracza poza dostępny zakres danych.", Kind.RETRY),
    21205: ("Pakiet nie może być pusty.", Kind.OPERATOR),
    21208: (
        "Czas oczekiwania na requesty upload lub finish został przekroczony.",
        Kind.SESSION,
    ),
    21217: ("Nieprawidłowe kodowanie znaków.", Kind.OPERATOR),
    21301: ("Brak autoryzacji.", Kind.TOKEN),
    21304: ("Brak uwierzytelnienia.", Kind.TOKEN),
    21308: ("Próba wykorzystania metod autoryzacyjnych osoby zmarłej.", Kind.CONNECTION),
    21401: ("Dokument nie jest zgodny ze schemą (xsd).", Kind.OPERATOR),
    21402: ("Nieprawidłowy rozmiar pliku.", Kind.OPERATOR),
    21403: ("Nieprawidłowy skrót pliku.", Kind.OPERATOR),
    21405: ("Błąd walidacji danych wejściowych.", Kind.OPERATOR),
    21406: ("Konflikt podpisu i typu uwierzytelnienia.", Kind.CONNECTION),
    21418: ("Przekazany token kontynuacji ma nieprawidłowy format.", Kind.RETRY),
    21470: (
        "Przesłany identyfikator klucza jest nieznany lub wskazuje na wycofany klucz.",
        Kind.KEYS,
    ),
    25001: (
        "Brak możliwości pobrania danych do CSR dla wykorzystanego sposobu uwierzytelnienia.",
        Kind.CONNECTION,
    ),
    25002: (
        (
            "Brak możliwości złożenia wniosku certyfikacyjnego dla wykorzystanego sposobu "
            "uwierzytelnienia."
        ),
        Kind.CONNECTION,
    ),
    25003: (
        "Dane w CSR nie zgadzają się z danymi w użytym wektorze uwierzytelniającym.",
        Kind.OPERATOR,
    ),
    25004: ("Niepoprawny format CSR lub niepoprawny podpis CSR.", Kind.OPERATOR),
    25005: ("Wniosek certyfikacyjny o podanym numerze referencyjnym nie istnieje.", Kind.MISSING),
    25006: ("Osiągnięto limit możliwych do złożenia wniosków certyfikacyjnych.", Kind.CONNECTION),
    25007: ("Osiągnięto limit dopuszczalnej liczby posiadanych certyfikatów.", Kind.CONNECTION),
    25008: ("Certyfikat o podanym numerze seryjnym nie istnieje.", Kind.MISSING),
    25009: (
        (
            "Nie można odwołać wskazanego certyfikatu, ponieważ jest już odwołany, zablokowany "
            "lub nieważny."
        ),
        Kind.CONNECTION,
    ),
    25010: ("Nieprawidłowy typ lub długość klucza.", Kind.OPERATOR),
    25011: ("Nieprawidłowy algorytm podpisu CSR.", Kind.OPERATOR),
    26001: ("Nie można nadać tokenowi uprawnień których nie posiadasz.", Kind.CONNECTION),
    26002: ("Nie można wygenerować tokena dla obecnego typu kontekstu.", Kind.CONNECTION),
    30001: ("Podmiot lub uprawnienie już istnieje.", Kind.DONE),
    71001: ("Faktura nie może zostac przypisana do Identyfikatora Zbiorczego.", Kind.DOCUMENT),
    71002: (
        "Faktura jest już przypisana do maksymalnej liczby Identyfikatorów Zbiorczych.",
        Kind.DOCUMENT,
    ),
}

# Announced by the API team and not yet in the interface description.
ANNOUNCED: Final[Mapping[int, tuple[str, Kind]]] = {
    # CIRFMF/ksef-api issue 864, 2026-09-14
    21184: ("Sesja jest chwilowo niedostępna. Otwórz nową sesję.", Kind.SESSION),
}
_EXCEPTIONS: Final = {**EXCEPTIONS, **ANNOUNCED}


# -- statuses --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Row:
    """A status; `details` where the official text has some, and they make a difference."""

    area: Area
    code: int
    text: str
    kind: Kind
    details: str = "-"


_BAD_LOGIN: Final = "Uwierzytelnianie zakończone niepowodzeniem"
_BAD_TOKEN: Final = f"{_BAD_LOGIN} z powodu błędnego tokenu"
_BAD_CERTIFICATE: Final = f"{_BAD_LOGIN} z powodu błędu certyfikatu"
_CANCELLED: Final = "Operacja została anulowana przez system"
_INTERNAL: Final = (
    "Przetwarzanie zostało przerwane z przyczyn wewnętrznych systemu. Spróbuj ponownie"
)
_INCIDENT: Final = (
    "Podejrzenie incydentu bezpieczeństwa. Skontaktuj się z Ministerstwem Finansów przez formularz "
    "zgłoszeniowy."
)
_NO_RANGE: Final = (
    "Parametr dateRange.from jest późniejszy niż PermanentStorageHwmDate przy włączonym "
    "restrictToPermanentStorageHwmDate."
)

STATUSES: Final = (
    Row(Area.LOGIN, 100, "Uwierzytelnianie w toku", Kind.RUNNING),
    Row(Area.LOGIN, 200, "Uwierzytelnianie zakończone sukcesem", Kind.DONE),
    Row(Area.LOGIN, 415, _BAD_LOGIN, Kind.CONNECTION, "Brak przypisanych uprawnień"),
    Row(
        Area.LOGIN, 425, "Uwierzytelnienie unieważnione", Kind.RETRY,
        "Uwierzytelnienie i powiązane refresh tokeny zostały unieważnione przez użytkownika",
    ),
    Row(Area.LOGIN, 450, _BAD_TOKEN, Kind.RETRY, "Nieprawidłowe wyzwanie autoryzacyjne"),
    Row(Area.LOGIN, 450, _BAD_TOKEN, Kind.RETRY, "Nieprawidłowy czas tokena"),
    Row(Area.LOGIN, 450, _BAD_TOKEN, Kind.OPERATOR, "Nieprawidłowe kodowanie tokena"),
    Row(Area.LOGIN, 450, _BAD_TOKEN, Kind.OPERATOR, "Nieprawidłowe szyfrowanie tokena"),
    Row(Area.LOGIN, 450, _BAD_TOKEN, Kind.CONNECTION, "Nieprawidłowy token"),
    Row(
        Area.LOGIN, 450, _BAD_TOKEN, Kind.CONNECTION,
        "Token nie może być użyty w kontekście {contextIdentifier}",
    ),
    Row(Area.LOGIN, 450, _BAD_TOKEN, Kind.CONNECTION, "Token nieaktywny"),
    Row(Area.LOGIN, 450, _BAD_TOKEN, Kind.CONNECTION, "Token unieważniony"),
    Row(Area.LOGIN, 460, _BAD_CERTIFICATE, Kind.RETRY, "Błąd weryfikacji łańcucha certyfikatów"),
    Row(Area.LOGIN, 460, _BAD_CERTIFICATE, Kind.CONNECTION, "Certyfikat odwołany"),
    Row(Area.LOGIN, 460, _BAD_CERTIFICATE, Kind.CONNECTION, "Certyfikat zawieszony"),
    Row(Area.LOGIN, 460, _BAD_CERTIFICATE, Kind.CONNECTION, "Niepoprawny certyfikat"),
    Row(Area.LOGIN, 460, _BAD_CERTIFICATE, Kind.CONNECTION, "Nieważny certyfikat"),
    Row(Area.LOGIN, 460, _BAD_CERTIFICATE, Kind.CONNECTION, "Niezaufany łańcuch certyfikatów"),
    Row(
        Area.LOGIN, 470, _BAD_LOGIN, Kind.CONNECTION,
        "Próba wykorzystania metod autoryzacyjnych osoby zmarłej",
    ),
    Row(Area.LOGIN, 480, "Uwierzytelnienie zablokowane", Kind.CONNECTION, _INCIDENT),
    Row(Area.LOGIN, 500, "Nieznany błąd", Kind.RETRY),
    Row(Area.LOGIN, 550, _CANCELLED, Kind.RETRY, _INTERNAL),
    Row(Area.SESSION, 100, "Sesja interaktywna otwarta", Kind.RUNNING),
    Row(Area.SESSION, 100, "Sesja wsadowa rozpoczęta", Kind.RUNNING),
    Row(Area.SESSION, 150, "Trwa przetwarzanie", Kind.RUNNING),
    Row(Area.SESSION, 170, "Sesja interaktywna zamknięta", Kind.RUNNING),
    Row(Area.SESSION, 200, "Sesja interaktywna przetworzona pomyślnie", Kind.DONE),
    Row(Area.SESSION, 200, "Sesja wsadowa przetworzona pomyślnie", Kind.DONE),
    Row(
        Area.SESSION, 405, "Błąd weryfikacji poprawności dostarczonych elementów paczki",
        Kind.RETRY,
    ),
    Row(Area.SESSION, 415, "Błąd odszyfrowania dostarczonego klucza", Kind.RETRY),
    Row(Area.SESSION, 420, "Przekroczony limit faktur w sesji", Kind.RETRY),
    Row(Area.SESSION, 430, "Błąd dekompresji pierwotnego archiwum", Kind.RETRY),
    Row(
        Area.SESSION, 435, "Błąd odszyfrowania zaszyfrowanych części archiwum", Kind.RETRY,
    ),
    Row(Area.SESSION, 440, "Sesja anulowana", Kind.RETRY, "Nie przesłano faktur"),
    Row(Area.SESSION, 440, "Sesja anulowana", Kind.RETRY, "Przekroczono czas wysyłki"),
    Row(Area.SESSION, 445, "Błąd weryfikacji, brak poprawnych faktur", Kind.DONE),
    Row(Area.SESSION, 500, "Nieznany błąd", Kind.RETRY),
    Row(Area.SESSION, 550, _CANCELLED, Kind.RETRY, _INTERNAL),
    Row(Area.INVOICE, 100, "Faktura przyjęta do dalszego przetwarzania", Kind.RUNNING),
    Row(Area.INVOICE, 150, "Trwa przetwarzanie", Kind.RUNNING),
    Row(Area.INVOICE, 200, "Sukces", Kind.DONE),
    Row(Area.INVOICE, 405, "Przetwarzanie anulowane z powodu błędu sesji", Kind.RETRY),
    Row(Area.INVOICE, 410, "Nieprawidłowy zakres uprawnień", Kind.DOCUMENT),
    Row(Area.INVOICE, 415, "Brak możliwości wysyłania faktury z załącznikiem", Kind.DOCUMENT),
    Row(Area.INVOICE, 430, "Błąd weryfikacji pliku faktury", Kind.DOCUMENT),
    Row(Area.INVOICE, 435, "Błąd odszyfrowania pliku", Kind.RETRY),
    Row(Area.INVOICE, 440, "Duplikat faktury", Kind.DUPLICATE),
    Row(Area.INVOICE, 450, "Błąd weryfikacji semantyki dokumentu faktury", Kind.DOCUMENT),
    Row(Area.INVOICE, 500, "Nieznany błąd ({statusCode})", Kind.RETRY),
    Row(Area.INVOICE, 550, _CANCELLED, Kind.RETRY, f"{_INTERNAL} później."),
    Row(Area.EXPORT, 100, "Eksport faktur w toku", Kind.RUNNING),
    Row(Area.EXPORT, 200, "Eksport faktur zakończony sukcesem", Kind.DONE),
    Row(
        Area.EXPORT, 210, "Eksport faktur wygasł i nie jest już dostępny do pobrania", Kind.MISSING,
    ),
    Row(Area.EXPORT, 415, "Błąd odszyfrowania dostarczonego klucza", Kind.RETRY),
    Row(
        Area.EXPORT, 420, "Zakres filtrowania wykracza poza dostępny zakres danych", Kind.RETRY,
        _NO_RANGE,
    ),
    Row(Area.EXPORT, 500, "Nieznany błąd ({statusCode})", Kind.RETRY),
    Row(Area.EXPORT, 550, _CANCELLED, Kind.RETRY, f"{_INTERNAL} później."),
    Row(Area.OPERATION, 100, "Operacja przyjęta do realizacji", Kind.RUNNING),
    Row(Area.OPERATION, 200, "Operacja zakończona sukcesem", Kind.DONE),
    Row(Area.OPERATION, 400, "Operacja zakończona niepowodzeniem", Kind.OPERATOR),
    Row(
        Area.OPERATION, 410,
        "Podane identyfikatory są niezgodne lub pozostają w niewłaściwej relacji", Kind.OPERATOR,
    ),
    Row(
        Area.OPERATION, 420,
        "Użyte poświadczenia nie mają uprawnień do wykonania tej operacji", Kind.CONNECTION,
    ),
    Row(
        Area.OPERATION, 430,
        "Kontekst identyfikatora nie odpowiada wymaganej roli lub uprawnieniom", Kind.CONNECTION,
    ),
    Row(
        Area.OPERATION, 440,
        "Operacja niedozwolona dla wskazanych powiązań identyfikatorów", Kind.CONNECTION,
    ),
    Row(
        Area.OPERATION, 450,
        "Operacja niedozwolona dla wskazanego identyfikatora lub jego typu", Kind.CONNECTION,
    ),
    Row(Area.OPERATION, 500, "Nieznany błąd", Kind.RETRY),
    Row(Area.OPERATION, 550, _CANCELLED, Kind.RETRY, _INTERNAL),
    Row(Area.ENROLMENT, 100, "Wniosek przyjęty do realizacji", Kind.RUNNING),
    Row(Area.ENROLMENT, 200, "Wniosek obsłużony (certyfikat wygenerowany)", Kind.DONE),
    Row(
        Area.ENROLMENT, 400, "Wniosek odrzucony", Kind.CONNECTION,
        "Klucz publiczny został już certyfikowany przez inny podmiot.",
    ),
    Row(
        Area.ENROLMENT, 400, "Wniosek odrzucony", Kind.CONNECTION,
        "Osiągnięto dopuszczalny limit posiadanych certyfikatów.",
    ),
    Row(Area.ENROLMENT, 500, "Nieznany błąd", Kind.RETRY),
    Row(Area.ENROLMENT, 550, _CANCELLED, Kind.RETRY, _INTERNAL),
)  # fmt: skip
# Words of details in English (CIRFMF/ksef-api 208, 306, 214); the first that occurs counts.
_IN_ENGLISH: Final[Mapping[tuple[Area, int], tuple[tuple[str, Kind], ...]]] = {
    (Area.LOGIN, 450): (
        ("challenge", Kind.RETRY),
        ("timestamp", Kind.RETRY),
        ("token time", Kind.RETRY),
        ("encoding", Kind.OPERATOR),
        ("encryption", Kind.OPERATOR),
        ("decrypt", Kind.OPERATOR),
        ("context", Kind.CONNECTION),
        ("revoked", Kind.CONNECTION),
        ("inactive", Kind.CONNECTION),
        ("not active", Kind.CONNECTION),
        ("expired", Kind.CONNECTION),
        ("invalid token", Kind.CONNECTION),
        ("token is invalid", Kind.CONNECTION),
    ),
    (Area.LOGIN, 460): (
        ("chain verification", Kind.RETRY),
        ("verifying", Kind.RETRY),
        ("revoked", Kind.CONNECTION),
        ("suspended", Kind.CONNECTION),
        ("expired", Kind.CONNECTION),
        ("not valid", Kind.CONNECTION),
        ("invalid certificate", Kind.CONNECTION),
        ("untrusted", Kind.CONNECTION),
        ("not trusted", Kind.CONNECTION),
    ),
}
_BY_CODE: Final[dict[tuple[Area, int], list[Row]]] = {}
for _row in STATUSES:
    _BY_CODE.setdefault((_row.area, _row.code), []).append(_row)


@dataclass(frozen=True, slots=True)
class Status:
    """A status of an answer.

    details     the errors one by one, of an invoice
    extensions  of an invoice: the original of a duplicate
    """

    kind: Kind
    code: int
    text: str
    details: tuple[str, ...] = ()
    extensions: Mapping[str, str] = field(default_factory=dict)


def status_of(area: Area, given: object) -> Status:
    """The meaning of the member `status` of an answer."""
    values = given if isinstance(given, dict) else {}
    code = values.get("code")
    if not isinstance(code, int):
        return Status(Kind.UNKNOWN, 0, "KSeF gives no status.")
    details = [str(each) for each in values.get("details") or () if each]
    kind = _kind_of(area, code, details)
    words = f"{values.get('description', '')}: {'; '.join(details)}".strip(": ")
    text = shown(words, MAX_REASON)
    given_extensions = values.get("extensions")
    extensions = given_extensions if isinstance(given_extensions, dict) else {}
    named = {name: str(value) for name, value in extensions.items() if value}
    return Status(kind, code, text, tuple(map(shown, details)), named)


def _kind_of(area: Area, code: int, details: list[str]) -> Kind:
    """The kind of a status by its details, in either language; else that of its first row."""
    rows = _BY_CODE.get((area, code), [])
    for row in reversed(rows):
        start = row.details.partition("{")[0]
        if any(detail.startswith(start) for detail in details):
            return row.kind
    said = " ".join(details).lower()
    for words, kind in _IN_ENGLISH.get((area, code), ()):
        if words in said:
            return kind
    return rows[0].kind if rows else Kind.UNKNOWN


# -- HTTP ------------------------------------------------------------------------------------------

_FORBIDDEN: Final = {
    "missing-permissions": "The account has no right for this",
    "ip-not-allowed": "KSeF does not take calls from this address",
    "insufficient-resource-access": "The account has no access to this",
    "auth-method-not-allowed": "KSeF does not take this way of logging in for this",
    "security-service-blocked": "KSeF has blocked the account",
    "context-type-not-allowed": "KSeF does not take this kind of account for this",
}
_FORBIDDEN_CODES: Final = tuple(_FORBIDDEN)  # the value may be of any type


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer that is not the expected one.

    code         of the exception, or the HTTP status
    retry_after  seconds, of LIMIT
    missing      rights, one of which the account needs; `present`: those that it has
    """

    kind: Kind
    code: int
    text: str
    retry_after: float | None = None
    missing: tuple[str, ...] = ()
    present: tuple[str, ...] = ()


def fault_of(response: Response) -> Fault:
    """The meaning of an answer without success, in either of the formats of errors."""
    values = response.members()
    match response.status:
        case 400:
            return _exception(values)
        case 401:
            return Fault(Kind.TOKEN, 401, _said(values, "KSeF refuses the token."))
        case 403:
            return _forbidden(values)
        case 404 | 405 | 406 | 413 | 414 | 415:
            words = f"KSeF does not know the call: HTTP {response.status}."
            return Fault(Kind.OPERATOR, response.status, words)
        case 410:
            return Fault(Kind.MISSING, 410, _said(values, "KSeF no longer has it."))
        case 429:
            return Fault(Kind.LIMIT, 429, "KSeF takes no more calls now.", _seconds(response))
    return Fault(Kind.UNKNOWN, response.status, f"KSeF responds with {response.status}.")


def blames_account(response: Response) -> bool:
    """Whether a 403 names a reason of KSeF. Others are of the firewall before it, which refuses the
    address of this service, whatever the account."""
    values = response.members()
    codes = (_listed(each)[0] for each in _exceptions(values))
    return values.get("reasonCode") in _FORBIDDEN_CODES or any(code in EXCEPTIONS for code in codes)


def shown(text: str, most: int = MAX_TEXT) -> str:
    """A text in one line, of at most so many characters."""
    return " ".join(text.split())[:most]


def _exception(values: Mapping[str, Any]) -> Fault:
    """The first exception that has a row, else the first one."""
    found = [_listed(each) for each in _exceptions(values)]
    known = [each for each in found if each[0] in _EXCEPTIONS]
    code, text = (known or found or [(400, "KSeF gives no reason.")])[0]
    _, kind = _EXCEPTIONS.get(code, ("", Kind.UNKNOWN))
    return Fault(kind, code, text)


def _exceptions(values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    given = values.get("errors")
    if given is None and isinstance(values.get("exception"), dict):
        given = values["exception"].get("exceptionDetailList")
    return [each for each in (given if isinstance(given, list) else ()) if isinstance(each, dict)]


def _listed(given: Mapping[str, Any]) -> tuple[int, str]:
    code = given.get("code", given.get("exceptionCode"))
    words = given.get("description", given.get("exceptionDescription")) or ""
    listed = given.get("details")
    details = "; ".join(str(each) for each in (listed if isinstance(listed, list) else ()))
    return code if isinstance(code, int) else 400, shown(f"{words} {details}")


def _forbidden(values: Mapping[str, Any]) -> Fault:
    reason = str(values.get("reasonCode", ""))
    security = values.get("security")
    security = security if isinstance(security, dict) else {}
    words = _FORBIDDEN.get(reason, "KSeF refuses the call")
    text = shown(f"{words} ({reason or 403}): {values.get('detail') or ''}".rstrip(": "))
    return Fault(
        Kind.CONNECTION if reason in _FORBIDDEN else Kind.UNKNOWN,
        403,
        text,
        missing=_names(security.get("requiredAnyOfPermissions")),
        present=_names(security.get("presentPermissions")),
    )


def _names(given: object) -> tuple[str, ...]:
    return tuple(str(each) for each in given) if isinstance(given, list) else ()


def _said(values: Mapping[str, Any], default: str) -> str:
    return shown(str(values.get("detail") or default))


def _seconds(response: Response) -> float:
    """Retry-After in seconds; a minute where it cannot be read."""
    try:
        return max(1.0, float(response.headers.get("retry-after", "60")))
    except ValueError:
        return 60.0
