"""Norway, NO-R-*: the VAT number and the registration of a Norwegian seller.

A seller is Norwegian by VAT number (its own, else the tax representative's), else by address.
"""

REGISTER = "Foretaksregisteret"  # the register of business enterprises
