"""What the stand-in answers: results, and refusals in the forms that KSeF has for them.

A refusal with HTTP 400 has a code and its text (`TEXTS`), as an `exception`, or as problem details
where the request asks for that.
"""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime
from typing import Any

from tests.networks.stand_ins import Answer

TEXTS = {
    9101: "Nieprawidłowy dokument.",
    9102: "Brak podpisu.",
    9103: "Przekroczona liczba dozwolonych podpisów.",
    9105: "Nieprawidłowy podpis.",
    21001: "Nieczytelna treść.",
    21111: "Nieprawidłowe wyzwanie autoryzacyjne.",
    21115: "Nieprawidłowy certyfikat.",
    21117: "Nieprawidłowy identyfikator podmiotu dla wskazanego typu kontekstu.",
    21155: "Przekroczono dozwoloną liczbę faktur w sesji.",
    21157: "Nieprawidłowy rozmiar części pakietu.",
    21161: "Przekroczono dozwoloną liczbę części pakietu.",
    21164: "Faktura o podanym identyfikatorze nie istnieje.",
    21165: "Faktura o podanym numerze KSeF nie jest jeszcze dostępna.",
    21166: "Korekta techniczna niedostępna.",
    21167: "Status faktury nie pozwala na korektę techniczną.",
    21173: "Brak sesji o wskazanym numerze referencyjnym.",
    21175: "Wynik zapytania o podanym identyfikatorze nie istnieje.",
    21178: "Nie znaleziono UPO dla podanych kryteriów.",
    21180: "Status sesji nie pozwala na wykonanie operacji.",
    21181: "Nieprawidłowe żądanie eksportu faktur.",
    21182: "Osiągnięto limit trwających eksportów.",
    21183: "Zakres filtrowania wykracza poza dostępny zakres danych.",
    21205: "Pakiet nie może być pusty.",
    21217: "Nieprawidłowe kodowanie znaków.",
    21301: "Brak autoryzacji.",
    21304: "Brak uwierzytelnienia.",
    21401: "Dokument nie jest zgodny ze schemą (xsd).",
    21402: "Nieprawidłowy rozmiar pliku.",
    21403: "Nieprawidłowy skrót pliku.",
    21405: "Błąd walidacji danych wejściowych.",
    21418: "Przekazany token kontynuacji ma nieprawidłowy format.",
    21470: "Przesłany identyfikator klucza jest nieznany lub wskazuje na wycofany klucz.",
    26001: "Nie można nadać tokenowi uprawnień których nie posiadasz.",
    30001: "Podmiot lub uprawnienie już istnieje.",
}

# Announced and not in the interface description yet (ksef-api 864), and one of nobody.
ANNOUNCED = {
    21184: "Sesja jest chwilowo niedostępna. Otwórz nową sesję.",
    21999: "Nieznany wyjątek.",
}

PROBLEM = "application/problem+json"


def shown(moment: datetime) -> str:
    """A time as the API shows it, with seven decimals."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") + "0+00:00"


def result(values: object, status: int = 200) -> Answer:
    """An answer with JSON."""
    return Answer(status, json.dumps(values, ensure_ascii=False).encode())


class Refusal(Exception):
    """A request that is refused; `answer` is the response to it."""

    def answer(self, now: datetime, path: str, problem: bool) -> Answer:
        raise NotImplementedError


def _problem(now: datetime, status: int, title: str, detail: str, **further: object) -> bytes:
    values = {
        "title": title,
        "status": status,
        "detail": detail,
        "timestamp": shown(now),
        "traceId": secrets.token_hex(16),
    }
    return json.dumps(values | further, ensure_ascii=False).encode()


class Refused(Refusal):
    """HTTP 400 with a code."""

    def __init__(self, code: int, *details: str) -> None:
        self.text = (TEXTS | ANNOUNCED)[code]
        super().__init__(f"{code} {self.text} {details}")
        self.code, self.details = code, list(details)

    def answer(self, now: datetime, path: str, problem: bool) -> Answer:
        if problem:
            error = {"code": self.code, "description": self.text, "details": self.details}
            body = _problem(now, 400, "Bad Request", self.text, instance=path,
                            errors=[error])  # fmt: skip
            return Answer(400, body, PROBLEM)
        listed = {
            "exceptionCode": self.code,
            "exceptionDescription": self.text,
            "details": self.details,
        }
        exception: dict[str, Any] = {
            "exceptionDetailList": [listed],
            "serviceCode": "00-" + secrets.token_hex(16) + "-" + secrets.token_hex(8) + "-00",
            "timestamp": shown(now),
        }
        return Answer(400, json.dumps({"exception": exception}, ensure_ascii=False).encode())


class Unauthorized(Refusal):
    """HTTP 401."""

    def answer(self, now: datetime, path: str, problem: bool) -> Answer:
        body = _problem(now, 401, "Unauthorized", "Wymagane jest uwierzytelnienie.", instance=path)
        return Answer(401, body, PROBLEM)


class Forbidden(Refusal):
    """HTTP 403 with the reason code."""

    def __init__(self, reason: str, **security: object) -> None:
        super().__init__(reason)
        self.reason, self.security = reason, security

    def answer(self, now: datetime, path: str, problem: bool) -> Answer:
        body = _problem(now, 403, "Forbidden", f"Odmowa dostępu: {self.reason}.", instance=path,
                        reasonCode=self.reason, security=self.security)  # fmt: skip
        return Answer(403, body, PROBLEM)


class Gone(Refusal):
    """HTTP 410, of an operation that is too old."""

    def answer(self, now: datetime, path: str, problem: bool) -> Answer:
        body = _problem(now, 410, "Gone", "Operacja nie jest już dostępna.", instance=path)
        return Answer(410, body, PROBLEM)


class NotFound(Refusal):
    """HTTP 404, of an address that does not exist."""

    def answer(self, now: datetime, path: str, problem: bool) -> Answer:
        return Answer(404, b"", "text/plain")


class TooMany(Refusal):
    """HTTP 429 with the seconds to wait."""

    def __init__(self, limit: int, unit: str, seconds: int) -> None:
        super().__init__(f"{limit} a {unit}, {seconds} s")
        self.limit, self.unit, self.seconds = limit, unit, seconds

    def answer(self, now: datetime, path: str, problem: bool) -> Answer:
        words = (
            f"Przekroczono limit {self.limit} żądań na {self.unit}. "
            f"Spróbuj ponownie po {self.seconds} sekundach."
        )
        headers = {"Retry-After": str(self.seconds)}
        if problem:
            body = _problem(now, 429, "Too Many Requests", words, instance=path)
            return Answer(429, body, PROBLEM, headers)
        status = {"code": 429, "description": "Too Many Requests", "details": [words]}
        return Answer(429, json.dumps({"status": status}).encode(), headers=headers)
