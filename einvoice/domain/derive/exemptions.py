"""Reasons for exemptions from VAT (BT-120, BT-121): none that was sent is dropped (decisions
32.2).

The reason of a line, else the invoice's, stands in the breakdown of the line's category and
rate. Several of one group are joined. A warning names a reason that has no place in the document.
A zero rate (Z) has a reason in Saudi Arabia alone, which the prefix of its code names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from einvoice.domain.codes import EXEMPT
from einvoice.domain.invoice import TaxCategory
from einvoice.domain.request import ExemptionRequest, InvoiceRequest, SendWarning
from einvoice.domain.vat import Vat

Exemption = tuple[str | None, str | None]  # VATEX code, words
NO_EXEMPTION: Exemption = (None, None)
_ZERO_RATED, _SAUDI = "Z", "VATEX-SA-"


def exemptions(
    request: InvoiceRequest,
    vats: Sequence[Vat],
    groups: Mapping[Vat, TaxCategory],
    warnings: list[SendWarning],
) -> dict[Vat, Exemption]:
    """The exemption of each exempt group. `vats`: category and rate of each line."""
    requests, exempt = request["lineItems"], [key for key in groups if key[0] in EXEMPT]
    sent = "taxExemption" in request or any("taxExemption" in line for line in requests)
    if not exempt and not sent:
        return {}
    general = _of(request.get("taxExemption"))
    own = [_of(line.get("taxExemption")) for line in requests]
    given = {
        (vat, each if each != NO_EXEMPTION else general)
        for vat, each in zip(vats, own, strict=True)
    }
    exempt += [key for key in groups if any(_is_zero_rated(key, *each) for each in given)]
    _note_unused(own, general, vats, exempt, warnings)
    _note_categories(request, vats, exempt, warnings)
    lines = list(zip(vats, own, strict=True))
    return {key: _joined(key, lines, general, warnings) for key in exempt}


def _is_zero_rated(key: Vat, vat: Vat, given: Exemption) -> bool:
    """Whether a reason of this category and rate is one for a zero rate."""
    return key == vat and vat[0] == _ZERO_RATED and (given[0] or "").startswith(_SAUDI)


def _of(request: ExemptionRequest | None) -> Exemption:
    if not request:
        return NO_EXEMPTION
    return request.get("reasonCode") or None, request.get("reason") or None


def _joined(
    key: Vat,
    lines: Iterable[tuple[Vat, Exemption]],
    general: Exemption,
    warnings: list[SendWarning],
) -> Exemption:
    """The reasons of a group as one: a code only if all have the same."""
    members = [own if own != NO_EXEMPTION else general for vat, own in lines if vat == key]
    found = [each for each in dict.fromkeys(members or [general]) if each != NO_EXEMPTION]
    if len(found) <= 1:
        return found[0] if found else NO_EXEMPTION
    values = {"count": str(len(found)), "category": key[0]}
    field = "invoice.lineItems.taxExemption"
    warnings.append(SendWarning("exemption-reasons-joined", field=field, values=values))
    codes = {code for code, _ in found if code}
    texts = [_with_code(each) if len(codes) > 1 else each[1] for each in found]
    texts_joined = "; ".join(dict.fromkeys([text for text in texts if text]))
    return codes.pop() if len(codes) == 1 else None, texts_joined or None


def _with_code(exemption: Exemption) -> str | None:
    code, text = exemption
    return f"{text} ({code})" if code and text else code or text


def _note_unused(
    own: Sequence[Exemption],
    general: Exemption,
    vats: Sequence[Vat],
    exempt: Sequence[Vat],
    warnings: list[SendWarning],
) -> None:
    """Warn of reasons that stand at a rate or category that has none, or at no line."""
    unused = [
        place
        for place, (given, vat) in enumerate(zip(own, vats, strict=True))
        if given != NO_EXEMPTION and vat not in exempt
    ]
    if unused:
        field = f"invoice.lineItems[{unused[0]}].taxExemption"
        values = {"count": str(len(unused)), "category": vats[unused[0]][0]}
        warnings.append(SendWarning("exemption-reason-unused", "", field, "lines", values))
    of_lines = any(
        vat in exempt for given, vat in zip(own, vats, strict=True) if given == NO_EXEMPTION
    )
    if general != NO_EXEMPTION and not of_lines and set(exempt) <= set(vats):
        field = "invoice.taxExemption"
        warnings.append(SendWarning("exemption-reason-unused", "", field, "invoice"))


def _note_categories(
    request: InvoiceRequest,
    vats: Sequence[Vat],
    exempt: Sequence[Vat],
    warnings: list[SendWarning],
) -> None:
    """Warn of categories that follow from a reason."""
    lines = request["lineItems"]
    assumed = [
        place
        for place, (line, vat) in enumerate(zip(lines, vats, strict=True))
        if vat in exempt and vat[0] in EXEMPT and not line.get("taxCategory")
    ]
    if assumed:
        field = f"invoice.lineItems[{assumed[0]}].taxCategory"
        named = ", ".join(dict.fromkeys([vats[place][0] for place in assumed]))
        values = {"count": str(len(assumed)), "category": named}
        warnings.append(SendWarning("tax-category-from-reason", field=field, values=values))
