"""The VAT category of a line, as sent or as rate and exemption say (decisions 17.12, 32.2).

A VATEX code says which category is meant; a reason in words at a rate of zero says exempt (E).
Sources of the codes: VATEX code list of the Connecting Europe Facility; of Saudi Arabia, the XML
implementation standard 1.2 of ZATCA, 11.2.4, and its rule BR-KSA-CL-04: most are of the zero rate.

>>> category_of(None, Decimal(21)), category_of("", Decimal(0)), category_of("AE", Decimal(0))
('S', 'Z', 'AE')
>>> category_of(None, Decimal(0), {"reasonCode": "VATEX-EU-IC"})
'K'
>>> category_of(None, Decimal(0), {"reasonCode": "VATEX-SA-32"})
'Z'
>>> category_of(None, Decimal(0), {}, {"reason": "Art. 44"})
'E'
"""

from __future__ import annotations

from decimal import Decimal

from einvoice.domain.request import ExemptionRequest, InvoiceRequest, LineRequest

Vat = tuple[str, Decimal]  # category code and rate as sent, by which the breakdown groups

_BY_REASON = {
    "VATEX-EU-AE": "AE",
    "VATEX-EU-IC": "K",
    "VATEX-EU-G": "G",
    "VATEX-EU-O": "O",
    "VATEX-FR-AE": "AE",
    "VATEX-SA-OOS": "O",
    "VATEX-SA-29": "E",
    "VATEX-SA-29-7": "E",
    "VATEX-SA-30": "E",
}
# Reasons why the rate is zero: those of Oman, and what is not above of Saudi Arabia.
_ZERO_RATED = ("VATZR-", "VATEX-SA-")
_NO_EXEMPTION: ExemptionRequest = {}


def category_of(given: str | None, rate: Decimal, *exemptions: ExemptionRequest) -> str:
    """The category as given, else S above zero; at zero by the first exemption, else Z."""
    if given:
        return given
    if rate > 0:
        return "S"
    for exemption in exemptions:
        if code := exemption.get("reasonCode"):
            return _BY_REASON.get(code) or ("Z" if code.startswith(_ZERO_RATED) else "E")
        if exemption.get("reason"):
            return "E"
    return "Z"


def vat_of_lines(invoice: InvoiceRequest) -> list[Vat]:
    """Category and rate of each line; the exemption of the invoice applies to lines without one."""
    general = invoice.get("taxExemption", _NO_EXEMPTION)
    return [vat_of(line, general) for line in invoice["lineItems"]]


def vat_of(line: LineRequest, general: ExemptionRequest) -> Vat:
    """Category and rate of a line. `general`: the exemption of the invoice."""
    rate = line["taxRate"]
    if rate and not line.get("taxCategory"):
        return "S", rate
    own = line.get("taxExemption", _NO_EXEMPTION)
    return category_of(line.get("taxCategory"), rate, own, general), rate
