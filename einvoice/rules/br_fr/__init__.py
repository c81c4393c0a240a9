"""BR-FR: what France asks of electronic invoices beside EN 16931, in UBL and CII.

Release 1.4.0.04 of the rules for flow 2 (2026-09-04), fatal since 2026-10-01. A document says that
it is such an invoice by its business process (BT-23), the "cadre de facturation". Rules that cannot
be broken as officially written are listed (`unfired`).

Later readings of one rule that differ from 1.4.0.01: a due date of payment means counts in
BR-FR-CO-07, and BR-FR-01_EXT-FR-FE-136-2 has this id.
"""

from einvoice.domain.identifiers import EN16931_SPECIFICATION
from einvoice.rules.br_fr.codes import PROCESSES
from einvoice.rules.scenarios import Declared

EXTENDED: str = f"{EN16931_SPECIFICATION}#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr"


def is_french(document: Declared) -> bool:
    """Whether it is an invoice of EN 16931 with a French business process."""
    return document.specification == EN16931_SPECIFICATION and document.process in PROCESSES


def is_extended(document: Declared) -> bool:
    """Whether it is an invoice of EXTENDED-CTC-FR, which is an extension of EN 16931."""
    return document.specification == EXTENDED
