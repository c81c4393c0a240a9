"""Invoices between German parties, in UBL: what a German buyer expects on top of the profile.

The rules apply where both addresses are German.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

from einvoice.rules.book import (
    BROKEN,
    Chapter,
    Check,
    Condition,
    Context,
    Flag,
    Kind,
    Layer,
    Pattern,
    Values,
)
from einvoice.rules.evaluation_errors import MoreThanOneItem, either
from einvoice.rules.national.countries import both_german
from einvoice.rules.national.identifiers import is_iban
from einvoice.rules.node import Node
from einvoice.rules.tables import Row, present
from einvoice.rules.values import normalized
from einvoice.rules.view import View

germany = Chapter(Layer.PEPPOL_UBL)

TAXED_CATEGORIES = frozenset(["S", "Z", "E", "AE", "K", "G", "L", "M"])
TYPES = frozenset(["326", "380", "384", "389", "381", "875", "876", "877"])
CORRECTION = "384"
_TRANSFER, _CARD, _DEBIT = ("30", "58"), ("48", "54", "55"), ("59",)
_ACCOUNT, _CARD_DATA, _MANDATE = (
    "cac:PayeeFinancialAccount",
    "cac:CardAccount",
    "cac:PaymentMandate",
)
_PARTY = "cac:AccountingSupplierParty/cac:Party"
_REFERENCE = "cac:AdditionalDocumentReference"

_DISCOUNT = re.compile(
    r"#SKONTO#TAGE=[0-9]+#PROZENT=[0-9]+\.[0-9]{2}(#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#"
)
_DISCOUNT_LINE = re.compile(r"#[^\n\r]+#")
_LINE_END = re.compile(r"[ \t\r\n]*\n")
_URL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:")
_MAIL = re.compile(r"[^@ \t\r\n]+@([^@. \t\r\n]+\.)+[^@. \t\r\n]+")
_DIGIT = re.compile(r"[0-9]")


def _paths(path: str) -> tuple[str, str]:
    return f"/ubl:Invoice/{path}", f"/cn:CreditNote/{path}"


def _means(codes: tuple[str, ...]) -> Condition:
    return lambda means, _: normalized(means.text_of("cbc:PaymentMeansCode")) in codes


_pattern = Pattern(both_german)
DOCUMENT = _pattern.context("/ubl:Invoice", "/cn:CreditNote")
EXTERNAL = _pattern.context(*_paths(f"{_REFERENCE}/cac:Attachment/cac:ExternalReference"))
SELLER = _pattern.context(*_paths("cac:AccountingSupplierParty"))
SELLER_ADDRESS = _pattern.context(*_paths(f"{_PARTY}/cac:PostalAddress"))
CONTACT = _pattern.context(*_paths(f"{_PARTY}/cac:Contact"))
BUYER_ADDRESS = _pattern.context(*_paths("cac:AccountingCustomerParty/cac:Party/cac:PostalAddress"))
DELIVERY_ADDRESS = _pattern.context(*_paths("cac:Delivery/cac:DeliveryLocation/cac:Address"))
TRANSFER = _pattern.context(*_paths("cac:PaymentMeans"), when=_means(_TRANSFER))
CARD = _pattern.context(*_paths("cac:PaymentMeans"), when=_means(_CARD))
DEBIT = _pattern.context(*_paths("cac:PaymentMeans"), when=_means(_DEBIT))
SUBTOTAL = _pattern.context(*_paths("cac:TaxTotal/cac:TaxSubtotal"))


def _said(at: Context, rows: Iterable[Row]) -> None:
    """Something on the path holds more than blanks; how often it is there does not matter."""
    for rule, terms, path in rows:
        germany.add(rule, terms, at, _says(path), f"{path} is given and not empty",
                    kind=Kind.PRESENCE, parameters={"path": path})  # fmt: skip


def _says(path: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        return None if any(normalized(text) for text in node.texts(path)) else BROKEN

    return check


_said(DOCUMENT, [("DE-R-015", "BT-10", "cbc:BuyerReference")])
_said(SELLER_ADDRESS, [("DE-R-003", "BT-37", "cbc:CityName"),
                       ("DE-R-004", "BT-38", "cbc:PostalZone")])  # fmt: skip
_said(BUYER_ADDRESS, [("DE-R-008", "BT-52", "cbc:CityName"),
                      ("DE-R-009", "BT-53", "cbc:PostalZone")])  # fmt: skip
_said(DELIVERY_ADDRESS, [("DE-R-010", "BT-77", "cbc:CityName"),
                         ("DE-R-011", "BT-78", "cbc:PostalZone")])  # fmt: skip
_said(CONTACT, [("DE-R-005", "BT-41", "cbc:Name"),
                ("DE-R-006", "BT-42", "cbc:Telephone"),
                ("DE-R-007", "BT-43", "cbc:ElectronicMail")])  # fmt: skip
_said(SUBTOTAL, [("DE-R-014", "BT-119", "cac:TaxCategory/cbc:Percent")])
present(germany, DOCUMENT, [("DE-R-001", "BG-16", "cac:PaymentMeans")])
present(germany, SELLER, [("DE-R-002", "BG-6", "cac:Party/cac:Contact")])
present(germany, TRANSFER, [("DE-R-023-1", "BG-17", _ACCOUNT)])
present(germany, CARD, [("DE-R-024-1", "BG-18", _CARD_DATA)])
present(germany, DEBIT, [("DE-R-025-1", "BG-19", _MANDATE)])


def _without(rule: str, terms: str, at: Context, paths: tuple[str, str], requires: str) -> None:
    def check(means: Node, _: View) -> Values | None:
        found = [path for path in paths if means.has(path)]
        return {"path": found[0]} if found else None

    germany.add(rule, terms, at, check, requires, kind=Kind.ABSENCE, present=paths)


_without("DE-R-023-2", "BG-18 BG-19", TRANSFER, (_CARD_DATA, _MANDATE),
         "A credit transfer has neither card nor mandate")  # fmt: skip
_without("DE-R-024-2", "BG-17 BG-19", CARD, (_ACCOUNT, _MANDATE),
         "A card payment has neither account nor mandate")  # fmt: skip
_without("DE-R-025-2", "BG-17 BG-18", DEBIT, (_ACCOUNT, _CARD_DATA),
         "A direct debit has neither account of the payee nor card")  # fmt: skip


@germany.rule("DE-R-016", "BT-31 BT-32 BG-11", at=DOCUMENT, kind=Kind.PRESENCE)
def seller_is_registered_for_tax(invoice: Node, _: View) -> Values | None:
    """A seller who names a VAT category has a tax number, or a tax representative."""
    if not any(code in TAXED_CATEGORIES for code in _categories(invoice)):
        return None
    if invoice.has("cac:TaxRepresentativeParty"):
        return None
    numbers = invoice.texts(f"{_PARTY}/cac:PartyTaxScheme/cbc:CompanyID")
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
def type_is_usual(invoice: Node, _: View) -> Values | None:
    """Between German parties a document is of one of the usual types."""
    return None if _is_of_type(invoice, TYPES) else {"codes": sorted(TYPES)}


@germany.rule("DE-R-026", "BG-3", at=DOCUMENT, flag=Flag.WARNING, kind=Kind.PRESENCE,
              path="cac:BillingReference/cac:InvoiceDocumentReference")  # fmt: skip
def correction_names_the_invoice(invoice: Node, _: View) -> Values | None:
    """A correction, type 384, names the invoice that it corrects."""
    if invoice.has("cac:BillingReference/cac:InvoiceDocumentReference"):
        return None
    return BROKEN if _is_of_type(invoice, (CORRECTION,)) else None


@germany.rule("DE-R-018", "BT-20", at=DOCUMENT, kind=Kind.FORMAT,
              present=("cac:PaymentTerms/cbc:Note",))  # fmt: skip
def discount_is_formed(invoice: Node, _: View) -> Values | None:
    """A cash discount in the payment terms is a line of its own: #SKONTO#TAGE=…#PROZENT=…#."""
    notes = [
        note for terms in invoice.all("cac:PaymentTerms") for note in terms.all("cbc:Note")[:1]
    ]
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


def _line_end_follows(notes: list[Node]) -> bool:
    """Is the last discount a line that ends? Officially asked of one note only: several stop."""
    if len(notes) > 1:
        raise MoreThanOneItem(notes[0], "cac:PaymentTerms/cbc:Note", len(notes))
    behind = _DISCOUNT_LINE.split(notes[0].text)[-1]
    return _LINE_END.match(behind) is not None


@germany.rule("DE-R-022", "BT-125", at=DOCUMENT, kind=Kind.CARDINALITY,
              repeated=(_REFERENCE,))  # fmt: skip
def file_names_are_unique(invoice: Node, _: View) -> Values | None:
    """No two supporting documents have the same file name."""
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
    """Where a mandate is given, the seller or the payee has a SEPA creditor identifier."""
    for party in (_PARTY, "cac:PayeeParty"):
        if "SEPA" in invoice.attributes_at(f"{party}/cac:PartyIdentification/cbc:ID", "schemeID"):
            return None
    return BROKEN


@germany.rule("DE-R-031", "BT-91", at=DOCUMENT, kind=Kind.PRESENCE,
              present=(f"cac:PaymentMeans/{_MANDATE}",))  # fmt: skip
def debited_account_is_given(invoice: Node, _: View) -> Values | None:
    """Where a mandate is given, the debited account is given too."""
    path = f"cac:PaymentMeans/{_MANDATE}/cac:PayerFinancialAccount/cbc:ID"
    return None if invoice.has(path) else BROKEN


@germany.rule("DE-R-T02", "BT-124", at=EXTERNAL, flag=Flag.WARNING, kind=Kind.FORMAT,
              path="cbc:URI")  # fmt: skip
def location_is_a_url(external: Node, _: View) -> Values | None:
    """Where a document lies is an absolute URL."""
    uri = external.text_of("cbc:URI")
    return None if _URL.match(uri) else {"text": uri}


@germany.rule("DE-R-027", "BT-42", at=CONTACT, flag=Flag.WARNING, kind=Kind.FORMAT,
              path="cbc:Telephone")  # fmt: skip
def telephone_has_digits(contact: Node, _: View) -> Values | None:
    """The telephone number of the seller's contact has three digits at least."""
    number = contact.text_of("cbc:Telephone")
    return None if len(_DIGIT.findall(number)) >= 3 else {"text": number}


@germany.rule("DE-R-028", "BT-43", at=CONTACT, flag=Flag.WARNING, kind=Kind.FORMAT,
              path="cbc:ElectronicMail")  # fmt: skip
def mail_is_an_address(contact: Node, _: View) -> Values | None:
    """The mail address of the seller's contact looks like one."""
    mail = normalized(contact.text_of("cbc:ElectronicMail"))
    return None if _MAIL.fullmatch(mail) else {"text": mail}


@germany.rule("DE-R-019", "BT-84", at=TRANSFER, flag=Flag.WARNING, kind=Kind.FORMAT)
def transfer_goes_to_an_iban(means: Node, _: View) -> Values | None:
    """A SEPA transfer, means 58, goes to an IBAN with the right check digits."""
    if normalized(means.text_of("cbc:PaymentMeansCode")) != "58":
        return None
    account = means.text_of(f"{_ACCOUNT}/cbc:ID")
    return None if is_iban(account) else {"identifier": account}


@germany.rule("DE-R-020", "BT-91", at=DEBIT, flag=Flag.WARNING, kind=Kind.FORMAT)
def debit_comes_from_an_iban(means: Node, _: View) -> Values | None:
    """A SEPA direct debit, means 59, comes from an IBAN with the right check digits."""
    account = means.text_of(f"{_MANDATE}/cac:PayerFinancialAccount/cbc:ID")
    return None if is_iban(account) else {"identifier": account}
