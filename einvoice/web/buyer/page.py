"""The buyer's page: texts, the tenant's colours, and a strict Content-Security-Policy.

The page is self-contained: one style, allowed by its hash, and the logo. It has no script, loads
nothing, and cannot be framed.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from importlib import resources

from babel import Locale
from flask import Response, render_template
from markupsafe import Markup

from einvoice import clock
from einvoice.documents.pdf.codes import drawn
from einvoice.domain.branding import DEFAULT_COLOUR, Branding
from einvoice.domain.delivery import DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.invoice import DocumentKind
from einvoice.services.invoices.share_links import SharedView
from einvoice.web import locales
from einvoice.web.buyer import colours
from einvoice.web.buyer.texts import words_of

NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_STYLE = resources.files(__package__).joinpath("style.css").read_text("utf-8")
# The two backgrounds of the style; tests compare them.
LIGHT, DARK = "#ffffff", "#1b2027"


def invoice(view: SharedView, pdf_url: str, languages: Iterable[str], provider: str) -> Response:
    """The page of an invoice, in the buyer's language."""
    shown = view.invoice
    locale = locales.chosen(languages, shown.buyer_country)
    message = words_of(locale)
    kind = DocumentKind(shown.kind)
    credit = kind.form is DocumentKind.CREDIT_NOTE
    return _answer(
        "buyer/invoice.html",
        200,
        locale,
        view.branding.colour,
        provider=provider,
        vendor=shown.supplier_name,
        logo=_logo(view.branding),
        document=message[kind.value],
        number=shown.number,
        amount_label=message["amountCredited" if credit else "amountDue"],
        amount=locales.amount(shown.payable, shown.currency, locale),
        payments=[] if credit else list(_payments(view, locale)),
        paid=view.is_paid,
        accounted=_accounted(view, locale),
        issued=(shown.issue_date.isoformat(), locales.day(shown.issue_date, locale)),
        due=shown.due_date and (shown.due_date.isoformat(), locales.day(shown.due_date, locale)),
        delivered_label=message[_DELIVERED[view.means]],
        delivered=_delivered(shown.delivered_at, locale),
        codes=[(_drawing(one.text), one.caption) for one in view.additions.codes],
        lines=view.additions.lines,
        sandbox=shown.environment == Environment.TEST,
        pdf_url=pdf_url,
    )


def _delivered(moment: datetime | None, locale: Locale) -> tuple[str, str] | None:
    return (clock.timestamp(moment), locales.day(moment, locale)) if moment else None


_DELIVERED = {
    DeliveredMeans.RECEIVER: "delivered",
    DeliveredMeans.PLATFORM: "deliveredToPlatform",
    DeliveredMeans.AUTHORITY: "deliveredToAuthority",
    DeliveredMeans.MAIL: "sentByMail",
    DeliveredMeans.REPORTED: "reportedOnly",
}


def _payments(view: SharedView, locale: Locale) -> Iterator[tuple[str, str]]:
    """Label and amount of what its sender says was paid, and of what is left to pay."""
    shown, words = view.invoice, words_of(locale)
    if shown.amount_paid:
        yield words["paid"], locales.amount(shown.amount_paid, shown.currency, locale)
        if not view.is_paid:
            left = shown.payable - shown.amount_paid
            yield words["stillToPay"], locales.amount(left, shown.currency, locale)


def _accounted(view: SharedView, locale: Locale) -> tuple[str, str] | None:
    """Label and amount of the VAT in its accounting currency, if the invoice states it."""
    currency, amount = view.invoice.tax_currency, view.invoice.tax_amount_in_tax_currency
    if currency is None or amount is None:
        return None
    label = words_of(locale)["taxIn"].format(currency=currency)
    return label, locales.amount(amount, currency, locale)


def notice(what: str, status: int, languages: Iterable[str], provider: str) -> Response:
    """A page with an explanation instead of an invoice: `gone` or `busy`."""
    locale = locales.chosen(languages, None)
    message = words_of(locale)
    text = {"title": message[f"{what}Title"], "text": message[what]}
    return _answer("buyer/notice.html", status, locale, DEFAULT_COLOUR, provider=provider, **text)


def _answer(template: str, status: int, locale: Locale, colour: str, **values: object) -> Response:
    style, policy = _coloured(colour)
    text = render_template(
        template,
        language=str(locale).replace("_", "-"),
        words=words_of(locale),
        style=Markup(style),  # noqa: S704 - our own file, and a colour of six digits
        **values,
    )
    response = Response(text, status, content_type="text/html; charset=utf-8")
    response.headers["Content-Language"] = str(locale).replace("_", "-")
    response.headers["Content-Security-Policy"] = policy
    return response


@lru_cache(maxsize=256)
def _coloured(colour: str) -> tuple[str, str]:
    """The style with the tenant's colours, and the policy that allows it."""
    light, dark = (colours.edge(colour, ground) for ground in (LIGHT, DARK))
    style = f"""\
:root {{ --brand: {colour}; --on-brand: {colours.on(colour)}; --edge: {light}; }}
@media (prefers-color-scheme: dark) {{ :root {{ --edge: {dark}; }} }}
{_STYLE}"""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return style, f"{NOTHING}; style-src 'sha256-{digest}'; img-src data:"


def _drawing(text: str) -> str:
    """The QR code of a text, as an address of its image."""
    return f"data:image/svg+xml;base64,{base64.b64encode(drawn(text).encode()).decode()}"


def _logo(branding: Branding) -> str | None:
    if branding.logo is None:
        return None
    return f"data:{branding.logo_type};base64,{base64.b64encode(branding.logo).decode()}"
