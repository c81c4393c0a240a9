"""An invoice as a person reads it: the texts of the PDF (`documents/pdf/content`) as HTML."""

from __future__ import annotations

from dataclasses import replace
from decimal import localcontext
from typing import Final

from einvoice.documents.pdf.content import page
from einvoice.documents.pdf.words import parsed
from einvoice.domain.branding import Branding
from einvoice.domain.invoice import Invoice
from einvoice.domain.money import EXACT
from einvoice.validation.report_page.texts import rendered, words_in

MAX_LINES: Final = 200  # of an invoice; the totals are of all
_PLAIN: Final = Branding("")


def invoice_html(invoice: Invoice | None, language: str) -> str:
    """The invoice in the words of a language and the formats of its buyer's country.

    A sentence in its place where there is none, or where its values cannot be printed.
    """
    words = words_in(language)
    missing = f"<p>{words['unshown']}</p>"
    if invoice is None:
        return missing
    country = (invoice.buyer.address.country if invoice.buyer.address else None) or ""
    try:
        with localcontext(EXACT):  # long figures keep all their digits
            first = replace(invoice, lines=invoice.lines[:MAX_LINES])
            content = page(first, _PLAIN, str(parsed(f"{language}_{country}")))
    except Exception:  # noqa: BLE001 - any document has a report; what it holds may be anything
        return missing
    more = len(invoice.lines) - len(first.lines)
    return rendered("invoice.html", it=content, more_lines=more, say=words)
