"""A plugin with a second profile of Peppol's network: the documents of a trade, with their rules.

It also knows documents of the European norm alone, which no profile writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from einvoice.documents.profiles import BIS_BILLING
from einvoice.domain.identifiers import DocumentTypeId
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.domain.profiles import UBL, Adapted, Profile
from einvoice.network.hookspec import hookimpl
from einvoice.rules import EN16931, Declared, Pack, RuleSet

EINVOICE_INTERFACE = 2
CUSTOMIZATION = "urn:example:trade"
NORM = "urn:cen.eu:en16931:2017"
INVOICE = DocumentTypeId("busdox-docid-qns", f"urn:example::Invoice##{CUSTOMIZATION}::2.1")


def adapt(invoice: Invoice) -> Adapted:
    return Adapted(replace(invoice, customization=CUSTOMIZATION))


def is_of_the_trade(declared: Declared) -> bool:
    return declared.specification == CUSTOMIZATION


def is_of_the_norm(declared: Declared) -> bool:
    return declared.specification == NORM


PROFILE = replace(
    BIS_BILLING,
    name="trade",
    rule_set="trade",
    types={(DocumentKind.INVOICE, UBL): INVOICE},
    adapt=adapt,
)


@hookimpl
def einvoice_rule_sets() -> Iterator[RuleSet]:
    """The rules of the norm, for both kinds of documents."""
    for name, recognises in (("trade", is_of_the_trade), ("norm", is_of_the_norm)):
        books = EN16931.packs[-1].books
        pack = Pack(f"{name}-1", f"{name} 1", date(2026, 1, 1), None, books)
        yield RuleSet(name, (pack,), recognises=recognises)


@hookimpl
def einvoice_profiles() -> Iterator[Profile]:
    """The form of the trade."""
    yield PROFILE
