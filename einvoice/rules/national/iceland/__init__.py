"""Iceland, IS-R-*: kennitala, address, domestic accounts and the final due date.

EINDAGI is the last day to pay without interest, stated as a document reference with that
description. Peppol publishes these rules for UBL only.
"""
