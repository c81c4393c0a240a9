"""The countries with national rules, and the chapters of each for a syntax.

The order of the table is the order of the rules in the Peppol books. The contexts of two countries
are evaluated in the order in which their modules are imported: here, alphabetically.
"""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.rules.book import Chapter
from einvoice.rules.layers import Syntax
from einvoice.rules.national.denmark.cii import denmark as denmark_cii
from einvoice.rules.national.denmark.ubl import denmark as denmark_ubl
from einvoice.rules.national.germany.ubl import germany as germany_ubl
from einvoice.rules.national.greece.ubl import greece as greece_ubl
from einvoice.rules.national.iceland.ubl import iceland as iceland_ubl
from einvoice.rules.national.italy.cii import italy as italy_cii
from einvoice.rules.national.italy.ubl import italy as italy_ubl
from einvoice.rules.national.netherlands.cii import netherlands as netherlands_cii
from einvoice.rules.national.netherlands.ubl import netherlands as netherlands_ubl
from einvoice.rules.national.norway.cii import norway as norway_cii
from einvoice.rules.national.norway.ubl import norway as norway_ubl
from einvoice.rules.national.slovakia.ubl import slovakia as slovakia_ubl
from einvoice.rules.national.sweden.cii import sweden as sweden_cii
from einvoice.rules.national.sweden.ubl import sweden as sweden_ubl


@dataclass(frozen=True, slots=True)
class Country:
    """The national rules of one country."""

    code: str  # ISO 3166-1 alpha-2, with which its rule ids begin
    ubl: Chapter
    cii: Chapter | None = None
    since: str = ""  # the release of BIS Billing that brings its rules; "": any that is known


COUNTRIES = (
    Country("NO", norway_ubl, norway_cii),
    Country("DK", denmark_ubl, denmark_cii),
    Country("IT", italy_ubl, italy_cii),
    Country("SE", sweden_ubl, sweden_cii),
    Country("GR", greece_ubl),
    Country("IS", iceland_ubl),
    Country("NL", netherlands_ubl, netherlands_cii),
    Country("DE", germany_ubl),
    Country("SK", slovakia_ubl, since="3.0.22"),
)


def national_chapters(syntax: Syntax, since: str = "") -> list[Chapter]:
    """The chapters with rules for this syntax, of all countries whose rules this release brings."""
    countries = (each for each in COUNTRIES if each.since == since)
    chapters = (each.ubl if syntax is Syntax.UBL else each.cii for each in countries)
    return [chapter for chapter in chapters if chapter is not None]
