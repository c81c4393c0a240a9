"""German rules for UBL."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from einvoice.rules.book import (
    BROKEN,
    Chapter,
    Condition,
    Context,
    Flag,
    Kind,
    Pattern,
    Values,
)
from einvoice.rules.evaluation_errors import MoreThanOneItem, either
from einvoice.rules.layers import Layer
from einvoice.rules.national.germany import between_germans
from einvoice.rules.national.germany.forms import (
    add_contact_rules,
    add_debit_rule,
    add_transfer_rule,
    add_url_rule,
)
from einvoice.rules.national.parties_ubl import BUYER_PARTY, SELLER_PARTY
from einvoice.rules.node import Node
from einvoice.rules.tables import not_blank, present
from einvoice.rules.values import normalized
from einvoice.rules.view import View

germany = Chapter(Layer.PEPPOL_UBL)

TAXED_CATEGORIES = frozenset(["S", "Z", "E", "AE", "K", "G", "L", "M"])
DOCUMENT_TYPES = frozenset(["326", "380", "384", "389", "381", "875", "876", "877"])
CORRECTION = "384"
_TRANSFER, _CARD, _DEBIT = ("30", "58"), ("48", "54", "55"), ("59",)
_ACCOUNT, _CARD_DATA, _MANDATE = (
    "cac:PayeeFinancialAccount",
    "cac:CardAccount",
    "cac:PaymentMandate",
)
_REFERENCE = "cac:AdditionalDocumentReference"

_DISCOUNT = re.compile(
    r"#SKONTO#TAGE=[0-9]+#PROZENT=[0-9]+\.[0-9]{2}(#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#"
)
_DISCOUNT_LINE = re.compile(r"#[^\n\r]+#")
_LINE_END = re.compile(r"[ \t\r\n]*\n")


def _paths(path: str) -> tuple[str, str]:
    return f"/ubl:Invoice/{path}", f"/cn:CreditNote/{path}"


def _means(codes: tuple[str, ...]) -> Condition:
    return lambda means, _: normalized(means.text_of("cbc:PaymentMeansCode")) in codes


_pattern = Pattern(between_germans)
DOCUMENT = _pattern.context("/ubl:Invoice", "/cn:CreditNote")
EXTERNAL = _pattern.context(*_paths(f"{_REFERENCE}/cac:Attachment/cac:ExternalReference"))
SELLER = _pattern.context(*_paths("cac:AccountingSupplierParty"))
SELLER_ADDRESS = _pattern.context(*_paths(f"{SELLER_PARTY}/cac:PostalAddress"))
CONTACT = _pattern.context(*_paths(f"{SELLER_PARTY}/cac:Contact"))
BUYER_ADDRESS = _pattern.context(*_paths(f"{BUYER_PARTY}/cac:PostalAddress"))
DELIVERY_ADDRESS = _pattern.context(*_paths("cac:Delivery/cac:DeliveryLocation/cac:Address"))
TRANSFER = _pattern.context(*_paths("cac:PaymentMeans"), when=_means(_TRANSFER))
CARD = _pattern.context(*_paths("cac:PaymentMeans"), when=_means(_CARD))
DEBIT = _pattern.context(*_paths("cac:PaymentMeans"), when=_means(_DEBIT))
SUBTOTAL = _pattern.context(*_paths("cac:TaxTotal/cac:TaxSubtotal"))


not_blank(germany, DOCUMENT, [("DE-R-015", "BT-10", "cbc:BuyerReference")])
not_blank(germany, SELLER_ADDRESS, [("DE-R-003", "BT-37", "cbc:CityName"),
                                    ("DE-R-004", "BT-38", "cbc:PostalZone")])  # fmt: skip
not_blank(germany, BUYER_ADDRESS, [("DE-R-008", "BT-52", "cbc:CityName"),
                                   ("DE-R-009", "BT-53", "cbc:PostalZone")])  # fmt: skip
not_blank(germany, DELIVERY_ADDRESS, [("DE-R-010", "BT-77", "cbc:CityName"),
                                      ("DE-R-011", "BT-78", "cbc:PostalZone")])  # fmt: skip
not_blank(germany, CONTACT, [("DE-R-005", "BT-41", "cbc:Name"),
                             ("DE-R-006", "BT-42", "cbc:Telephone"),
                             ("DE-R-007", "BT-43", "cbc:ElectronicMail")])  # fmt: skip
not_blank(germany, SUBTOTAL, [("DE-R-014", "BT-119", "cac:TaxCategory/cbc:Percent")])
present(germany, DOCUMENT, [("DE-R-001", "BG-16", "cac:PaymentMeans")])
present(germany, SELLER, [("DE-R-002", "BG-6", "cac:Party/cac:Contact")])
present(germany, TRANSFER, [("DE-R-023-1", "BG-17", _ACCOUNT)])
present(germany, CARD, [("DE-R-024-1", "BG-18", _CARD_DATA)])
present(germany, DEBIT, [("DE-R-025-1", "BG-19", _MANDATE)])


def _absent(rule: str, terms: str, at: Context, paths: tuple[str, str], requires: str) -> None:
    def check(means: Node, _: View) -> Values | None:
        found = [path for path in paths if means.has(path)]
        return {"path": found[0]} if found else None

    germany.add(rule, terms, at, check, requires, kind=Kind.ABSENCE, present=paths)


_absent("DE-R-023-2", "BG-18 BG-19", TRANSFER, (_CARD_DATA, _MANDATE),
         "A credit transfer (BG-17) has neither card (BG-18) nor mandate (BG-19)")  # fmt: skip
_absent("DE-R-024-2", "BG-17 BG-19", CARD, (_ACCOUNT, _MANDATE),
         "A card payment (BG-18) has neither account (BG-17) nor mandate (BG-19)")  # fmt: skip
_absent("DE-R-025-2", "BG-17 BG-18", DEBIT, (_ACCOUNT, _CARD_DATA),
         "A direct debit (BG-19) has neither payee account (BG-17) nor card (BG-18)")  # fmt: skip


@germany.rule("DE-R-016", "BT-31 BT-32 BG-11", at=DOCUMENT, kind=Kind.PRESENCE)
def seller_is_registered_for_tax(invoice: Node, _: View) -> Values | None:
    """With a taxed VAT category, the seller has a tax number (BT-31, BT-32) or a representative."""
    if not any(code in TAXED_CATEGORIES for code in _categories(invoice)):
        return None
    if invoice.has("cac:TaxRepresentativeParty"):
        return None
    numbers = invoice.texts(f"{SELLER_PARTY}/cac:PartyTaxScheme/cbc:CompanyID")
    return None if any(normalized(number) for number in numbers) else BROKEN


def _categories(invoice: Node) -> Iterable[str]:
    for adjustment in invoice.all("cac:AllowanceCharge"):
        indicators = adjustment.texts("cbc:ChargeIndicator")
        if "false" in indicators or "true" in indicators:
            yield from adjustment.texts("cac:TaxCategory/cbc:ID")
    for line in ("cac:InvoiceLine", "cac:CreditNoteLine"):
        yield from invoice.texts(f"{line}/cac:Item/cac:ClassifiedTaxCategory/cbc:ID")


def _is_of_type(invoice: Node, codes: Container[str]) -> bool:
    return either(
        lambda: normalized(invoice.text_of("cbc:InvoiceTypeCode")) in codes,
        lambda: normalized(invoice.text_of("cbc:CreditNoteTypeCode")) in codes,
    )


@germany.rule("DE-R-017", "BT-3", at=DOCUMENT, flag=Flag.WARNING, kind=Kind.CODE_LIST)
def type_is_german(invoice: Node, _: View) -> Values | None:
    """Between German parties, the type (BT-3) is one of those used in Germany."""
    return None if _is_of_type(invoice, DOCUMENT_TYPES) else {"codes": sorted(DOCUMENT_TYPES)}


@germany.rule("DE-R-026", "BG-3", at=DOCUMENT, flag=Flag.WARNING, kind=Kind.PRESENCE,
              path="cac:BillingReference/cac:InvoiceDocumentReference")  # fmt: skip
def correction_names_the_invoice(invoice: Node, _: View) -> Values | None:
    """A corrected invoice, type 384, names the preceding invoice (BG-3)."""
    if invoice.has("cac:BillingReference/cac:InvoiceDocumentReference"):
        return None
    return BROKEN if _is_of_type(invoice, (CORRECTION,)) else None


@germany.rule("DE-R-018", "BT-20", at=DOCUMENT, kind=Kind.FORMAT,
              present=("cac:PaymentTerms/cbc:Note",))  # fmt: skip
def discount_has_its_form(invoice: Node, _: View) -> Values | None:
    """A cash discount in the payment terms (BT-20) is a line #SKONTO#TAGE=…#PROZENT=…#."""
    return discount_fault(
        [note for terms in invoice.all("cac:PaymentTerms") for note in terms.all("cbc:Note")[:1]]
    )


def discount_fault(notes: Sequence[Node]) -> Values | None:
    """The first line of a cash discount without its form, or that no line end follows.

    notes  the first note of each group of payment terms; raises MoreThanOneItem if a discount has
           its form and there are several
    """
    marked = [
        normalized(line)
        for note in notes
        for line in re.split(r"\r?\n", note.text)
        if normalized(line).startswith("#")
    ]
    wrong = next((line for line in marked if not _DISCOUNT.fullmatch(line)), None)
    if marked and wrong != marked[0] and not _line_end_follows(notes):
        return {"text": marked[0]}
    return None if wrong is None else {"text": wrong}


def _line_end_follows(notes: Sequence[Node]) -> bool:
    """Whether a line end follows the last discount. Raises MoreThanOneItem for several notes."""
    if len(notes) > 1:
        raise MoreThanOneItem(notes[0], notes[0].name, len(notes))
    rest = _DISCOUNT_LINE.split(notes[0].text)[-1]
    return _LINE_END.match(rest) is not None


@germany.rule("DE-R-022", "BT-125", at=DOCUMENT, kind=Kind.CARDINALITY,
              repeated=(_REFERENCE,))  # fmt: skip
def file_names_are_unique(invoice: Node, _: View) -> Values | None:
    """Attached documents (BT-125) have different file names."""
    seen: set[str] = set()
    for reference in invoice.all(_REFERENCE):
        names = reference.attributes_at(
            "cac:Attachment/cbc:EmbeddedDocumentBinaryObject", "filename"
        )
        for name in names:
            if name in seen:
                return {"name": name}
        seen.update(names)
    return None


@germany.rule("DE-R-030", "BT-90", at=DOCUMENT, kind=Kind.PRESENCE,
              present=(f"cac:PaymentMeans/{_MANDATE}",))  # fmt: skip
def creditor_is_identified(invoice: Node, _: View) -> Values | None:
    """With a mandate, the seller or the payee has a bank assigned creditor identifier (BT-90)."""
    for party in (SELLER_PARTY, "cac:PayeeParty"):
        if "SEPA" in invoice.attributes_at(f"{party}/cac:PartyIdentification/cbc:ID", "schemeID"):
            return None
    return BROKEN


@germany.rule("DE-R-031", "BT-91", at=DOCUMENT, kind=Kind.PRESENCE,
              present=(f"cac:PaymentMeans/{_MANDATE}",))  # fmt: skip
def debited_account_is_given(invoice: Node, _: View) -> Values | None:
    """With a mandate, the debited account (BT-91) is given."""
    path = f"cac:PaymentMeans/{_MANDATE}/cac:PayerFinancialAccount/cbc:ID"
    return None if invoice.has(path) else BROKEN


add_url_rule(germany, "DE-R-T02", EXTERNAL, "cbc:URI")
add_contact_rules(germany, ("DE-R-027", "DE-R-028"), CONTACT, "cbc:Telephone", "cbc:ElectronicMail")
add_transfer_rule(germany, "DE-R-019", TRANSFER, "cbc:PaymentMeansCode", f"{_ACCOUNT}/cbc:ID")
add_debit_rule(germany, "DE-R-020", DEBIT, f"{_MANDATE}/cac:PayerFinancialAccount/cbc:ID")
