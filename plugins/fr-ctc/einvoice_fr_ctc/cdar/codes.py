"""The codes of the life cycle: statuses, reasons, actions. Source: BR-FR-CDV 1.4.0."""

from __future__ import annotations

from typing import Final

from einvoice.domain.responses import ResponseStatus

DEPOSITED, SENT_ON, RECEIVED, AVAILABLE = "200", "201", "202", "203"
TAKEN_UP, APPROVED, PARTLY_APPROVED, DISPUTED = "204", "205", "206", "207"
SUSPENDED, COMPLETED, REFUSED = "208", "209", "210"
PAYMENT_SENT, PAID, REJECTED, CANCELLED, NOT_ADMISSIBLE = "211", "212", "213", "220", "501"
MISROUTED = "221"
# The only reason of 200: the buyer has no platform, so the invoice is deposited and goes to nobody.
NOT_SENT_ON: Final = "NON_TRANSMISE"

# The official names, in French.
NAMES: Final = {
    DEPOSITED: "Déposée",
    SENT_ON: "Émise par la plateforme",
    RECEIVED: "Reçue par la plateforme",
    AVAILABLE: "Mise à disposition",
    TAKEN_UP: "Prise en charge",
    APPROVED: "Approuvée",
    PARTLY_APPROVED: "Approuvée partiellement",
    DISPUTED: "En litige",
    SUSPENDED: "Suspendue",
    COMPLETED: "Complétée",
    REFUSED: "Refusée",
    PAYMENT_SENT: "Paiement transmis",
    PAID: "Encaissée",
    REJECTED: "Rejetée",
    CANCELLED: "Annulée",
    MISROUTED: "Erreur de routage",
    NOT_ADMISSIBLE: "Irrecevable",
}
# MDT-106 as the published examples write it.
LABELS: Final = {code: name.replace(" ", "_") for code, name in NAMES.items()}
# MDT-88, where the published examples have one.
DOCUMENT_STATUSES: Final = {
    TAKEN_UP: "45", APPROVED: "1", DISPUTED: "46", REFUSED: "50", PAYMENT_SENT: "47", PAID: "47",
}  # fmt: skip
# What a status says to the seller. Those on the way before the buyer's side has it say nothing.
RESPONSES: Final = {
    RECEIVED: ResponseStatus.RECEIVED,
    AVAILABLE: ResponseStatus.RECEIVED,
    TAKEN_UP: ResponseStatus.IN_PROCESS,
    APPROVED: ResponseStatus.ACCEPTED,
    PARTLY_APPROVED: ResponseStatus.CONDITIONALLY_ACCEPTED,
    DISPUTED: ResponseStatus.IN_PROCESS,
    SUSPENDED: ResponseStatus.IN_PROCESS,
    COMPLETED: ResponseStatus.IN_PROCESS,
    REFUSED: ResponseStatus.REJECTED,
    PAYMENT_SENT: ResponseStatus.PAID,
    PAID: ResponseStatus.PAID,
}
# What a seller says of an invoice that it has sent.
OF_SELLER: Final = {PAID: ResponseStatus.PAID, CANCELLED: ResponseStatus.CANCELLED}
# The buyer's side has the document, at the latest.
AT_PLATFORM: Final = frozenset({RECEIVED})
AT_BUYER: Final = frozenset(RESPONSES) - AT_PLATFORM
FAILED: Final = frozenset({REJECTED, NOT_ADMISSIBLE})

# Which reasons (MDT-113) a status may have (BR-FR-CDV-CL-09).
_COMMON: Final = (
    "TX_TVA_ERR MONTANTTOTAL_ERR CALCUL_ERR NON_CONFORME DOUBLON DEST_ERR TRANSAC_INC EMMET_INC "
    "CONTRAT_TERM DOUBLE_FACT CMD_ERR ADR_ERR REF_CT_ABSENT"
)
_OF_ORDERS: Final = (
    "AUTRE CMD_ERR SIRET_ERR CODE_ROUTAGE_ERR REF_CT_ABSENT REF_ERR PU_ERR REM_ERR QTE_ERR "
    "ART_ERR MODPAI_ERR QUALITE_ERR LIVR_INCOMP"
)
_OF_SUSPENSIONS: Final = (
    "JUSTIF_ABS COORD_BANC_ERR CMD_ERR SIRET_ERR CODE_ROUTAGE_ERR REF_CT_ABSENT REF_ERR"
)
REASONS_OF: Final = {
    REFUSED: frozenset(_COMMON.split()),
    DISPUTED: frozenset(f"{_COMMON} {_OF_ORDERS} COORD_BANC_ERR DEST_INC".split()),
    PARTLY_APPROVED: frozenset(_OF_ORDERS.split()),
    SUSPENDED: frozenset(_OF_SUSPENSIONS.split()),
}
REASON_NAMES: Final = {
    "AUTRE": "Autre motif",
    "TX_TVA_ERR": "Taux de TVA erroné",
    "MONTANTTOTAL_ERR": "Montant total erroné",
    "CALCUL_ERR": "Erreur de calcul",
    "NON_CONFORME": "Mention légale manquante",
    "DOUBLON": "Facture en doublon",
    "DEST_INC": "Destinataire inconnu",
    "DEST_ERR": "Erreur de destinataire",
    "TRANSAC_INC": "Transaction inconnue",
    "EMMET_INC": "Émetteur inconnu",
    "CONTRAT_TERM": "Contrat terminé",
    "DOUBLE_FACT": "Double facturation",
    "CMD_ERR": "Numéro de commande incorrect ou manquant",
    "ADR_ERR": "Adresse de facturation électronique erronée",
    "REF_CT_ABSENT": "Référence contractuelle manquante",
    "REF_ERR": "Référence incorrecte",
    "PU_ERR": "Prix unitaires incorrects",
    "REM_ERR": "Remise erronée",
    "QTE_ERR": "Quantité facturée incorrecte",
    "ART_ERR": "Article facturé incorrect",
    "MODPAI_ERR": "Modalités de paiement incorrectes",
    "QUALITE_ERR": "Qualité d'article livré incorrecte",
    "LIVR_INCOMP": "Problème de livraison",
    "SIRET_ERR": "SIRET erroné ou absent",
    "CODE_ROUTAGE_ERR": "Code routage absent ou erroné",
    "COORD_BANC_ERR": "Erreur de coordonnées bancaires",
    "JUSTIF_ABS": "Justificatif absent ou insuffisant",
}
