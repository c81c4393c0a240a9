"""The additions to the PDF and the buyer's page: QR code I, with the KSeF number below it.

By the code anybody finds the invoice in KSeF, and whether the document is the one that was sent.
Before KSeF has given the number there is no invoice, and so no code, unless it is issued offline:
then the code has OFFLINE below it, and QR code II beside it, by which its issuer is verified.
"""

from __future__ import annotations

from typing import Final

from einvoice.domain.additions import NOTHING, Additions, Handout, QrCode
from einvoice.domain.artefacts import AUTHORITY_DOCUMENT
from einvoice.domain.invoice import Invoice
from einvoice_ksef import numbers
from einvoice_ksef.fa3 import terms

# The words below the codes, in all languages (guide kody-qr.md).
_OFFLINE: Final = "OFFLINE"
_CERTIFICATE: Final = "CERTYFIKAT"


def additions(handout: Handout) -> Additions:
    """The code, once the invoice has its number; before that those of one issued offline."""
    number = handout.reference
    if not handout.delivered:
        return _issued_offline(handout)
    if not (number and numbers.is_number(number)):
        return NOTHING
    sent = handout.evidence.get(AUTHORITY_DOCUMENT.code, handout.document)
    url = code_one(handout.invoice, sent, handout.access_point)
    return Additions(codes=(QrCode(url, number),) if url else (), lines=(f"KSeF: {number}",))


def _issued_offline(handout: Handout) -> Additions:
    # Imported here: what signs codes takes a twentieth of the start of `einvoice validate`.
    from einvoice_ksef.offline import OFFLINE_CODES

    kept = handout.evidence.get(OFFLINE_CODES.code)
    if kept is None:
        return NOTHING
    one, two = kept.decode("ascii").split()
    codes = QrCode(one, _OFFLINE), QrCode(two, _CERTIFICATE)
    return Additions(codes=codes, issued=True)


def code_one(invoice: Invoice, document: bytes, access_point: str) -> str | None:
    """The text of QR code I; None for a seller without a NIP.

    access_point  its name; that of an unknown one is verified at the test environment
    """
    nip = terms.nip_of(invoice.seller)
    if nip is None:
        return None
    host = numbers.host_of(access_point)
    return numbers.verification_url(host, nip, invoice.issue_date, numbers.hash_of(document))
