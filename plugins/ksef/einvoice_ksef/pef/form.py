"""PEF as the form of invoices: the UBL of Peppol BIS Billing, unchanged."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from einvoice.documents.profiles import BIS_BILLING
from einvoice.domain.additions import Additions, Handout
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.invoice import Invoice
from einvoice.domain.profiles import UBL, Adapted, Profile
from einvoice_ksef.fa3 import characters, printed
from einvoice_ksef.pef.rules import RULES

NETWORK: Final = "ksef-pef"
_OF_KSEF: Final = "ksef-"


def access_point(ksef: str) -> str:
    """The name of the access point for PEF, beside that of the environment for FA.

    >>> access_point("ksef-test")
    'ksef-pef-test'
    """
    return f"{NETWORK}-{ksef.removeprefix(_OF_KSEF)}"


def adapt(invoice: Invoice) -> Adapted:
    """The invoice as BIS Billing has it. Raises InvalidField for a character that KSeF refuses."""
    adapted = BIS_BILLING.adapt(invoice)
    found = characters.found_in_xml(BIS_BILLING.write(adapted.invoice))
    if found is not None:
        words = f"has the character U+{ord(found):04X}, which KSeF refuses: remove it"
        raise InvalidField([FieldError("/invoice", "discouraged-character", words)])
    return adapted


def additions(handout: Handout) -> Additions:
    """QR code I with the KSeF number, as of an FA(3) of the same environment."""
    name = _OF_KSEF + handout.access_point.removeprefix(f"{NETWORK}-")
    return printed.additions(replace(handout, access_point=name))


PROFILE = Profile(
    name="pef",
    network=NETWORK,
    rule_set=RULES.name,
    process=BIS_BILLING.process,
    types={key: name for key, name in BIS_BILLING.types.items() if key[1] == UBL},
    write=BIS_BILLING.write,
    adapt=adapt,
    additions=additions,
)
