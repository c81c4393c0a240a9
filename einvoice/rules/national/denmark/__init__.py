"""Denmark, DK-R-*: business register numbers, and the giro and card types of Danish payments.

The rules apply to a seller whose address is Danish as written; most of them also need a Danish
buyer. Codes shared by UBL and CII are defined here.
"""

CVR = "0184"  # the scheme of Danish business registrations (ISO 6523)
UNSPSC_VERSIONS = ("19.05.01", "19.0501", "26.08.01", "26.0801")
PAYMENT_MEANS_CODES = " 1 10 31 42 48 49 50 58 59 93 97 "  # searched for " code "

# Card types with which a Danish payment reference (BT-83) begins.
GIRO_CARDS = ("01#", "04#", "15#")
GIRO_CARDS_WITH_NUMBER = ("04#", "15#")
FIK_CARDS = ("71#", "73#", "75#")
FIK_CARDS_WITH_NUMBER = ("71#", "75#")
