"""CEN-CII: `contexts` defines the contexts, each other module the rules of one topic."""

from einvoice.rules.book import Book
from einvoice.rules.en16931.cii.allowances import allowances
from einvoice.rules.en16931.cii.breakdown import breakdown
from einvoice.rules.en16931.cii.codes import codes
from einvoice.rules.en16931.cii.document import document
from einvoice.rules.en16931.cii.lines import lines
from einvoice.rules.en16931.cii.parties import parties
from einvoice.rules.en16931.cii.payment import payment
from einvoice.rules.en16931.cii.periods import periods
from einvoice.rules.en16931.cii.structure import structure
from einvoice.rules.en16931.cii.totals import totals
from einvoice.rules.en16931.cii.types import types
from einvoice.rules.en16931.cii.vat import vat
from einvoice.rules.layers import Layer

CEN_CII = Book.of(
    Layer.CEN_CII,
    "1.3.16",
    [
        document,
        parties,
        payment,
        periods,
        allowances,
        totals,
        breakdown,
        vat,
        lines,
        structure,
        types,
        codes,
    ],
)
