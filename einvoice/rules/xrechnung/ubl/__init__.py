"""XRECHNUNG-UBL: a part of the rules of BIS Billing, and those of KoSIT, one module a topic."""

from einvoice.rules.layers import Layer
from einvoice.rules.peppol.ubl import PEPPOL_UBL
from einvoice.rules.xrechnung.ubl.amounts import amounts
from einvoice.rules.xrechnung.ubl.extension import extension
from einvoice.rules.xrechnung.ubl.general import general
from einvoice.rules.xrechnung.ubl.vehicles import vehicles

_RELEASE = "2.5.0"
_OF_BILLING = frozenset(
    f"PEPPOL-EN16931-R{number}"
    for number in (
        "001", "005", "008", "010", "020", "041", "042", "043", "044", "046", "053", "054", "055",
        "061", "101", "110", "111", "121", "130",
    )
)  # fmt: skip

XRECHNUNG_UBL = PEPPOL_UBL.selected(Layer.XRECHNUNG_UBL, _RELEASE, ids=_OF_BILLING).revised(
    _RELEASE, chapters=[amounts, general, extension, vehicles]
)
