"""EXTENDED-CTC-FR 1.4.0: the rules that are known of the extension of EN 16931 for France.

Compared rule by rule with the published sheets of 2026-06-30, which copy the rules of EN 16931
1.3.16 and leave out or replace those below. CII-SR-467 to CII-SR-494 are in the sheet for CII since
1.4.0.04. BR-FR is the same for both.

In CII the rules that replace them are those of the profile EXTENDED of Factur-X under other ids, in
UBL those of totals and lines (extended_ubl). The platform finds what breaks the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from einvoice.rules.book import Book, Rule
from einvoice.rules.en16931.cii import CEN_CII
from einvoice.rules.en16931.ubl import CEN_UBL
from einvoice.rules.factur_x.cii import FACTURX_EXTENDED
from einvoice.rules.layers import Layer

RELEASE: str = "1.4.0"
_OF_EXTENDED: str = "1.3.16 as EXTENDED-CTC-FR 1.4.0 has it"

# The rules of EN 16931 that it leaves out or replaces, by the beginning of their ids.
_WITHOUT_UBL: Mapping[str, str] = {
    "BR-": "22 23 24 26 27 28 54 55",
    "BR-AE-": "08",
    "BR-AF-": "01 08",
    "BR-AG-": "08",
    "BR-CL-": "10 20 24",
    "BR-CO-": "04 10 11 12 13 15 17",
    "BR-E-": "01 08",
    "BR-G-": "01 08",
    "BR-IC-": "01 08",
    "BR-O-": "01 02 03 04 08 11 12 13 14",
    "BR-S-": "01 08 09 10",
    "BR-Z-": "01 08 10",
    "UBL-CR-": (
        "018 026 047 096 099 194 195 258 259 269 270 271 272 273 274 288 410 439 480 "
        "481 490 523 524 525 528 529 530 531 550 561 563 600 601 609 611 619 633 634 "
        "645 662 669 670"
    ),
    "UBL-SR-": "04 06 07 16 20 34 37 48 52",
}
_WITHOUT_CII: Mapping[str, str] = {
    "BR-": "22 23 24 26 27 28 38 44 54",
    "BR-AE-": "01 08",
    "BR-AF-": "01 08 10",
    "BR-AG-": "01 08 10",
    "BR-CL-": "07 10 20 24",
    "BR-CO-": "04 10 11 12 13 15 17 22 24",
    "BR-E-": "01 08",
    "BR-G-": "01 08",
    "BR-IC-": "01 08",
    "BR-O-": "01 02 03 04 08 09 10 11 12 13 14",
    "BR-S-": "01 08 09 10",
    "BR-Z-": "01 08 10",
    "CII-DT-": "018 024 027 052 058 098",
    "CII-SR-": (
        "039 040 041 068 070 106 107 108 127 128 148 156 164 170 173 174 175 200 201 "
        "210 278 293 305 333 334 350 351 352 353 354 355 356 357 358 359 360 361 362 "
        "363 365 366 422 439 454 458 464"
    ),
}


def _ids(numbers: Mapping[str, str]) -> frozenset[str]:
    return frozenset(f"{begin}{each}" for begin, text in numbers.items() for each in text.split())


LEFT_OUT: Mapping[Layer, frozenset[str]] = {
    Layer.CEN_UBL: _ids(_WITHOUT_UBL),
    Layer.CEN_CII: _ids(_WITHOUT_CII),
}
CEN_UBL_OF_EXTENDED: Book = CEN_UBL.revised(_OF_EXTENDED, without=LEFT_OUT[Layer.CEN_UBL])
CEN_CII_OF_EXTENDED: Book = CEN_CII.revised(_OF_EXTENDED, without=LEFT_OUT[Layer.CEN_CII])

# The rules of Factur-X EXTENDED that it has too, by their ids there.
_CATEGORIES: tuple[str, ...] = ("S", "Z", "E", "AE", "IC", "G", "O", "AF", "AG")
OF_FACTUR_X: Mapping[str, str] = {
    **{f"BR-FXEXT-{each}": f"BR-FREXT-{each}" for each in ("06", "08", "11", "12")},
    **{f"BR-FXEXT-BR-{each}": f"BR-FREXT-BR-{each}" for each in (22, 23, 24, 26, 38, 44)},
    **{f"BR-FXEXT-BR-54-{each}": f"BR-FREXT-54-{each}" for each in (1, 2)},
    **{f"BR-FXEXT-CO-{each}": f"BR-FREXT-CO-{each}" for each in ("04", 10, 11, 12, 13, 15)},
    **{f"BR-FXEXT-{each}-01": f"BR-FREXT-{each}-01" for each in _CATEGORIES},
    **{f"BR-FXEXT-{each}-08b": f"BR-FXEXT-{each}-08" for each in _CATEGORIES if each != "S"},
    **{f"BR-FXEXT-{each}-08{of}": f"BR-FXEXT-{each}-08{of}"
       for each in _CATEGORIES for of in ("ini", "rev")},
    "BR-FXEXT-S08b": "BR-FXEXT-S-08",
    "BR-FXEXT-S-09b": "BR-FXEXT-S-09",
}  # fmt: skip


def _renamed(rules: tuple[Rule, ...]) -> Iterator[Rule]:
    for rule in rules:
        if rule.id in OF_FACTUR_X:
            yield replace(rule, id=OF_FACTUR_X[rule.id])


_copied: Book = FACTURX_EXTENDED.selected(Layer.BR_FR_EXTENDED_CII, RELEASE)
EXTENDED_CII: Book = Book(
    Layer.BR_FR_EXTENDED_CII, RELEASE, tuple(_renamed(_copied.rules)), _copied.gathers
)
