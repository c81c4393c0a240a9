"""Suggestions for a wrong code: the most similar codes of a list.

>>> nearest("EURO", "iso4217_peppol")
('EUR',)
>>> nearest("PCE", "unece_rec20_21")
('C62', 'H87')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from einvoice.rules.codelists import CodeList, code_list

_MAX_SUGGESTIONS = 3
_MAX_CODE_LENGTH = 20  # longer texts are not compared

# Common wrong codes, by the beginning of the list's name.
_COMMON: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "iso3166": {"UK": ("GB",), "EL": ("GR",), "EN": ("GB",), "SP": ("ES",)},
    "iso4217": {"€": ("EUR",), "$": ("USD",), "£": ("GBP",), "EURO": ("EUR",), "RMB": ("CNY",)},
    "unece_rec20": {
        "PCE": ("C62", "H87"),
        "PCS": ("C62", "H87"),
        "PC": ("C62", "H87"),
        "STK": ("C62", "H87"),
        "ST": ("C62", "H87"),
        "UNIT": ("C62",),
        "HOUR": ("HUR",),
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
        "YEAR": ("ANN",),
        "T": ("TNE",),
    },
    "uncl7143": {"CPV": ("STI",), "UNSPSC": ("TST",)},
    "mime": {"application/x-pdf": ("application/pdf",), "image/jpg": ("image/jpeg",)},
}


@lru_cache(maxsize=1024)
def nearest(code: str, name: str) -> tuple[str, ...]:
    """At most three codes of the list that differ from the code by one typing error, best first."""
    listed = code_list(name)
    written = code.strip()
    if not written or len(written) > _MAX_CODE_LENGTH:
        return ()
    found = dict.fromkeys(one for one in _guesses(written, listed) if one in listed)
    return tuple(found)[:_MAX_SUGGESTIONS]


def _guesses(written: str, listed: CodeList) -> Iterator[str]:
    common = next((_COMMON[key] for key in _COMMON if listed.name.startswith(key)), {})
    meant = common.get(written.upper()) or common.get(written.lower())
    if meant:
        yield from meant
        return
    yield written.upper()
    yield written.lower()
    yield written.zfill(len(next(iter(listed.ordered), "")))
    if len(written) > 2 and not written.isdigit():  # one digit changed makes any other number
        yield from (one for one in listed.ordered if _one_error_apart(written, one))


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
