"""Payment means."""

from __future__ import annotations

from einvoice.rules.book import Chapter
from einvoice.rules.layers import Layer
from einvoice.rules.peppol.ubl import contexts
from einvoice.rules.tables import present

payment = Chapter(Layer.PEPPOL_UBL)

present(
    payment,
    contexts.DIRECT_DEBIT,
    [("PEPPOL-EN16931-R061", "BT-89 BT-81", "cac:PaymentMandate/cbc:ID")],
)
