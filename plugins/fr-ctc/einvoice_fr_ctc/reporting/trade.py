"""Which documents of a period an e-report has, and what keeps one out of it.

An invoice between French companies goes through their platforms and is never reported. A document
whose buyer has no number is a sale to a consumer, unless its note BAR says something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from einvoice.network.period_reports import PeriodContent, TradeDocument, TradeParty
from einvoice_fr_ctc.companies import siren_of
from einvoice_fr_ctc.reporting.company import ReportingCompany

# French for VAT: with Monaco and the overseas departments.
FRENCH: Final = frozenset({"FR", "MC", "GP", "MQ", "RE", "GF", "YT", "BL", "MF", "PM"})
_EU: Final = "AT BE BG CY CZ DE DK EE ES FI GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"
EU_COUNTRIES: Final = frozenset(_EU.split())
SIREN, EU_NUMBER, OUTSIDE, RIDET, TAHITI = "0002", "0223", "0227", "0228", "0229"
_PROCESSES: Final = "B1 S1 M1 B2 S2 M2 B4 S4 M4 S5 S6 B7 S7"
PROCESSES: Final = frozenset(_PROCESSES.split())
_AFTER_ADVANCES: Final = frozenset({"B4", "S4", "M4"})
_ADVANCES: Final = frozenset({"386", "500", "503"})
_CODES: Final = "261 380 381 384 386 389 393 396 471 472 473 500 501 502 503"
_TYPES: Final = frozenset(_CODES.split())
_CORRECTIVE: Final = frozenset({"384", "471", "472", "473"})
_CREDITS: Final = frozenset({"261", "381", "396", "502", "503"})
_RATES: Final = "0 0.9 1.05 1.75 2.1 5.5 7 8.5 9.2 9.6 10 13 19.6 20 20.6"
RATES: Final = frozenset(map(Decimal, _RATES.split()))
CATEGORIES: Final = frozenset({"S", "E", "AE", "K", "G", "O", "Z"})
TAX_POINTS: Final = frozenset({"5", "29", "72", "3", "35", "432"})
ON_DEBITS: Final = frozenset({"5", "29", "3", "35"})  # VAT is not due when it is paid
_MARGIN: Final = frozenset({"VATEX-EU-F", "VATEX-EU-I", "VATEX-EU-J", "VATEX-EU-D"})
_NUMBER: Final = re.compile(r"[a-zA-Z0-9+_/-]+(?: [a-zA-Z0-9+_/-]+)*", re.ASCII)
_MAX_NUMBER, _MAX_ID = 35, 18
_EUR: Final = "EUR"
_NORTHERN_IRELAND: Final = "XI"  # its VAT numbers are those of the EU
_TREATMENT: Final = "BAR"
_NOT_REPORTED: Final = frozenset({"OUTOFSCOPE", "ARCHIVEONLY", "B2B", "B2G"})


class NotReportable(Exception):
    """A document belongs into the report and cannot be in it; the message says what to do."""


@dataclass(frozen=True, slots=True)
class PartyNumber:
    """The number of a party (TT-33, TT-36) with its scheme."""

    value: str
    scheme: str


def own(
    content: PeriodContent, company: ReportingCompany, *, received: bool
) -> Iterator[TradeDocument]:
    """The documents of the company, of one direction."""
    for each in content.documents:
        if each.received is received and is_own(each, company, is_only=content.is_only):
            yield each


def is_own(document: TradeDocument, company: ReportingCompany, *, is_only: bool) -> bool:
    """Whether a document is of this company: by the SIREN, or if the tenant has no other one."""
    party = document.buyer if document.received else document.seller
    numbers = (siren_of(text) for text in (party.legal_id, party.vat_id) if text)
    siren = next(filter(None, numbers), None)
    return is_only if siren is None else siren == company.siren


def is_consumer_sale(document: TradeDocument) -> bool:
    """Whether it is a sale to a consumer (10.3)."""
    treatment = _treatment(document)
    if treatment in ("B2C", "B2CINT"):
        return True
    if treatment is not None:
        return False
    return not (document.buyer.vat_id or document.buyer.legal_id)


def is_foreign_sale(document: TradeDocument) -> bool:
    """Whether it is a sale to a company abroad (10.1)."""
    treatment = _treatment(document)
    if treatment in _NOT_REPORTED or is_consumer_sale(document):
        return False
    return treatment == "B2BINT" or document.buyer.country not in FRENCH


def is_foreign_purchase(document: TradeDocument) -> bool:
    """Whether it is a purchase abroad whose VAT is due in France (10.1).

    Foreign VAT on it says that it is taxed there.
    """
    return document.seller.country not in FRENCH and not document.tax


def _treatment(document: TradeDocument) -> str | None:
    found = (text for code, text in document.notes if code == _TREATMENT)
    return next((text.strip().upper() for text in found), None)


def process_of(document: TradeDocument, default: str | None) -> str:
    """The process of a document. Raises NotReportable."""
    if document.process in PROCESSES:
        return document.process or ""
    if default is None:
        field = "buys" if document.received else "sells"
        raise NotReportable(
            "it does not say whether it is for goods or services: give `invoice.profile`, or "
            f"`{field}` of the connection"
        )
    return default


def category_of(document: TradeDocument, process: str) -> str:
    """The category of a sale to a consumer (TT-81). Raises NotReportable."""
    if any(each.reason_code in _MARGIN for each in document.vat):
        return "TMA1"
    if all(each.category in ("O", "G", "K") for each in document.vat):
        return "TNT1"
    if process.startswith("M"):
        raise NotReportable(
            "a sale to a consumer of goods and services is reported as one or the other: invoice "
            "them apart"
        )
    return "TLB1" if process.startswith("B") else "TPS1"


def number_of(party: TradeParty) -> PartyNumber:
    """The number of a party abroad, or of a French company. Raises NotReportable."""
    country, legal = party.country or "", party.legal_id or ""
    if country in FRENCH:
        siren = siren_of(legal) or siren_of(party.vat_id or "")
        if siren is None:
            raise NotReportable(f"{party.name} has no SIREN")
        return PartyNumber(siren, SIREN)
    if country in EU_COUNTRIES or (party.vat_id or "").startswith(_NORTHERN_IRELAND):
        if not party.vat_id:
            raise NotReportable(f"{party.name} has no VAT number")
        return PartyNumber(party.vat_id[:_MAX_ID], EU_NUMBER)
    if party.legal_scheme in (RIDET, TAHITI) and legal.isdecimal():
        return PartyNumber(legal, party.legal_scheme or "")
    if not (len(country) == 2 and country.isascii() and country.isupper()):
        raise NotReportable(f"{party.name} has no country")
    return PartyNumber(f"{country}{party.name}"[:_MAX_ID].strip(), OUTSIDE)


def tax_in_euro(document: TradeDocument) -> Decimal:
    """The VAT of a document in euro (TT-52). Raises NotReportable."""
    if document.currency == _EUR:
        return document.tax
    if document.accounting_currency == _EUR and document.tax_in_accounting_currency is not None:
        return document.tax_in_accounting_currency
    if not document.tax:
        return Decimal(0)
    raise NotReportable("its VAT is not stated in euro: give `taxCurrencyCode` and the amount")


def check_rates(document: TradeDocument) -> None:
    """Raises NotReportable for rates that are no French ones."""
    for each in document.vat:
        if each.rate not in RATES:
            raise NotReportable(f"{each.rate} % is no VAT rate of France")


def check_number(number: str) -> None:
    """Raises NotReportable for a number of an invoice that a report may not have (G1.05)."""
    if len(number) > _MAX_NUMBER or not _NUMBER.fullmatch(number):
        raise NotReportable(
            f"its number {number!r} has more than {_MAX_NUMBER} characters, or others than letters "
            "and digits without accents, - + _ / and single blanks"
        )


def check_invoice(document: TradeDocument, process: str) -> None:
    """Raises NotReportable for an invoice that 10.1 may not have."""
    check_number(document.number)
    check_rates(document)
    for each in document.preceding:
        check_number(each.number)
    if document.type_code not in _TYPES:
        raise NotReportable(f"documents of the type {document.type_code} are not reported")
    if process in _AFTER_ADVANCES and document.type_code in _ADVANCES:
        raise NotReportable(f"an advance invoice cannot have the process {process}")
    dated = [each for each in document.preceding if each.issue_date]
    if document.type_code in _CORRECTIVE and (len(document.preceding), len(dated)) != (1, 1):
        raise NotReportable("it corrects one invoice, which it has to name with its date")
    if document.type_code in _CREDITS and not dated:
        raise NotReportable("a credit note has to name the invoice with its date")
    for share in document.vat:
        if share.category not in CATEGORIES:
            raise NotReportable(f"the VAT category {share.category} is none of France")
        if share.category == "E" and not (share.reason and share.reason_code):
            raise NotReportable("an exemption needs its reason, in words and as a code")
