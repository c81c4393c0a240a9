"""What is added to the PDF and the buyer's page: QR code I, with the KSeF number below it.

By the code anybody finds the invoice in KSeF, and whether the document is the one that was sent.
Before KSeF has given the number there is no invoice, and so no code.
"""

from __future__ import annotations

from typing import Final

from einvoice.domain.additions import NOTHING, Additions, Handout, QrCode
from einvoice.domain.invoice import Invoice
from einvoice_ksef import numbers
from einvoice_ksef.fa3 import terms

_LIVE: Final = "qr.ksef.mf.gov.pl"
_TEST: Final = "qr-test.ksef.mf.gov.pl"
_HOSTS: Final = {
    "ksef-live": _LIVE,
    "ksef-demo": "qr-demo.ksef.mf.gov.pl",
    "ksef-test": _TEST,
}


def additions(handout: Handout) -> Additions:
    """The code, once the invoice has its number."""
    number = handout.reference
    if not (handout.delivered and number and numbers.is_number(number)):
        return NOTHING
    url = code_one(handout.invoice, handout.document, handout.access_point)
    return Additions(codes=(QrCode(url, number),) if url else (), lines=(f"KSeF: {number}",))


def code_one(invoice: Invoice, document: bytes, access_point: str) -> str | None:
    """The text of QR code I; None for a seller without a NIP.

    access_point  its name; that of an unknown one is verified at the test environment
    """
    nip = terms.nip_of(invoice.seller)
    if nip is None:
        return None
    host = _HOSTS.get(access_point, _TEST)
    return numbers.verification_url(host, nip, invoice.issue_date, numbers.hash_of(document))
