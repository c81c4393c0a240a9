"""The Netherlands, NL-R-*: addresses, legal registrations, payment means and references.

The rules apply to a seller with a Dutch address; some also need a Dutch buyer or representative.
"""

KVK, OIN = "0106", "0190"  # the schemes of Dutch legal registrations (ISO 6523)
PAYMENT_MEANS_CODES = ("30", "48", "49", "57", "58", "59")
