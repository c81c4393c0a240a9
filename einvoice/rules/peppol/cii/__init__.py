"""PEPPOL-CII: `contexts` says where rules look, each other file holds one topic's rules.

No public package holds these rules in the release in force. They are those of 3.0.19 with the
published changes up to 3.0.21, as the reference verdicts are too; a country's file holds its
patterns and rules together.
"""

from einvoice.rules.book import Book, Layer
from einvoice.rules.peppol.cii.billing import billing
from einvoice.rules.peppol.cii.codes import codes
from einvoice.rules.peppol.cii.denmark import denmark
from einvoice.rules.peppol.cii.identifiers import identifiers
from einvoice.rules.peppol.cii.italy import italy
from einvoice.rules.peppol.cii.lines import lines
from einvoice.rules.peppol.cii.netherlands import netherlands
from einvoice.rules.peppol.cii.norway import norway
from einvoice.rules.peppol.cii.sweden import sweden

PEPPOL_CII = Book.of(
    Layer.PEPPOL_CII,
    "3.0.21",
    [billing, lines, identifiers, norway, denmark, italy, sweden, netherlands, codes],
)
