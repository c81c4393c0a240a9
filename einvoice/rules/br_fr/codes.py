"""The codes of BR-FR: business processes, types, notes, identifiers, kinds of lines.

Their types are written: mypyc judges all modules of rules as one cycle, in which it does not infer
those of constants that were not judged before.
"""

# The business processes: goods (B), services (S), both (M), by what the invoice is.
_PROCESSES = "B1 S1 M1 B2 S2 M2 S3 B4 S4 M4 S5 S6 B7 S7 B8 S8 M8 B9 S9 M9"
PROCESSES: frozenset[str] = frozenset(_PROCESSES.split())
PAID: frozenset[str] = frozenset(["B2", "S2", "M2"])  # paid before it is issued
FINAL: frozenset[str] = frozenset(["B4", "S4", "M4"])  # after advance payments
SEVERAL_SELLERS: frozenset[str] = frozenset(["B8", "S8", "M8"])
BOTH_SIDES: frozenset[str] = frozenset(["B9", "S9", "M9"])  # each party sells to the other one
JOINT: frozenset[str] = SEVERAL_SELLERS | BOTH_SIDES

_TYPES = "380 389 393 501 386 500 384 471 472 473 261 262 381 396 502 503"
TYPES: frozenset[str] = frozenset(_TYPES.split())
SELF_BILLED: frozenset[str] = frozenset(["389", "501", "500", "471", "473", "261", "502"])
ADVANCE: frozenset[str] = frozenset(["386", "500", "503"])
CORRECTIVE: frozenset[str] = frozenset(["384", "471", "472", "473"])
CREDIT_NOTES: frozenset[str] = frozenset(["261", "381", "396", "502", "503"])
GLOBAL_REBATE = "262"

TREATMENT = "BAR"  # the subject of the note that says how the invoice is treated
B2B = "B2B"
TREATMENTS: tuple[str, ...] = (B2B, "B2BINT", "B2C", "B2CINT", "OUTOFSCOPE", "ARCHIVEONLY")
# The mandatory notes: recovery costs, late payment, discount; and taxes, at most once too.
MANDATORY_NOTES: tuple[str, ...] = ("PMT", "PMD", "AAB")
TAXES = "TXD"
MEMBER_OF_SINGLE_TAXPAYER = "MEMBRE_ASSUJETTI_UNIQUE"

SIREN: str = "0002"
SIRET: str = "0009"
PRIVATE: str = "0224"
DIRECTORY: str = "0225"
SINGLE_TAXPAYER: str = "0231"
CATEGORIES: frozenset[str] = frozenset(["S", "E", "AE", "K", "G", "O", "Z"])
ELSEWHERE: frozenset[str] = frozenset(["L", "M"])  # of the Canaries, of Ceuta and Melilla
_ATTACHMENTS = (
    "RIB LISIBLE FEUILLE_DE_STYLE PJA BORDEREAU_SUIVI DOCUMENT_ANNEXE BON_LIVRAISON BON_COMMANDE "
    "BORDEREAU_SUIVI_VALIDATION ETAT_ACOMPTE FACTURE_PAIEMENT_DIRECT "
    "RECAPITULATIF_COTRAITANCE"
)
ATTACHMENTS: frozenset[str] = frozenset(_ATTACHMENTS.split())
READABLE = "LISIBLE"  # the attachment that people read
FINAL_INVOICE: str = "AFL"  # schemes of invoiced objects
PROCESS_OF_LINE: str = "AVV"
GROUP: str = "GROUP"  # kinds of lines
DETAIL: str = "DETAIL"
INFORMATION: str = "INFORMATION"
