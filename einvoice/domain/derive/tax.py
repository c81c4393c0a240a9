"""VAT categories and the VAT breakdown (decisions 17.12 and 17.13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from einvoice.domain.codes import EXEMPT, EXEMPTION_CODES, category_code
from einvoice.domain.invoice import Party, TaxCategory, TaxSubtotal
from einvoice.domain.money import ZERO, cents, plain
from einvoice.domain.request import ExemptionRequest, InvoiceRequest, LineRequest, SendWarning
from einvoice.domain.totals import ComputedTotals

Vat = tuple[str, Decimal]  # category code and rate as sent, by which the breakdown groups


def vat_of(line: LineRequest) -> Vat:
    rate = line["taxRate"]
    return category_code(line.get("taxCategory"), rate), rate


def categories(lines: Sequence[LineRequest], computed: ComputedTotals) -> dict[Vat, TaxCategory]:
    """All categories and rates in use, in order of appearance; O has no rate (BR-O-05)."""
    used = [vat_of(line) for line in lines]
    used += [(a.category, a.rate) for a in computed.adjustments]
    return {
        (code, rate): TaxCategory(code, None if code == "O" and not rate else rate)
        for code, rate in dict.fromkeys(used)
    }


def note_assumed_zero_rates(
    lines: Sequence[LineRequest], seller: Party, buyer: Party, warnings: list[SendWarning]
) -> None:
    """Warn of an assumed Z across a border: reverse charge, intra-community supply or export is
    more likely."""
    here = seller.address.country if seller.address else None
    there = buyer.address.country if buyer.address else None
    if not here or not there or here == there:
        return
    assumed = [i for i, ln in enumerate(lines) if not ln["taxRate"] and not ln.get("taxCategory")]
    if assumed:
        field = f"invoice.lineItems[{assumed[0]}].taxCategory"
        values = {"count": str(len(assumed)), "here": here, "there": there}
        warnings.append(SendWarning("zero-rate-category-assumed", field=field, values=values))


def breakdown(
    request: InvoiceRequest,
    computed: ComputedTotals,
    amounts: Sequence[Decimal],
    vat: Mapping[Vat, TaxCategory],
    warnings: list[SendWarning],
) -> tuple[TaxSubtotal, ...]:
    """BG-23: for each category and rate the sum of the amounts and of the rounded taxes."""
    groups = {key: [ZERO, ZERO] for key in vat}
    for line, amount, tax in zip(request["lineItems"], amounts, computed.line_taxes, strict=True):
        group = groups[vat_of(line)]
        group[0] += amount
        group[1] += tax
    for item in computed.adjustments:
        group = groups[item.category, item.rate]
        sign = 1 if item.charge else -1
        group[0] += sign * cents(item.request["amount"])
        group[1] += sign * item.tax
    exemptions = _exemptions(request, vat)
    return tuple(
        [
            _subtotal(category, key[1], groups[key], exemptions.get(key, {}), warnings)
            for key, category in vat.items()
        ]
    )


def _exemptions(
    request: InvoiceRequest, vat: Mapping[Vat, TaxCategory]
) -> dict[Vat, ExemptionRequest]:
    """The exemption of each exempt group, from its lines, else from the invoice."""
    exempt = [key for key in vat if key[0] in EXEMPT]
    of_lines = _exemptions_of_lines(request["lineItems"]) if exempt else {}
    return {key: of_lines.get(key) or request.get("taxExemption", {}) for key in exempt}


def _subtotal(
    category: TaxCategory,
    rate: Decimal,
    group: Sequence[Decimal],
    exemption: ExemptionRequest,
    warnings: list[SendWarning],
) -> TaxSubtotal:
    taxable, tax = cents(group[0]), cents(group[1])
    computed = cents(taxable * rate / 100)
    if abs(tax - computed) >= 1:
        values = {"rate": plain(rate), "sum": str(tax), "computed": str(computed)}
        field = "invoice.totals.taxAmount"
        warnings.append(SendWarning("line-amount-rounded", "", field, "vat", values))
        tax = computed
    code, reason = exemption.get("reasonCode") or None, exemption.get("reason") or None
    if not code and not reason:
        code = EXEMPTION_CODES.get(category.code)
        _note_assumed_exemption(category.code, code, warnings)
    return TaxSubtotal(taxable, tax, category, exemption_reason=reason, exemption_code=code)


def _note_assumed_exemption(category: str, code: str | None, warnings: list[SendWarning]) -> None:
    if code:
        field, values = "invoice.taxExemption.reasonCode", {"category": category, "reason": code}
        warnings.append(SendWarning("exemption-reason-assumed", field=field, values=values))


def _exemptions_of_lines(lines: Sequence[LineRequest]) -> dict[Vat, ExemptionRequest]:
    """The first exemption among the lines of each group."""
    found: dict[Vat, ExemptionRequest] = {}
    for line in lines:
        given = line.get("taxExemption", {})
        if any(given.values()):
            found.setdefault(vat_of(line), given)
    return found
