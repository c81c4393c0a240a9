"""Words that people write into the field of a tax number: "none", and the number's own name.

>>> means_none("N/A"), means_none("geen"), means_none("0"), means_none("NO123456785MVA")
(True, True, True, False)
>>> without_words("BTW BE0403.170.701"), without_words("Steuernummer: 12/345/67890")
(('BE0403.170.701', True), ('12/345/67890', False))
"""

from __future__ import annotations

import re
import unicodedata

_MAX_LENGTH = 200  # longer texts are no tax number with a word before it
_NONE_WORDS = """
    NA NONE NULL NIL NIHIL NO NOT NOVAT NOVATNUMBER NOTAPPLICABLE NOTAVAILABLE NOTREGISTERED
    NOTVATREGISTERED UNKNOWN UNDEFINED EMPTY FALSE NAN TBA TBD TODO PENDING GEEN GEENBTW NVT
    NIETVANTOEPASSING NIETBTWPLICHTIG ONBEKEND NEE KEINE KEIN KEINER KEINEVORHANDEN
    NICHTVORHANDEN NICHTBEKANNT ENTFAELLT ENTFALLT UNBEKANNT LEER NEIN OHNE AUCUN AUCUNE NEANT
    NON SANS SANSOBJET NONASSUJETTI NONASSUJETTIE INCONNU INCONNUE VIDE NESSUNO NESSUNA NINGUNO
    NINGUNA NENHUM NENHUMA SINNIF BRAK NIEMA NIEDOTYCZY NUARE FARA NUSEAPLICA INGEN INGA SAKNAS
    IKKE EI EIOLE ZADNY ZADNE NINCS NIMA EXEMPT
    EXEMPTED EXONERE EXONEREE VRIJGESTELD KLEINUNTERNEHMER PRIVAT PRIVATE PRIVATPERSON PARTICULIER
    CONSUMER VERBRAUCHER CONSUMENT
"""
_NONE = frozenset(_NONE_WORDS.split())
# Names of VAT numbers. What stands behind them must be one.
_VAT_NAMES = """
    VAT VATIN BTW TVA UST USTID USTIDNR USTIDNUMMER USTIDENTNR UMSATZSTEUER MWST MEHRWERTSTEUER
    UID IVA PIVA PARTITA MOMS MVA ALV KMKR KMK PVN PVM DPH DIC AFM ΑΦΜ FPA ΦΠΑ NIP OIB DDV DDS
    ДДС PDV GST GSTIN TRN ABN NIF CIF CUI
"""
_VAT_WORDS = frozenset(_VAT_NAMES.split())
_OF_NUMBERS = frozenset({"MVA"})  # which the number itself ends with
# Names of other numbers, and words that stand between.
_OTHER_NAMES = """
    TAX TAXID TIN EIN FEIN STEUER STEUERNUMMER STEUERNR STNR ST STR SIREN SIRET RCS KVK KBO BCE
    CVR ON ORG ORGNR RSIN CF CODICE FISCALE CODFISC COD FISCAL
"""
_OTHER_WORDS = frozenset(_OTHER_NAMES.split())
_BETWEEN_WORDS = """
    NO NR NUM NUMBER NUMMER NUMERO NOMBRE N O ID IDNR IDENT IDENTNR IDENTIFIKATIONSNUMMER IDNO
    REG REGNR REGNO REGISTRATION INTRA INTRACOM INTRACOMMUNAUTAIRE INTRACOMUNITARIO DE D LA IC
    EU C P F E CODE CODIGO
"""
_BETWEEN = frozenset(_BETWEEN_WORDS.split())
# The registers of companies, which those of Belgium and France write behind their number.
_REGISTER = re.compile(r"(?<![^\W\d_])(?:RPM|RPR|RCS)(?![^\W\d_])")
_FIRST = re.compile(r"[\W_]*([^\W\d_]+)[\W_]*")
_LETTERS_OR_DIGITS = re.compile(r"[\W_]+")


def means_none(text: str) -> bool:
    """Whether a text says that there is no number: a word of many languages, zeros, or X's."""
    if len(text) > _MAX_LENGTH:
        return False
    plain = _LETTERS_OR_DIGITS.sub("", _without_accents(text))
    return plain in _NONE or (bool(plain) and (not plain.strip("0") or not plain.strip("X")))


def without_words(text: str) -> tuple[str, bool]:
    """The text without the names of numbers before and behind it, and whether one was of VAT.

    The text as it is, if it has no such words, or nothing else.
    """
    if len(text) > _MAX_LENGTH:
        return text, False
    register = _REGISTER.search(text, 1)  # one that begins the text is a name before the number
    rest, named = _without_first(_ended(text[: register.start()] if register else text))
    while (name := _last_word(rest)) and _without_accents(name) in _VAT_WORDS - _OF_NUMBERS:
        rest, named = _ended(_ended(rest)[: -len(name)]), True
    return (rest.strip(), named) if rest.strip() else (text, False)


def _ended(text: str) -> str:
    """The text up to its last letter or digit."""
    end = len(text)
    while end and not text[end - 1].isalnum():
        end -= 1
    return text[:end]


def _last_word(text: str) -> str:
    """The letters at the end, if no digit is before them."""
    ended = _ended(text)
    start = len(ended)
    while start and ended[start - 1].isalpha():
        start -= 1
    return "" if start and ended[start - 1].isdigit() else ended[start:]


def _without_first(text: str) -> tuple[str, bool]:
    named = known = False
    start = 0
    while found := _FIRST.match(text, start):
        word = _without_accents(found[1])
        if _is_country(text, found, word):
            break
        if word in _VAT_WORDS or word in _OTHER_WORDS:
            known, named = True, named or word in _VAT_WORDS
        elif word not in _BETWEEN:
            start, glued = _glued(text, found, word)
            return (text[start:], named or glued) if known or glued else (text, False)
        start = found.end()
    return (text[start:], named) if known else (text, False)


def _is_country(text: str, found: re.Match[str], word: str) -> bool:
    """Whether a word is the prefix of the number itself: DE 123456788, NO 123456785 MVA."""
    if word == "NO":
        return text.rstrip().upper().endswith("MVA")
    return word in ("DE", "EU") and text[found.end() : found.end() + 1].isdigit()


def _glued(text: str, found: re.Match[str], word: str) -> tuple[int, bool]:
    """Where the number begins behind a name that is written together with its country prefix."""
    for length in range(min(len(word) - 1, 8), 2, -1):
        if word[:length] in _VAT_WORDS and len(word) - length <= 3:
            return found.start(1) + length, True
    return found.start(1), False


def _without_accents(text: str) -> str:
    """In capitals, without accents."""
    decomposed = unicodedata.normalize("NFKD", text.upper())
    return "".join([c for c in decomposed if not unicodedata.combining(c)])
