"""Damage to VAT: categories, rates, reasons, bases, numbers, allowances."""

import random
from copy import deepcopy

from lxml import etree

from tests.oracle.damage import (
    Element,
    Operator,
    anything,
    described,
    elements,
    fresh_text,
    leaf,
    local,
    nudged,
)

VAT_NUMBERS = (
    "NO999999999MVA", "NO123456785MVA", "DK12345674", "IT12345678903", "SE556000475501", "XX1",
    "SE55600047550", "NL123456789B01", "EL094259216", "IS12345", "DE123456789", "1A5", "XI123",
)  # fmt: skip

_CATEGORIES = ("S", "Z", "E", "AE", "K", "G", "O", "L", "M", "B", "X", " S", "s")
_TAX_GROUPS = (
    "TaxCategory",
    "ClassifiedTaxCategory",
    "TaxSubtotal",
    "ApplicableTradeTax",
    "CategoryTradeTax",
)
_REASONS = (
    "TaxExemptionReason",
    "ExemptionReason",
    "TaxExemptionReasonCode",
    "ExemptionReasonCode",
)


def _tax_groups(root: Element) -> list[Element]:
    return [each for each in elements(root) if local(each) in _TAX_GROUPS]


def category(root: Element, chance: random.Random) -> str:
    """Set another VAT category everywhere or once; keep, change or remove its rate."""
    groups, code = _tax_groups(root), chance.choice(_CATEGORIES)
    rate = chance.choice((None, "0", "0.00", "25", "7", "-1", "drop"))
    chosen = groups if chance.random() < 0.6 else groups[:1] or groups
    for group in chosen:
        for child in list(group):
            if not isinstance(child.tag, str):
                continue
            if local(child) == "CategoryCode" or (
                local(child) == "ID" and "Category" in local(group)
            ):
                child.text = code
            elif local(child) in ("Percent", "RateApplicablePercent") and rate == "drop":
                group.remove(child)
            elif local(child) in ("Percent", "RateApplicablePercent") and rate:
                child.text = rate
    return f"category {code} in {len(chosen)} places, rate {rate}"


def reason(root: Element, chance: random.Random) -> str:
    groups = _tax_groups(root)
    if not groups:
        return "reason -"
    group, name = chance.choice(groups), chance.choice(_REASONS)
    present = [each for each in elements(root) if local(each) in _REASONS]
    if present and chance.random() < 0.5:
        removed = chance.choice(present)
        removed.getparent().remove(removed)
        return described("without", removed)
    namespace = next((etree.QName(each).namespace for each in elements(group)), None)
    child = etree.SubElement(group, etree.QName(namespace, name))
    child.text = chance.choice(("free", "VATEX-EU-AE", "vatex-eu-o", "VATEX-EU-X", ""))
    group.insert(chance.randint(0, len(group)), child)
    return described("reason", child, child.text)


def breakdown(root: Element, chance: random.Random) -> str:
    """Change an amount of the breakdown by a step near the tolerances."""
    names = (
        "TaxableAmount", "TaxAmount", "BasisAmount", "CalculatedAmount", "TaxTotalAmount",
        "LineTotalAmount", "LineExtensionAmount", "TaxBasisTotalAmount", "TaxExclusiveAmount",
    )  # fmt: skip
    found = [each for each in elements(root) if local(each) in names]
    chosen = chance.choice(found) if found else None
    if chosen is not None:
        chosen.text = nudged(chosen, chance)
    return described("off", chosen, chosen.text or "" if chosen is not None else "")


def vat_numbers(root: Element, chance: random.Random) -> str:
    groups = [
        each
        for each in elements(root)
        if local(each) in ("PartyTaxScheme", "SpecifiedTaxRegistration")
    ]
    if not groups:
        return "VAT numbers -"
    group = chance.choice(groups)
    how = chance.choice(("remove", "double", "FC", "VA", "VAT", "number"))
    if how == "remove":
        group.getparent().remove(group)
    elif how == "double":
        group.addnext(deepcopy(group))
    elif how == "number":
        leaf(group, "ID", "CompanyID").text = chance.choice(VAT_NUMBERS)
    else:
        leaf(group, "ID").set("schemeID", how)
    return f"VAT number: {how}"


_LEVELS = (
    "Invoice", "CreditNote", "InvoiceLine", "CreditNoteLine", "Price",
    "ApplicableHeaderTradeSettlement", "SpecifiedLineTradeSettlement",
)  # fmt: skip


def transplant(root: Element, chance: random.Random) -> str:
    """Copy a group to another level, such as an allowance of the document into a line."""
    endings = (
        "AllowanceCharge",
        "TaxCategory",
        "TradeTax",
        "TaxTotal",
        "BillingSpecifiedPeriod",
        "InvoicePeriod",
    )
    chosen = anything(root, chance, *endings)
    levels = [each for each in (root, *elements(root)) if local(each) in _LEVELS]
    if chosen is None or not levels:
        return "transplant -"
    onto = chance.choice(levels)
    onto.append(deepcopy(chosen))
    return described("transplant", chosen, described("onto", onto))


def allowance(root: Element, chance: random.Random) -> str:
    """Change an allowance into a charge, change or remove a part, or double it."""
    groups = [each for each in elements(root) if local(each).endswith("AllowanceCharge")]
    if not groups:
        return "allowance -"
    group, how = chance.choice(groups), chance.choice(("flip", "drop", "double", "spoil"))
    if how == "flip":
        term = leaf(group, "ChargeIndicator", "Indicator")
        term = leaf(term, "Indicator") if len(term) else term
        term.text = chance.choice(("true", "false", "1", "0", "yes", " true "))
    elif how == "double":
        group.addnext(deepcopy(group))
    elif len(group):
        child = chance.choice(list(group))
        if how == "drop" or not isinstance(child.tag, str):
            group.remove(child)
        elif not len(child):
            child.text = fresh_text(child, chance)
    return f"allowance: {how}"


VAT: tuple[Operator, ...] = (
    category,
    category,
    reason,
    breakdown,
    vat_numbers,
    allowance,
    allowance,
    transplant,
)
