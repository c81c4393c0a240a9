"""The rules of Fatoora for UBL, release 3.4.6 of the SDK: of ZATCA, and of EN 16931 as it has them.

BR-KSA-98 (a simplified document is reported within 24 hours) is no rule of a document: it holds at
the moment of sending.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from einvoice.rules import Declared, Pack, RuleSet
from einvoice.rules.book import Book
from einvoice_zatca.rules.amounts import amounts
from einvoice_zatca.rules.conditions import EN, KSA
from einvoice_zatca.rules.document import document
from einvoice_zatca.rules.en16931 import core
from einvoice_zatca.rules.parties import parties

PROCESS: Final = "reporting:1.0"
RELEASE: Final = "3.4.6"


def _is_saudi(declared: Declared) -> bool:
    return declared.specification is None and declared.process == PROCESS


RULES: Final = RuleSet(
    "zatca",
    (
        Pack(
            id=f"zatca-{RELEASE}",
            release=f"ZATCA {RELEASE}",
            valid_from=date(2025, 1, 1),
            valid_to=None,
            books=(
                Book.of(EN, RELEASE, [core]),
                Book.of(KSA, RELEASE, [document, parties, amounts]),
            ),
        ),
    ),
    recognises=_is_saudi,
)
