"""XRECHNUNG-CII: a part of the rules of BIS Billing, and those of KoSIT, one module a topic."""

from einvoice.rules.layers import Layer
from einvoice.rules.peppol.cii import PEPPOL_CII
from einvoice.rules.xrechnung.cii.billing import billing
from einvoice.rules.xrechnung.cii.document import document
from einvoice.rules.xrechnung.cii.extension import extension
from einvoice.rules.xrechnung.cii.parties import parties
from einvoice.rules.xrechnung.cii.payment import payment
from einvoice.rules.xrechnung.cii.vehicles import vehicles

_RELEASE = "2.5.0"
_OF_BILLING = frozenset(
    f"PEPPOL-EN16931-R{number}"
    for number in (
        "001", "005", "010", "020", "041", "042", "054", "061", "101", "110", "111", "121", "130",
    )
)  # fmt: skip

XRECHNUNG_CII = PEPPOL_CII.selected(Layer.XRECHNUNG_CII, _RELEASE, ids=_OF_BILLING).revised(
    _RELEASE, chapters=[billing, document, parties, payment, extension, vehicles]
)
