"""XRechnung 3.0: what an invoice to a German public buyer says differently from BIS Billing.

It names XRechnung as its specification (BT-24), the buyer reference (BT-10) is the Leitweg-ID of
the buyer, and a cash discount in the payment terms (BT-20) ends with a line break.
"""

from __future__ import annotations

from dataclasses import replace

from einvoice.domain.identifiers import BIS_BILLING_PROFILE, XRECHNUNG_CUSTOMIZATION
from einvoice.domain.invoice import Invoice
from einvoice.domain.leitweg_ids import SCHEME
from einvoice.domain.plausibility import doubtful_references
from einvoice.domain.profiles import Adapted
from einvoice.domain.request import SendWarning

_DISCOUNT_MARK = "#"


def as_xrechnung(invoice: Invoice) -> Adapted:
    """The invoice as XRechnung, with a warning for each doubtful Leitweg-ID."""
    reference, assumed = _buyer_reference(invoice)
    adapted = replace(
        invoice,
        buyer_reference=reference,
        customization=XRECHNUNG_CUSTOMIZATION,
        profile=BIS_BILLING_PROFILE,
        payment_terms=_ended(invoice.payment_terms),
    )
    settled = frozenset({"buyer-reference-defaulted"} if assumed else ())
    return Adapted(adapted, (*assumed, *doubtful_references(adapted)), settled)


def _buyer_reference(invoice: Invoice) -> tuple[str | None, tuple[SendWarning, ...]]:
    """The buyer reference; where none was sent, the Leitweg-ID to which the invoice goes."""
    given, address = invoice.buyer_reference, invoice.buyer.endpoint
    if given not in (None, invoice.number) or address is None or address.scheme != SCHEME:
        return given, ()
    field, values = "invoice.buyerReference", {"reference": address.value}
    warning = SendWarning("buyer-reference-assumed", field=field, values=values)
    return address.value, (warning,)


def _ended(terms: str | None) -> str | None:
    """Payment terms that end with a line break if their last line is a cash discount (BR-DE-18)."""
    if not terms or not terms.splitlines()[-1].strip().startswith(_DISCOUNT_MARK):
        return terms
    return terms if terms.endswith("\n") else f"{terms}\n"
