"""CIUS-RO: what the Romanian tax authority asks for beside EN 16931, in UBL.

Release 1.0.9 of the rules (2024-06-05), for the specification 1.0.1. Rules that cannot be broken as
officially written are listed (`unfired`): an earlier context shadows theirs.
"""

SPECIFICATION = "urn:cen.eu:en16931:2017#compliant#urn:efactura.mfinante.ro:CIUS-RO:1.0.1"
ANY_VERSION = SPECIFICATION.removesuffix("1.0.1")

_CODES = (
    "AB AG AR B BC BH BN BR BT BV BZ CJ CL CS CT CV DB DJ GJ GL GR HD HR IF IL IS MH MM MS NT "
    "OT PH SB SJ SM SV TL TM TR VL VN VS"
)
COUNTIES = frozenset(map("RO-{}".format, _CODES.split()))  # ISO 3166-2:RO
BUCHAREST = "RO-B"
SECTORS = frozenset(f"SECTOR{number}" for number in range(1, 7))  # the cities of Bucharest
