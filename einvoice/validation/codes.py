"""Suggestions for a wrong code: the codes of a list that are likely meant.

>>> nearest("EURO", "iso4217_peppol"), nearest("PCE", "unece_rec20_21")
(('EUR',), ('C62', 'H87'))
>>> nearest("BGN", "iso4217_cen"), replacement("BGN", "iso4217_cen")
(('EUR',), ('EUR', '2026'))
>>> nearest("BTM", "iso4217_cen"), replacement("BTN", "iso4217_cen")
((), None)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path

from einvoice.domain.codes import MISTAKEN_COUNTRIES
from einvoice.rules.codelists import CodeList, code_list

_FORMER_CURRENCIES = Path(__file__).with_name("former_currencies.csv")
_MAX_SUGGESTIONS = 3
_MAX_CODE_LENGTH = 20  # longer texts are not compared

# Common wrong codes, by the beginning of the list's name.
_COMMON: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "iso3166": MISTAKEN_COUNTRIES,
    "iso4217": {
        "€": ("EUR",),
        "$": ("USD",),
        "£": ("GBP",),
        "EURO": ("EUR",),
        "EUROS": ("EUR",),
        "DOLLAR": ("USD",),
        "POUND": ("GBP",),
        "GPB": ("GBP",),
        "UKP": ("GBP",),
        "RMB": ("CNY",),
    },
    "unece_rec20": {
        "PCE": ("C62", "H87"),
        "PCS": ("C62", "H87"),
        "PC": ("C62", "H87"),
        "PIECE": ("C62", "H87"),
        "PIECES": ("C62", "H87"),
        "EACH": ("C62", "EA"),
        "STK": ("C62", "H87"),
        "ST": ("C62", "H87"),
        "UNIT": ("C62",),
        "UNITS": ("C62",),
        "HOUR": ("HUR",),
        "HOURS": ("HUR",),
        "HRS": ("HUR",),
        "H": ("HUR",),
        "STD": ("HUR",),
        "KG": ("KGM",),
        "M": ("MTR",),
        "L": ("LTR",),
        "KM": ("KMT",),
        "M2": ("MTK",),
        "M3": ("MTQ",),
        "DAYS": ("DAY",),
        "MONTH": ("MON",),
        "MONTHS": ("MON",),
        "YEAR": ("ANN",),
        "T": ("TNE",),
        "TO": ("TNE",),
        "G": ("GRM",),
        "QM": ("MTK",),
        "SQM": ("MTK",),
        "CBM": ("MTQ",),
        "LFM": ("MTR",),
        "STCK": ("C62", "H87"),
        "STÜCK": ("C62", "H87"),
        "STUK": ("C62", "H87"),
        "SZT": ("C62", "H87"),
        "NR": ("C62", "NAR"),
        "UN": ("C62",),
        "U": ("C62",),
        "HR": ("HUR",),
        "UUR": ("HUR",),
        "STUNDE": ("HUR",),
        "TAG": ("DAY",),
        "DAG": ("DAY",),
        "JOUR": ("DAY",),
        "MO": ("MON",),
        "MONAT": ("MON",),
        "JAHR": ("ANN",),
        "PSCH": ("LS",),
        "PAU": ("LS",),
        "LUMPSUM": ("LS",),
        "KAR": ("XCT",),
        "CTN": ("XCT",),
        "BOX": ("XBX",),
        "PAK": ("XPK",),
        "PACK": ("XPK",),
        "PLT": ("XPX",),
        "VE": ("XPK",),
    },
    "uncl4461": {
        "BANK": ("30", "58"),
        "TRANSFER": ("30", "58"),
        "SEPA": ("58", "59"),
        "DEBIT": ("49", "59"),
        "CARD": ("48", "54", "55"),
        "CASH": ("10",),
        "CHEQUE": ("20",),
    },
    "uncl7143": {"CPV": ("STI",), "UNSPSC": ("TST",)},
    "mime": {"application/x-pdf": ("application/pdf",), "image/jpg": ("image/jpeg",)},
}


@lru_cache(maxsize=1024)
def nearest(code: str, name: str, *, spelling: bool = True) -> tuple[str, ...]:
    """At most three codes of the list, best first.

    They are those that a common wrong code stands for, else those that differ from it by one typing
    error. The latter are left out without `spelling`, as this compares with the whole list, and for
    currencies, where a similar code is another country's money.
    """
    listed = code_list(name)
    written = code.strip()
    if not written or len(written) > _MAX_CODE_LENGTH:
        return ()
    guesses = _guesses(written, listed, spelling and not listed.name.startswith("iso4217"))
    found = dict.fromkeys(one for one in guesses if one in listed)
    return tuple(found)[:_MAX_SUGGESTIONS]


def _guesses(written: str, listed: CodeList, spelling: bool) -> Iterator[str]:
    common = next((_COMMON[key] for key in _COMMON if listed.name.startswith(key)), {})
    meant = common.get(written.upper()) or common.get(written.lower())
    former = replacement(written.upper(), listed.name)
    if former:
        meant = former[:1]
    if meant:
        yield from meant
        return
    yield written.upper()
    yield written.lower()
    yield written.zfill(len(next(iter(listed.ordered), "")))
    if (
        spelling and len(written) > 2 and not written.isdigit()
    ):  # one digit changed makes any other number
        yield from (one for one in listed.ordered if _one_error_apart(written, one))


def replacement(code: str, name: str) -> tuple[str, str] | None:
    """The currency that replaced a former one, and the year; None for any other code or list."""
    listed = code_list(name)
    former = _former_currencies().get(code) if listed.name.startswith("iso4217") else None
    return former if former and code not in listed and former[0] in listed else None


@cache
def _former_currencies() -> Mapping[str, tuple[str, str]]:
    rows = _FORMER_CURRENCIES.read_text(encoding="utf-8").splitlines()
    cells = [row.split(",") for row in rows if not row.startswith("#")][1:]
    return {code: (successor, year) for code, successor, year in cells}


def _one_error_apart(written: str, code: str) -> bool:
    """Whether they differ by one character added, left out or changed, or by two exchanged."""
    one, other = written.upper(), code.upper()
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, remaining = one[start:], other[start:]
    if rest[1:] == remaining[1:] or rest[1:] == remaining or rest == remaining[1:]:
        return True
    return len(rest) > 1 and rest[:2] == remaining[1::-1] and rest[2:] == remaining[2:]
