"""The QR code of a SEPA credit transfer (EPC069-12), which banking apps read."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

import segno.helpers

from einvoice.domain.accounts import compact, is_iban
from einvoice.domain.invoice import CreditTransfer, DocumentKind, Invoice

_TRANSFERS: Final = frozenset({"30", "31", "58"})  # UNTDID 4461: credit transfers
_STRUCTURED: Final = re.compile(r"RF[0-9]{2}[A-Z0-9]{1,21}")  # ISO 11649
_MAX_AMOUNT: Final = Decimal("999999999.99")
_MAX_NAME, _MAX_TEXT = 70, 140


def payment_code(invoice: Invoice) -> str | None:
    """The code as SVG; None if the invoice is not payable by a SEPA transfer in euros."""
    transfer, reference = _transfer(invoice)
    payable = invoice.totals.payable
    if transfer is None or invoice.kind is not DocumentKind.INVOICE or invoice.currency != "EUR":
        return None
    if not 0 < payable <= _MAX_AMOUNT:
        return None
    payee = invoice.payee.name if invoice.payee else invoice.seller.name
    try:
        code = segno.helpers.make_epc_qr(
            name=(transfer.account_name or payee)[:_MAX_NAME],
            iban=compact(transfer.account),
            amount=payable,
            bic=compact(transfer.bic) if transfer.bic else None,
            encoding="utf-8",
            **_remittance(reference or invoice.number),
        )
    except ValueError:
        return None
    return code.svg_inline(border=0, scale=4)


def _transfer(invoice: Invoice) -> tuple[CreditTransfer | None, str | None]:
    """The first IBAN of a credit transfer, with its payment reference."""
    for means in invoice.payment:
        for transfer in means.transfers:
            if means.code in _TRANSFERS and is_iban(transfer.account):
                return transfer, means.remittance
    return None, None


def _remittance(reference: str) -> dict[str, str]:
    if _STRUCTURED.fullmatch(compact(reference)):
        return {"reference": compact(reference)}
    return {"text": " ".join(reference.split())[:_MAX_TEXT]}
