"""VAT categories and the VAT breakdown (decisions 17.12 and 17.13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from einvoice.domain.codes import EXEMPTION_CODES
from einvoice.domain.derive.exemptions import NO_EXEMPTION, Exemption, exemptions
from einvoice.domain.invoice import Party, TaxCategory, TaxSubtotal
from einvoice.domain.money import ZERO, cents, plain
from einvoice.domain.request import InvoiceRequest, SendWarning
from einvoice.domain.totals import ComputedTotals
from einvoice.domain.vat import Vat


def categories(vats: Sequence[Vat], computed: ComputedTotals) -> dict[Vat, TaxCategory]:
    """All categories and rates in use, in order of appearance; O has no rate (BR-O-05).

    `vats`: categories and rates of the lines.
    """
    used = dict.fromkeys([*vats, *[adjusted.vat for adjusted in computed.adjustments]])
    return {
        (code, rate): TaxCategory(code, None if code == "O" and not rate else rate)
        for code, rate in used
    }


def note_assumed_zero_rates(
    request: InvoiceRequest,
    vats: Sequence[Vat],
    seller: Party,
    buyer: Party,
    warnings: list[SendWarning],
) -> None:
    """Warn of an assumed Z across a border: reverse charge, intra-community supply or export is
    more likely. Where a reason is sent, Z is not assumed."""
    seller_country = seller.address.country if seller.address else None
    buyer_country = buyer.address.country if buyer.address else None
    if not seller_country or not buyer_country or seller_country == buyer_country:
        return
    if request.get("taxExemption"):
        return
    assumed = [
        place
        for place, (line, (code, _)) in enumerate(zip(request["lineItems"], vats, strict=True))
        if code == "Z" and not line.get("taxCategory") and not line.get("taxExemption")
    ]
    if assumed:
        field = f"invoice.lineItems[{assumed[0]}].taxCategory"
        values = {"count": str(len(assumed)), "here": seller_country, "there": buyer_country}
        warnings.append(SendWarning("zero-rate-category-assumed", field=field, values=values))


def breakdown(
    request: InvoiceRequest,
    vats: Sequence[Vat],
    computed: ComputedTotals,
    amounts: Sequence[Decimal],
    vat: Mapping[Vat, TaxCategory],
    warnings: list[SendWarning],
) -> tuple[TaxSubtotal, ...]:
    """BG-23: for each category and rate the sum of the amounts and of the rounded taxes."""
    groups = {key: [ZERO, ZERO] for key in vat}
    for key, amount, tax in zip(vats, amounts, computed.line_taxes, strict=True):
        group = groups[key]
        group[0] += amount
        group[1] += tax
    for item in computed.adjustments:
        group = groups[item.vat]
        sign = 1 if item.charge else -1
        group[0] += sign * cents(item.request["amount"])
        group[1] += sign * item.tax
    for key, tax in (computed.group_taxes or {}).items():
        groups[key][1] = tax
    reasons = exemptions(request, vats, vat, warnings)
    return tuple(
        [
            _subtotal(category, key[1], groups[key], reasons.get(key, NO_EXEMPTION), warnings)
            for key, category in vat.items()
        ]
    )


def _subtotal(
    category: TaxCategory,
    rate: Decimal,
    group: Sequence[Decimal],
    exemption: Exemption,
    warnings: list[SendWarning],
) -> TaxSubtotal:
    taxable, tax = cents(group[0]), cents(group[1])
    computed = cents(taxable * rate / 100)
    if abs(tax - computed) >= 1:
        values = {"rate": plain(rate), "sum": str(tax), "computed": str(computed)}
        field = "invoice.totals.taxAmount"
        warnings.append(SendWarning("line-amount-rounded", "", field, "vat", values))
        tax = computed
    code, reason = exemption
    if not code and not reason:
        code = EXEMPTION_CODES.get(category.code)
        _note_assumed_exemption(category.code, code, warnings)
    return TaxSubtotal(taxable, tax, category, exemption_reason=reason, exemption_code=code)


def _note_assumed_exemption(category: str, code: str | None, warnings: list[SendWarning]) -> None:
    if code:
        field, values = "invoice.taxExemption.reasonCode", {"category": category, "reason": code}
        warnings.append(SendWarning("exemption-reason-assumed", field=field, values=values))
