"""Peppol PINT: the rules that all countries share, and those of each country, in UBL.

PINT says what an invoice of any tax regime has; a jurisdiction aligns it with its law. Its ids are
those of EN 16931 in another form (`ibr-01`), so an id of this package is never one of EN 16931.

    base.py      the shared rules and code lists (`ibr-*`)
    ae.py, om.py the aligned rules of the United Arab Emirates and of Oman

Billing and self-billing of a country are one text; a table row here says where they differ.
"""

from __future__ import annotations

from dataclasses import dataclass

BILLING, SELF_BILLING = "urn:peppol:pint:billing-1@", "urn:peppol:pint:selfbilling-1@"
BILLING_PROCESS, SELF_BILLING_PROCESS = "urn:peppol:bis:billing", "urn:peppol:bis:selfbilling"


@dataclass(frozen=True, slots=True)
class Specification:
    """A specification of a country, as documents name it (BT-24, BT-23)."""

    customization: str
    process: str


def billing(country: str) -> Specification:
    """The specification of invoices of a country ("ae")."""
    return Specification(f"{BILLING}{country}-1", BILLING_PROCESS)


def self_billing(country: str) -> Specification:
    """The specification of invoices of a country that the buyer issues."""
    return Specification(f"{SELF_BILLING}{country}-1", SELF_BILLING_PROCESS)
