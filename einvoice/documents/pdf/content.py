"""The texts of the pages: all words and formatted figures, so that the template decides nothing.

`page` lists the parts; each is one function, in reading order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any, Final

from einvoice.documents.pdf import colours
from einvoice.documents.pdf.content_lines import line_table
from einvoice.documents.pdf.content_payment import account_lines, payment
from einvoice.documents.pdf.content_totals import totals, vat_breakdown
from einvoice.documents.pdf.figures import Figures
from einvoice.documents.pdf.words import Words
from einvoice.domain.branding import Branding
from einvoice.domain.codes import NO_ORDER
from einvoice.domain.invoice import (
    Address,
    Contact,
    DocumentKind,
    Identifier,
    Invoice,
    Party,
    Period,
)

Content = dict[str, Any]
Fact = tuple[str, str]

_MAX_HEADED: Final = 600  # characters
_TITLES: Final = {
    "384": "title.corrected",
    "386": "title.prepayment",
    "326": "title.partial",
    "389": "title.self_billed",
    "527": "title.self_billed",
}


def page(invoice: Invoice, branding: Branding, locale: str, *, mark: str = "") -> Content:
    """All texts of the pages; `mark` is the key of what each of them says in addition.

    Parties, addresses, numbers and payment come from the invoice alone (decisions 20.9). The
    branding adds the logo, the colour, and below the invoice's contact the website, phone and email
    that it leaves out. A self-billed invoice is sent by the buyer, so there the branding adds
    nothing about the seller.
    """
    if invoice.document_kind.is_self_billed:
        branding = branding.look()
    words = Words(locale.partition("_")[0])
    figures = Figures(locale, invoice.currency, _amounts(invoice))
    title = _title(invoice, words)
    return {
        "language": words.language,
        "region": figures.locale.territory or "",
        "mark": words(mark) if mark else "",
        "title": title,
        "number": invoice.number,
        "document": _headed(f"{title} {invoice.number}"),
        "author": _headed(_shown_name(invoice.seller)),
        "colours": colours.of(branding.colour),
        "logo_words": words("page.logo", name=branding.name),
        "return_address": _return_address(invoice.seller),
        "recipient": _recipient(invoice, figures),
        "facts": list(_facts(invoice, words, figures)),
        "summary": _summary(invoice, words, figures),
        "lines": line_table(invoice, words, figures),
        "totals": totals(invoice, words, figures),
        "vat": vat_breakdown(invoice, words, figures),
        "payment": payment(invoice, words),
        "parties": list(_parties(invoice, words, figures)),
        "notes": _notes(invoice, words),
        "missing": words("note.missing", sign="{sign}"),
        "footer": _footer(invoice, branding, words, figures),
        "paging": words("page.of", page="{page}", pages="{pages}"),
    }


def _amounts(invoice: Invoice) -> Iterator[Decimal]:
    """All amounts that are printed in columns."""
    sums = invoice.totals
    yield from (sums.lines, sums.tax_exclusive, sums.tax_inclusive, sums.payable)
    yield from (a for a in (sums.tax, sums.prepaid, sums.rounding) if a is not None)
    yield from (line.extension for line in invoice.lines)
    yield from (entry.amount for entry in invoice.adjustments)
    for subtotal in invoice.taxes:
        yield from (subtotal.taxable, subtotal.tax)


def _title(invoice: Invoice, words: Words) -> str:
    if invoice.kind is DocumentKind.CREDIT_NOTE:
        self_billed = invoice.document_kind.is_self_billed
        return words("title.self_billed_credit_note" if self_billed else "title.credit_note")
    return words(_TITLES.get(invoice.type_code, "title.invoice"))


# -- addresses -------------------------------------------------------------------------------------


def _headed(text: str) -> str:
    """The text as it heads each page and names the file: PDF/A bounds the length of such a string.

    In full it stands once on the first page. A send has no longer ones.
    """
    return text if len(text) <= _MAX_HEADED else f"{text[: _MAX_HEADED - 1]}…"


def _shown_name(seller: Party) -> str:
    """The name in the letterhead; the footer has the legal name too."""
    return seller.trading_name or seller.name


def _return_address(seller: Party) -> str:
    """The sender's address in one line above the recipient, for window envelopes."""
    address = seller.address or Address()
    town = _joined(address.postal_code, address.city)
    return " · ".join(part for part in (_shown_name(seller), address.line1, town) if part)


def _recipient(invoice: Invoice, figures: Figures) -> list[str]:
    buyer = invoice.buyer
    home = invoice.seller.address.country if invoice.seller.address else None
    also = [buyer.trading_name] if buyer.trading_name not in (None, buyer.name) else []
    return [buyer.name, *filter(None, also), *address_lines(buyer.address, figures, home)]


def address_lines(address: Address | None, figures: Figures, home: str | None) -> list[str]:
    """Lines as on an envelope; the country is left out if it is `home`."""
    if address is None:
        return []
    lines = [
        address.line1,
        address.line2,
        address.line3,
        _joined(address.postal_code, address.city),
        address.region,
        figures.country(address.country) if address.country not in (None, home) else None,
    ]
    return [line for line in lines if line]


def _joined(*parts: str | None) -> str | None:
    return " ".join(part for part in parts if part) or None


# -- facts -----------------------------------------------------------------------------------------


def _facts(invoice: Invoice, words: Words, figures: Figures) -> Iterator[Fact]:
    """Dates and references, printed beside the recipient."""
    delivered = invoice.delivery.date if invoice.delivery else None
    dates = (
        ("issued", invoice.issue_date),
        ("due", invoice.due_date),
        ("delivered", delivered),
        ("tax_point", invoice.tax_point),
    )
    yield from ((words(f"fact.{key}"), figures.day(day)) for key, day in dates if day)
    if invoice.period:
        yield words("fact.period"), period(invoice.period, figures)
    for earlier in invoice.preceding:
        day = f" ({figures.short_day(earlier.issue_date)})" if earlier.issue_date else ""
        yield words("fact.preceding"), earlier.number + day
    references = (
        ("buyer_reference", invoice.buyer_reference),
        ("order", invoice.order if invoice.order != NO_ORDER else None),
        ("sales_order", invoice.sales_order),
        ("contract", invoice.contract),
        ("project", invoice.project),
        ("despatch_advice", invoice.despatch_advice),
        ("receiving_advice", invoice.receiving_advice),
        ("tender", invoice.tender),
        ("object", invoice.invoiced_object and invoice.invoiced_object.value),
        ("accounting_cost", invoice.accounting_cost),
    )
    yield from ((words(f"fact.{key}"), text) for key, text in references if text)
    yield from _buyer_facts(invoice.buyer, words)


def _buyer_facts(buyer: Party, words: Words) -> Iterator[Fact]:
    contact = buyer.contact
    facts = (
        ("buyer_vat", buyer.vat_id),
        ("buyer_company", buyer.legal_id and buyer.legal_id.value),
        ("buyer_number", ", ".join(_values(buyer.identifiers))),
        ("buyer_contact", contact and (contact.name or contact.email)),
    )
    yield from ((words(f"fact.{key}"), text) for key, text in facts if text)


def _values(identifiers: Iterable[Identifier]) -> list[str]:
    return [identifier.value for identifier in identifiers]


def period(span: Period, figures: Figures) -> str:
    ends = [figures.short_day(day) if day else "" for day in (span.start, span.end)]
    return " – ".join(ends).strip()


def _summary(invoice: Invoice, words: Words, figures: Figures) -> list[Fact]:
    """The main facts: amount, due date, payment reference."""
    credit = invoice.kind is DocumentKind.CREDIT_NOTE
    amount = figures.money(invoice.totals.payable)
    found = [(words("total.credited" if credit else "total.due"), amount)]
    if invoice.due_date and not credit:
        found.append((words("fact.due"), figures.day(invoice.due_date)))
    reference = next((m.remittance for m in invoice.payment if m.remittance), None)
    if not credit and reference:
        found.append((words("payment.reference"), reference))
    elif credit and invoice.preceding:
        found.append((words("fact.preceding"), invoice.preceding[0].number))
    return found


# -- the rest --------------------------------------------------------------------------------------


def _parties(invoice: Invoice, words: Words, figures: Figures) -> Iterator[Content]:
    """Delivery, payee and tax representative."""
    home = invoice.seller.address.country if invoice.seller.address else None
    delivery, payee, agent = invoice.delivery, invoice.payee, invoice.tax_representative
    if delivery and (delivery.name or delivery.address or delivery.location):
        place = [delivery.location.value] if delivery.location else []
        names = [delivery.name] if delivery.name else []
        lines = [*names, *place, *address_lines(delivery.address, figures, home)]
        yield {"title": words("party.delivery"), "lines": lines}
    if payee:
        ids = _values(filter(None, (payee.identifier, payee.legal_id)))
        yield {"title": words("party.payee"), "lines": [payee.name, *ids]}
    if agent:
        vat = [f"{words('party.vat')} {agent.vat_id}"] if agent.vat_id else []
        lines = [agent.name, *address_lines(agent.address, figures, None), *vat]
        yield {"title": words("party.representative"), "lines": lines}


def _notes(invoice: Invoice, words: Words) -> list[Content]:
    found: list[Content] = []
    if invoice.notes:
        found.append({"title": words("note.heading"), "texts": [text for _, text in invoice.notes]})
    attached = [
        " – ".join(filter(None, (entry.reference, entry.description, entry.url)))
        for entry in invoice.supporting
    ]
    if attached:
        found.append({"title": words("note.attachments"), "texts": attached})
    return found


def _footer(
    invoice: Invoice, branding: Branding, words: Words, figures: Figures
) -> list[list[str]]:
    """The seller's legal name and address, numbers, contact and bank: columns on each page."""
    seller = invoice.seller
    contact = seller.contact or Contact()
    numbers = (
        ("party.vat", seller.vat_id),
        ("party.company", seller.legal_id and seller.legal_id.value),
        ("party.tax", seller.tax_registration and seller.tax_registration.value),
    )
    law = [f"{words(key)} {value}" for key, value in numbers if value]
    reach = (
        contact.name,
        contact.phone or branding.phone,
        contact.email or branding.email,
        branding.website,
    )
    columns = [
        [seller.name, *address_lines(seller.address, figures, None)],
        [*law, *filter(None, [seller.legal_form])],
        [text for text in reach if text],
        account_lines(invoice, words),
    ]
    return [column for column in columns if column]
