"""The profiles that come with the service."""

from __future__ import annotations

from einvoice.documents.ubl.write import document_xml
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    BIS_INVOICE_CII,
)
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.profiles import CII, UBL, Profile

BIS_BILLING = Profile(
    name="peppol-bis-billing",
    network="peppol",
    rule_set="peppol-bis-billing",
    process=BIS_BILLING_PROCESS,
    types={
        (DocumentKind.INVOICE, UBL): BIS_INVOICE,
        (DocumentKind.CREDIT_NOTE, UBL): BIS_CREDIT_NOTE,
        (DocumentKind.INVOICE, CII): BIS_INVOICE_CII,
        (DocumentKind.CREDIT_NOTE, CII): BIS_INVOICE_CII,
    },
    write=document_xml,
)
