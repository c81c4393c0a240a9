"""docs/fields.md: each business term with its member of a send and its place in UBL and CII.

Made of the table of terms, the contract and the writers; `make fields` writes the page again, and a
test compares it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from marshmallow import Schema

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


def page() -> str:
    """The whole page."""
    rows = "".join(_row(term) for term in _in_order())
    others = "".join(f"| `{name}` | {message} |\n" for name, message in OTHERS.items())
    return f"{_HEAD}{rows}{_TAIL}{others}"


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
