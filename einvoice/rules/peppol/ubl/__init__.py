"""PEPPOL-UBL: `contexts` defines the contexts, each other module the rules of one topic.

The national rules belong to this layer; they stand in `rules/national`, one package a country.
"""

from einvoice.rules.book import Book
from einvoice.rules.layers import Layer, Syntax
from einvoice.rules.national.registry import national_chapters
from einvoice.rules.peppol.ubl.allowances import allowances
from einvoice.rules.peppol.ubl.codes import codes
from einvoice.rules.peppol.ubl.document import document
from einvoice.rules.peppol.ubl.lines import lines
from einvoice.rules.peppol.ubl.parties import parties
from einvoice.rules.peppol.ubl.payment import payment
from einvoice.rules.peppol.ubl.vat import vat

PEPPOL_UBL = Book.of(
    Layer.PEPPOL_UBL,
    "3.0.21",
    [document, parties, payment, allowances, lines, vat, codes, *national_chapters(Syntax.UBL)],
)
