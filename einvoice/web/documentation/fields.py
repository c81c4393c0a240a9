"""docs/fields.md: each business term with its member of a send and its place in UBL and CII.

Made of the table of terms, the contract and the writers; `make fields` writes the page again, and a
test compares it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from marshmallow import Schema

from einvoice.domain.pint import COUNTRIES, DOCUMENT_MEMBERS, LINE_MEMBERS, Country
from einvoice.validation import terms, texts
from einvoice.web.contract import Items, Part
from einvoice.web.documentation.term_paths import traced
from einvoice.web.shared.send_schemas import Invoice

_SINCE: Final = "0.1.0"  # the release with the first members
# Release that a member came with, if that is a later one.
SINCE: Final[dict[str, str]] = {}
_CII: Final = "/CrossIndustryInvoice/SupplyChainTradeTransaction"
# Members that are no terms of EN 16931, with what they are.
OTHERS: Final = {
    "invoice.type": "the kind of document; decides BT-3 where `typeCode` is absent",
    "invoice.profile": "the profile of the network; decides BT-23 and BT-24",
    "invoice.note": "BT-22 without a subject, before `notes`",
    "invoice.precedingInvoices[]": "BG-3, after `precedingInvoice`, with the same members",
    "invoice.precedingInvoice.authorityNumber": "for networks that ask for it (KSeF)",
    "invoice.prepayments[]": "lines of their own in documents of ZATCA; subtracted in those of "
    "KSeF; elsewhere BT-113 alone",
    "invoice.cashDiscounts[]": "lines of BT-20",
    "invoice.embedPdf": "a rendered PDF, as BG-24",
    "invoice.metadata": "yours, never sent to the receiver",
    "invoice.paymentMeans.accounts[]": "BG-17, after the account of `iban`, with the same members",
    "invoice.paymentMeans.card.network": "UBL asks for the network of a card, EN 16931 does not",
    "invoice.attachments[].filename": "of BT-125; also BT-122 where `reference` is absent",
    "invoice.attachments[].mimeType": "of BT-125",
    "invoice.supportingDocuments[]": "BG-24 without a file: BT-122 to BT-124",
    "invoice.taxExemption.reason": "BT-120 of all lines that have none of their own",
    "invoice.taxExemption.reasonCode": "BT-121 of all lines that have none of their own",
}
_LISTS: Final = {"transactionTypes": "transactionTypes[]"}
PINT_MEMBERS: Final = (
    *(f"invoice.{_LISTS.get(name, name)}" for name in DOCUMENT_MEMBERS),
    *(f"invoice.lineItems[].{name}" for name in LINE_MEMBERS if "taxExemption" not in name),
)
_COMPUTED: Final = {
    "profile": "by the profile",
    "customization": "by the profile",
    "taxes[].category.code": "of the lines, allowances and charges",
    "taxes[].category.rate": "of the lines, allowances and charges",
}
_HEAD: Final = """\
# Fields of an invoice

Each business term of EN 16931, the member of a [send](integrators.md#the-send-request) that says \
it, and what it becomes in UBL and CII. The page is made of the code (`make fields`), the elements \
by writing an invoice in which every value occurs once.

- Names of elements are without prefixes. Those of UBL are of an invoice; a credit note has \
`CreditNoteLine` and `CreditedQuantity`, its type is `CreditNoteTypeCode`, its due date stands in \
`PaymentMeans/PaymentDueDate`, its project (BT-11) in `AdditionalDocumentReference` of type 50. \
`…` of CII is `CrossIndustryInvoice/SupplyChainTradeTransaction`.
- `[]` is a list. What is computed or decided by the service has no member.
- A scheme or version stands beside its identifier (`scheme`, `version`); `companyId` and \
`endpointId` have it before a colon.
- FA(3) of KSeF is another document: [ksef.md](ksef.md) says where terms stand there.

| Term | What it is | Member | UBL | CII | Since |
|---|---|---|---|---|---|
"""
_TAIL: Final = """
Members that are no term of their own:

| Member | What it is |
|---|---|
"""
_PINT: Final = """
## PINT

Members that only invoices of [PINT](validation.md) have, and where they stand in UBL by country. \
In another document they are left out, with the warning `terms-without-place`. The UUID, the \
amounts of lines with VAT, and the codes of schemes are computed. E and O have no rate in such a \
document; reverse charge (AE) and the margin scheme (N) are sent with `taxRate` 0 and name the \
standard rate in the document. Documents with a type of their own are in `supportingDocuments`.

| Member | """


def page() -> str:
    """The whole page."""
    rows = "".join(_row(term) for term in _in_order())
    others = "".join(f"| `{name}` | {message} |\n" for name, message in OTHERS.items())
    return f"{_HEAD}{rows}{_TAIL}{others}{_PINT}{_pint_table()}"


def _pint_table() -> str:
    """The members of PINT with their places by country."""
    head = " | ".join(COUNTRIES)
    lines = [f"{head} |\n|---|{'---|' * len(COUNTRIES)}\n"]
    for name in PINT_MEMBERS:
        places = " | ".join(_place_in(country, name) for country in COUNTRIES.values())
        lines.append(f"| `{name}` | {places} |\n")
    return "".join(lines)


def _place_in(country: Country, name: str) -> str:
    """Where a member stands in documents of the country; "" if they have none."""
    own = name.removeprefix("invoice.").removeprefix("lineItems[].").replace("[]", "")
    if own == "transactionTypes":
        own = "=transaction"
    if own in country.totals:
        return f"`AdditionalDocumentReference` of type `{country.totals[own][0]}`"
    table = country.line if "lineItems" in name else country.document
    place = table.get(own, "").format(form="Invoice")
    return f"`{place.replace('cac:', '').replace('cbc:', '')}`" if place else ""


def _in_order() -> list[str]:
    """The terms of EN 16931, without extensions."""
    own = [term for term in terms.members() if "DEX" not in term]
    return sorted(own, key=lambda term: (term[:2] != "BT", int(term.split("-")[1])))


def _row(term: str) -> str:
    member = terms.members()[term]
    name = texts.language("en")["terms"].get(term, "")
    attribute = member.removeprefix("=")
    if term.startswith("BG"):
        shown = "" if member.startswith("=") else f"`{member}`"
        return f"| {term} | {name} | {shown} | | | {_SINCE} |\n"
    places = traced()[attribute]
    shown = f"`{member}`" if attribute == member else _COMPUTED.get(attribute, "computed")
    ubl, cii = ("<br>".join(map(_element, found)) for found in (places.ubl, places.cii))
    return f"| {term} | {name} | {shown} | {ubl} | {cii} | {SINCE.get(term, _SINCE)} |\n"


def _element(path: str) -> str:
    return f"`{path.removeprefix('/Invoice/').replace(_CII, '…')}`"


def members_of_contract(schema: Schema | None = None, at: str = "invoice") -> Iterator[str]:
    """Every member of the contract that holds a value, `[]` for any index."""
    for name, field in (schema or Invoice()).fields.items():
        inner = field.inner if isinstance(field, Items) else field
        here = f"{at}.{name}" + ("[]" if isinstance(field, Items) else "")
        if isinstance(inner, Part):
            yield from members_of_contract(inner.schema, here)
        else:
            yield here


if __name__ == "__main__":
    sys.stdout.write(page())
