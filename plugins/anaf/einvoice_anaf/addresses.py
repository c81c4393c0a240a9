"""Romanian addresses as CIUS-RO writes them: counties of ISO 3166-2:RO, sectors of Bucharest.

>>> romanian(Address(city="Cluj-Napoca", region="jud. Cluj", country="RO")).region
'RO-CJ'
>>> bucharest = romanian(Address("Str. Lunga 1, sect. 3", city="București", country="RO"))
>>> bucharest.region, bucharest.city
('RO-B', 'SECTOR3')

What an address does not say is not guessed, so that the rules ask for it:

>>> romanian(Address(city="Bucuresti", country="RO")).city
'Bucuresti'
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import Final

from einvoice.domain.invoice import Address

BUCHAREST: Final = "RO-B"
COUNTIES: Final = {
    "AB": "Alba", "AG": "Arges", "AR": "Arad", "B": "Bucuresti", "BC": "Bacau", "BH": "Bihor",
    "BN": "Bistrita-Nasaud", "BR": "Braila", "BT": "Botosani", "BV": "Brasov", "BZ": "Buzau",
    "CJ": "Cluj", "CL": "Calarasi", "CS": "Caras-Severin", "CT": "Constanta", "CV": "Covasna",
    "DB": "Dambovita", "DJ": "Dolj", "GJ": "Gorj", "GL": "Galati", "GR": "Giurgiu",
    "HD": "Hunedoara", "HR": "Harghita", "IF": "Ilfov", "IL": "Ialomita", "IS": "Iasi",
    "MH": "Mehedinti", "MM": "Maramures", "MS": "Mures", "NT": "Neamt", "OT": "Olt",
    "PH": "Prahova", "SB": "Sibiu", "SJ": "Salaj", "SM": "Satu Mare", "SV": "Suceava",
    "TL": "Tulcea", "TM": "Timis", "TR": "Teleorman", "VL": "Valcea", "VN": "Vrancea",
    "VS": "Vaslui",
}  # fmt: skip
_WORDS: Final = re.compile(r"[^A-Z0-9]+")
_KINDS: Final = frozenset({"JUD", "JUDET", "JUDETUL", "COUNTY", "MUN", "MUNICIPIUL", "RO"})
_SECTOR: Final = re.compile(r"\bSECT(?:OR(?:UL)?)? ?([1-6])\b")
_CITY_OF_BUCHAREST: Final = re.compile(r"\b(?:BUCURESTI|BUCHAREST)\b|^SECT(?:OR(?:UL)?)? ?[1-6]$")


def _folded(text: str | None) -> str:
    """In capitals, without diacritics, with a space in place of other signs.

    >>> _folded("Str. Câmpului 5")
    'STR CAMPULUI 5'
    """
    plain = unicodedata.normalize("NFKD", text or "").upper()
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return _WORDS.sub(" ", letters).strip()


_BY_NAME: Final = {_folded(name): f"RO-{code}" for code, name in COUNTIES.items()} | {
    code: f"RO-{code}" for code in COUNTIES
}


def romanian(address: Address) -> Address:
    """The address with the code of its county and its sector, if it names them.

    An address of another country is returned unchanged.
    """
    if address.country != "RO":
        return address
    region = _region(address)
    city = _sector(address) if region == BUCHAREST else None
    return replace(address, region=region, city=city or address.city)


def _region(address: Address) -> str | None:
    """The county that the region names; Bucharest also where only the city is named."""
    if not address.region:
        in_bucharest = _CITY_OF_BUCHAREST.search(_folded(address.city))
        return BUCHAREST if in_bucharest else address.region
    words = (word for word in _folded(address.region).split() if word not in _KINDS)
    named = " ".join(words)
    if named == "BUCHAREST" or _CITY_OF_BUCHAREST.fullmatch(named):
        return BUCHAREST
    return _BY_NAME.get(named, address.region)


def _sector(address: Address) -> str | None:
    """`SECTORn`, if city and lines name exactly one sector."""
    lines = (address.city, address.line1, address.line2, address.line3)
    found = {match for line in lines for match in _SECTOR.findall(_folded(line))}
    return f"SECTOR{found.pop()}" if len(found) == 1 else None
