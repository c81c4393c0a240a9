"""The rules for PEF: those of Peppol BIS Billing, and what KSeF checks of every document.

The schemas of PEF(3) and PEF_KOR(3) are those of UBL 2.1 with the elements of a Polish extension,
so that of UBL is used. For the Polish extension no rules are published: a document with it is
judged by the checks of KSeF, and what it breaks of EN 16931 is a warning, as of other extensions.
"""

from __future__ import annotations

from typing import Final

from einvoice.rules import (
    PEPPOL_BIS_BILLING,
    Declared,
    Flag,
    Layer,
    Pack,
    RuleSet,
    Scenario,
    Syntax,
)
from einvoice.rules.book import BROKEN, Book, Chapter, Kind, Pattern, Values
from einvoice.rules.en16931.ubl import CEN_UBL
from einvoice.rules.node import Node
from einvoice.rules.rule_sets import AS_FLAGGED
from einvoice.rules.values import XML_SPACE
from einvoice.rules.view import View
from einvoice_ksef import nip, poland
from einvoice_ksef.fa3 import rules as fa3
from einvoice_ksef.pef.seller import numbers_in

NAME: Final = "ksef-pef"
BILLING: Final = "urn:fdc:peppol.eu:2017:poacc:billing"  # in BT-24 of BIS Billing
POLISH: Final = "urn:fdc:www.efaktura.gov.pl"  # in BT-24 of the Polish extension
LAYER = Layer("KSEF-PEF", Syntax.UBL, "network", fa3.LAYER.words)

_TAX_NUMBER: Final = "cac:PartyTaxScheme/cbc:CompanyID"
documents = Chapter(LAYER)
_DOCUMENT = Pattern().context("/ubl:Invoice", "/cn:CreditNote")
_SELLER = Pattern().context("cac:AccountingSupplierParty/cac:Party")
_numbers = Pattern()
_OF_SELLER = _numbers.context("cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme")
_OF_BUYER = _numbers.context("cac:AccountingCustomerParty/cac:Party/cac:PartyTaxScheme")


@documents.rule("KSEF-SIZE", "", at=_DOCUMENT, kind=Kind.OTHER)
def is_small_enough(_: Node, view: View) -> Values | None:
    """A document has at most 1,000,000 bytes, with what is embedded in it."""
    size = len(view.source or b"")
    most = fa3.MAX_BYTES
    return None if size <= most else {"count": f"{size:,}", "most": f"{most:,}"}


for _id, _check in (
    ("KSEF-BOM", fa3.has_no_byte_order_mark),
    ("KSEF-ENCODING", fa3.declares_utf8),
    ("KSEF-INSTRUCTION", fa3.has_no_processing_instruction),
    ("KSEF-CHARACTER", fa3.has_no_discouraged_character),
):
    documents.rule(_id, "", at=_DOCUMENT, kind=Kind.FORMAT)(_check)


@documents.rule("KSEF-DATE", "BT-2", at=_DOCUMENT, kind=Kind.OTHER)
def is_issued(document: Node, _: View) -> Values | None:
    """The date of issue is not after today, in Poland."""
    written, today = document.text_of("cbc:IssueDate").strip(XML_SPACE), poland.today().isoformat()
    return {"text": written, "end": today} if written > today else None


@documents.rule("KSEF-PEF-SELLER", "BT-31", at=_SELLER, kind=Kind.PRESENCE)
def seller_has_a_number(seller: Node, _: View) -> Values | None:
    """The seller has a NIP, by which KSeF knows it, and not two."""
    return None if len(numbers_in(seller.texts(_TAX_NUMBER))) == 1 else BROKEN


def number_has_its_check_digit(party: Node, _: View) -> Values | None:
    """A Polish VAT number has a correct check digit."""
    for written in party.texts("cbc:CompanyID"):
        number = written.strip(XML_SPACE)
        if number.startswith("PL") and not nip.is_correct(number.removeprefix("PL")):
            return {"number": number.removeprefix("PL")}
    return None


for _id, _terms, _context in (
    ("KSEF-NIP-SELLER", "BT-31", _OF_SELLER),
    ("KSEF-NIP-BUYER", "BT-48", _OF_BUYER),
):
    documents.rule(_id, _terms, at=_context, flag=Flag.WARNING, kind=Kind.FORMAT)(
        number_has_its_check_digit
    )

BOOK = Book.of(LAYER, "2-1", [documents])


def _takes(declared: Declared) -> bool:
    """Whether it is a UBL document of BIS Billing, also one with the Polish extension."""
    return declared.root in Syntax.UBL.roots and BILLING in (declared.specification or "")


_EXTENDED: Final = Scenario(
    levels={rule.id: Flag.WARNING for rule in CEN_UBL.rules if rule.flag is Flag.FATAL},
    layers=frozenset({Layer.CEN_UBL, LAYER}),
    unjudged="extension",
)


def _scenario(declared: Declared) -> Scenario:
    return _EXTENDED if POLISH in (declared.specification or "") else AS_FLAGGED


def _packs() -> tuple[Pack, ...]:
    """A pack for each release of BIS Billing."""
    return tuple(
        Pack(
            pack.id.replace(PEPPOL_BIS_BILLING.name, NAME),
            f"PEF (3) 2-1 with {pack.release}",
            pack.valid_from,
            pack.valid_to,
            (*(book for book in pack.books if book.layer.syntax == Syntax.UBL), BOOK),
        )
        for pack in PEPPOL_BIS_BILLING.packs
    )


RULES = RuleSet(NAME, _packs(), scenario=_scenario, takes=_takes)
