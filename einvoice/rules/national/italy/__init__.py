"""Italy, IT-R-*: the tax code and the full address of an Italian seller.

A seller is Italian by VAT number (its own, else the tax representative's), else by address.
"""

import re

TAX_CODE = re.compile(r"[A-Z0-9]{11,16}")  # codice fiscale of a person or a company
