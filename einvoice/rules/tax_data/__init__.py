"""Tax data documents (TDD) of Peppol: their syntaxes and layers, one of each for a country.

    gulf.py  the rules of the United Arab Emirates and of Oman, which share most of them
    sk.py    those of Slovakia

The three differ in namespace, so each is a syntax of its own; paths call the namespace `pxs`.
"""

from __future__ import annotations

from pathlib import Path

from einvoice.domain.tax_data import SPECIFICATIONS
from einvoice.rules.layers import Layer, Syntax

_TERMS = (
    "cbc:|pxs:(?:DocumentTypeCode|TaxDataTypeCode|DocumentScope|ReporterRole|TransportHeaderID)$"
)
SYNTAXES = {
    country: Syntax(
        f"TDD-{country}",
        roots={each.root: "taxData"},
        prefixes={each.namespace: "pxs", **Syntax.UBL.prefixes},
        terms=_TERMS,
        schema=Path(f"tax-data/{country.lower()}.xsd"),
    )
    for country, each in SPECIFICATIONS.items()
}
LAYERS = {
    country: Layer(f"TDD-{country}", syntax, "country") for country, syntax in SYNTAXES.items()
}
# Of the invoice that a Slovak report repeats (sk_invoice.py).
SK_CEN_LAYER = Layer("TDD-SK-CEN", Syntax.UBL, "en16931")
SK_PEPPOL_LAYER = Layer("TDD-SK-PEPPOL", Syntax.UBL, "peppol")
