"""PEPPOL-UBL: `contexts` says where rules look, each other file holds one topic's rules.

The national rules belong to this layer and stand in `rules/national`, a file a country.
"""

from einvoice.rules.book import Book, Layer
from einvoice.rules.national.denmark import denmark
from einvoice.rules.national.germany import germany
from einvoice.rules.national.greece import greece
from einvoice.rules.national.iceland import iceland
from einvoice.rules.national.italy import italy
from einvoice.rules.national.netherlands import netherlands
from einvoice.rules.national.norway import norway
from einvoice.rules.national.sweden import sweden
from einvoice.rules.peppol.ubl.allowances import allowances
from einvoice.rules.peppol.ubl.codes import codes
from einvoice.rules.peppol.ubl.document import document
from einvoice.rules.peppol.ubl.lines import lines
from einvoice.rules.peppol.ubl.parties import parties
from einvoice.rules.peppol.ubl.payment import payment
from einvoice.rules.peppol.ubl.vat import vat

NATIONAL = (norway, denmark, italy, sweden, greece, iceland, netherlands, germany)

PEPPOL_UBL = Book.of(
    Layer.PEPPOL_UBL,
    "3.0.21",
    [document, parties, payment, allowances, lines, vat, codes, *NATIONAL],
)
