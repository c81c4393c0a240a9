"""Peppol PINT: the rules that all countries share, and those of each country, in UBL.

PINT says what an invoice of any tax regime has; a jurisdiction aligns it with its law. Its ids are
those of EN 16931 in another form (`ibr-01`); only PINT EU has those of EN 16931 beside them.

    base.py             the shared rules and code lists (`ibr-*`)
    release_1_1_2.py    the same in the release before
    taxes.py            what rules of countries ask of a tax alike, whatever its name
    ae/, om/, aunz.py, eu.py, jp.py, my.py, sg.py    the aligned rules of each country

Billing and self-billing of a country are one text; a table row here says where they differ.
"""

from __future__ import annotations

from einvoice.domain.pint import (
    BILLING,
    BILLING_PROCESS,
    SELF_BILLING,
    SELF_BILLING_PROCESS,
    Specification,
    billing,
    non_tax,
    self_billing,
)

__all__ = [
    "BILLING",
    "BILLING_PROCESS",
    "SELF_BILLING",
    "SELF_BILLING_PROCESS",
    "Specification",
    "billing",
    "non_tax",
    "self_billing",
]
