"""Texts of statuses, as published."""

from __future__ import annotations

LOGIN = {
    100: "Uwierzytelnianie w toku",
    200: "Uwierzytelnianie zakończone sukcesem",
    415: "Uwierzytelnianie zakończone niepowodzeniem",
    425: "Uwierzytelnienie unieważnione",
    450: "Uwierzytelnianie zakończone niepowodzeniem z powodu błędnego tokenu",
    460: "Uwierzytelnianie zakończone niepowodzeniem z powodu błędu certyfikatu",
    470: "Uwierzytelnianie zakończone niepowodzeniem",
    480: "Uwierzytelnienie zablokowane",
    500: "Nieznany błąd",
    550: "Operacja została anulowana przez system",
}
ONLINE = {
    100: "Sesja interaktywna otwarta",
    170: "Sesja interaktywna zamknięta",
    200: "Sesja interaktywna przetworzona pomyślnie",
    415: "Błąd odszyfrowania dostarczonego klucza",
    440: "Sesja anulowana",
    445: "Błąd weryfikacji, brak poprawnych faktur",
}
BATCH = {
    100: "Sesja wsadowa rozpoczęta",
    150: "Trwa przetwarzanie",
    200: "Sesja wsadowa przetworzona pomyślnie",
    405: "Błąd weryfikacji poprawności dostarczonych elementów paczki",
    415: "Błąd odszyfrowania dostarczonego klucza",
    420: "Przekroczony limit faktur w sesji",
    430: "Błąd dekompresji pierwotnego archiwum",
    435: "Błąd odszyfrowania zaszyfrowanych części archiwum",
    440: "Sesja anulowana",
    445: "Błąd weryfikacji, brak poprawnych faktur",
    500: "Nieznany błąd",
}
INVOICE = {
    100: "Faktura przyjęta do dalszego przetwarzania",
    150: "Trwa przetwarzanie",
    200: "Sukces",
    405: "Przetwarzanie anulowane z powodu błędu sesji",
    410: "Nieprawidłowy zakres uprawnień",
    415: "Brak możliwości wysyłania faktury z załącznikiem",
    430: "Błąd weryfikacji pliku faktury",
    435: "Błąd odszyfrowania pliku",
    440: "Duplikat faktury",
    450: "Błąd weryfikacji semantyki dokumentu faktury",
    500: "Nieznany błąd",
    550: "Operacja została anulowana przez system",
}
EXPORT = {
    100: "Eksport faktur w toku",
    200: "Eksport faktur zakończony sukcesem",
    210: "Eksport faktur wygasł i nie jest już dostępny do pobrania",
    415: "Błąd odszyfrowania dostarczonego klucza",
    500: "Nieznany błąd",
}
CANCELLED = "Przetwarzanie zostało przerwane z przyczyn wewnętrznych systemu. Spróbuj ponownie"
BLOCKED = (
    "Podejrzenie incydentu bezpieczeństwa. Skontaktuj się z Ministerstwem Finansów przez formularz "
    "zgłoszeniowy."
)
# Reasons of refused logins, as integrators have got them (ksef-api 208, 214, 306).
IN_ENGLISH = {
    "Nieprawidłowy czas tokena": "Invalid timestamp.",
    "Nieprawidłowe kodowanie tokena": "Invalid token encoding.",
    "Nieprawidłowe szyfrowanie tokena": "Invalid token encryption.",
    "Nieprawidłowy token": "Invalid token.",
    "Token nieaktywny": "Token is inactive.",
    "Token unieważniony": "Token revoked.",
    "Nieważny certyfikat": "Certificate expired.",
    "Certyfikat odwołany": "Certificate revoked.",
    "Certyfikat zawieszony": "Certificate suspended.",
    "Niezaufany łańcuch certyfikatów": "Untrusted certificate chain.",
}
