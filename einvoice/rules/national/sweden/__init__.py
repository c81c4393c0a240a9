"""Sweden, SE-R-*: registration numbers, F-tax, VAT rates and giro accounts.

The rules apply to a seller with a Swedish address; those about VAT also need a Swedish VAT number.
"""

F_TAX = "GODKÄND FÖR F-SKATT"
STANDARD_RATES = (25, 12, 6)
PLUSGIRO, BANKGIRO = "SE:PLUSGIRO", "SE:BANKGIRO"
