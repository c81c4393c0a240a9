"""PEPPOL-CII: `contexts` defines the contexts, each other module the rules of one topic.

The national rules belong to this layer; they stand in `rules/national`, one package a country.

No public package contains these rules in the release in force. They are those of 3.0.19 with the
published changes up to 3.0.21, as are the reference verdicts they are compared with.
"""

from einvoice.rules.book import Book
from einvoice.rules.layers import Layer, Syntax
from einvoice.rules.peppol.cii.billing import billing
from einvoice.rules.peppol.cii.codes import codes
from einvoice.rules.peppol.cii.identifiers import identifiers
from einvoice.rules.peppol.cii.lines import lines

# isort: split
# After the contexts above: patterns are evaluated, and findings reported, in the order of creation.
from einvoice.rules.national.registry import national_chapters

PEPPOL_CII = Book.of(
    Layer.PEPPOL_CII,
    "3.0.21",
    [billing, lines, identifiers, *national_chapters(Syntax.CII), codes],
)
