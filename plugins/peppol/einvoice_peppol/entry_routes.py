"""The document types that are published for our participants, and their process.

PINT is registered by wildcard, so that it covers the specialisations of all countries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    BIS_INVOICE_CII,
    SELF_BILLED_CREDIT_NOTE,
    SELF_BILLED_INVOICE,
    SELF_BILLING_PROCESS,
    WILDCARD_SCHEME,
    DocumentTypeId,
    ProcessId,
)
from einvoice_peppol import invoice_response, mls
from einvoice_peppol.directory import PINT_BILLING

_PINT: Final = "urn:oasis:names:specification:ubl:schema:xsd:{0}-2::{0}##urn:peppol:pint:{1}*::2.1"
_PINT_SELF_BILLING: Final = ProcessId("cenbii-procid-ubl", "urn:peppol:bis:selfbilling")


def _pint(root: str, customization: str) -> DocumentTypeId:
    return DocumentTypeId(WILDCARD_SCHEME, _PINT.format(root, customization))


OF_PARTICIPANTS: Final[Mapping[DocumentTypeId, ProcessId]] = {
    BIS_INVOICE: BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE: BIS_BILLING_PROCESS,
    BIS_INVOICE_CII: BIS_BILLING_PROCESS,
    SELF_BILLED_INVOICE: SELF_BILLING_PROCESS,
    SELF_BILLED_CREDIT_NOTE: SELF_BILLING_PROCESS,
    _pint("Invoice", "billing-1"): PINT_BILLING,
    _pint("CreditNote", "billing-1"): PINT_BILLING,
    _pint("Invoice", "selfbilling-1"): _PINT_SELF_BILLING,
    _pint("CreditNote", "selfbilling-1"): _PINT_SELF_BILLING,
    invoice_response.DOCUMENT_TYPE: invoice_response.PROCESS,
}
OF_PROVIDER: Final[Mapping[DocumentTypeId, ProcessId]] = {mls.DOCUMENT_TYPE: mls.PROCESS}
ALL: Final = {**OF_PARTICIPANTS, **OF_PROVIDER}
RECEIVABLE: Final = tuple(OF_PARTICIPANTS)
