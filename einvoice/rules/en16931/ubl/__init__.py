"""CEN-UBL: `contexts` defines the contexts, each other module the rules of one topic."""

from einvoice.rules.book import Book
from einvoice.rules.en16931.ubl.allowances import allowances
from einvoice.rules.en16931.ubl.categories import categories
from einvoice.rules.en16931.ubl.codes import codes
from einvoice.rules.en16931.ubl.document import document
from einvoice.rules.en16931.ubl.lines import lines
from einvoice.rules.en16931.ubl.parties import parties
from einvoice.rules.en16931.ubl.payment import payment
from einvoice.rules.en16931.ubl.totals import totals
from einvoice.rules.en16931.ubl.unused import unused
from einvoice.rules.en16931.ubl.usage import usage
from einvoice.rules.en16931.ubl.vat import vat
from einvoice.rules.layers import Layer

CEN_UBL = Book.of(
    Layer.CEN_UBL,
    "1.3.16",
    [
        document,
        parties,
        payment,
        allowances,
        totals,
        vat,
        lines,
        categories,
        codes,
        usage,
        unused,
    ],
)
