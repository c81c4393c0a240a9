"""Code lists of the business request, and the countries of participant schemes.

Currencies (ISO 4217) and countries (ISO 3166-1 alpha-2, with Northern Ireland's XI and Kosovo's 1A)
are what the two rule layers of BIS Billing accept together; the rules decide which refuses a code.

>>> is_country("GR"), is_country("EL"), is_country("gr")
(True, False, False)
"""

from __future__ import annotations

_CURRENCIES = """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN
    BZD CAD CDF CHE CHF CHW CLF CLP CNH CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB
    EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD
    JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP
    MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR
    RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STD STN SVC SYP SZL THB TJS TMT
    TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XAG XAU XBA
    XBB XBC XBD XCD XCG XDR XOF XPD XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG
"""
CURRENCIES = frozenset(_CURRENCIES.split())

_COUNTRIES = """
    1A AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ
    BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM
    DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS
    GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
    KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ
    MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM
    PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV
    SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
    VN VU WF WS XI YE YT ZA ZM ZW
"""
COUNTRIES = frozenset(_COUNTRIES.split())
# Codes that are often written for others.
MISTAKEN_COUNTRIES = {
    "UK": ("GB",),
    "EL": ("GR",),
    "EN": ("GB",),
    "SP": ("ES",),
    "XK": ("1A",),
}

# UNTDID 5305 as EN 16931 uses it, with the margin scheme of PINT (N); the rate of all but S, L and
# M is 0.
VAT_CATEGORIES = ("S", "Z", "E", "AE", "K", "G", "O", "L", "M", "B", "N")
# The categories that need an exemption reason (BR-E-10, BR-AE-10, BR-IC-10, BR-G-10, BR-O-10).
EXEMPT = frozenset({"E", "AE", "K", "G", "O"})
# The default exemption reason of a category (decisions 17.12); E has none.
EXEMPTION_CODES = {
    "AE": "VATEX-EU-AE",
    "K": "VATEX-EU-IC",
    "G": "VATEX-EU-G",
    "O": "VATEX-EU-O",
}

# The media types an attachment may have (BR-CL-24).
ATTACHMENT_TYPES = (
    "application/pdf",
    "image/png",
    "image/jpeg",
    "text/csv",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.oasis.opendocument.spreadsheet",
)

# The country of a participant with this scheme, if none is given (decisions 17.3). 0196 is
# documented as the Emirates' code although the network's list gives it to Iceland (decisions 0.3).
SCHEME_COUNTRY = {
    "0208": "BE",
    "0106": "NL",
    "0007": "SE",
    "0002": "FR",
    "0196": "AE",
    "0235": "AE",
    "0248": "OM",
    "0231": "SA",
}

# The company register of a country, as an ISO 6523 scheme (decisions 17.6: "the country's scheme").
REGISTER_SCHEME = {
    "AU": "0151",
    "BE": "0208",
    "CH": "0183",
    "DK": "0184",
    "EE": "0191",
    "FR": "0002",
    "JP": "0188",
    "LT": "0200",
    "LV": "0218",
    "NL": "0106",
    "NO": "0192",
    "SE": "0007",
    "SG": "0195",
    "SK": "0158",
}

# Territories whose companies are in the register of the country they belong to.
REGISTER_OF = dict.fromkeys(
    ("BL", "GF", "GP", "MF", "MQ", "NC", "PF", "PM", "RE", "TF", "WF", "YT"), "FR"
) | {"SJ": "NO"}

# The participant schemes whose identifier is a VAT number, and the country code it begins with.
# Source: the electronic address schemes (EAS) that Peppol accepts.
VAT_SCHEME = {
    "0211": "IT",
    "9910": "HU",
    "9914": "AT",
    "9920": "ES",
    "9925": "BE",
    "9926": "BG",
    "9927": "CH",
    "9928": "CY",
    "9929": "CZ",
    "9930": "DE",
    "9931": "EE",
    "9932": "GB",
    "9933": "EL",
    "9934": "HR",
    "9935": "IE",
    "9937": "LT",
    "9938": "LU",
    "9939": "LV",
    "9943": "MT",
    "9944": "NL",
    "9945": "PL",
    "9946": "PT",
    "9947": "RO",
    "9949": "SI",
    "9950": "SK",
    "9957": "FR",
}

# UBL nests a sales order in the order reference, which must have an id: so BIS Billing calls none.
NO_ORDER = "NA"


def is_country(code: str) -> bool:
    return code in COUNTRIES
