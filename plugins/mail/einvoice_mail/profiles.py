"""The documents that are mailed: EN 16931 as it is, XRechnung, or Peppol BIS.

The first is the usual one, also of self-billed invoices. A send names another, or the tenant has
chosen files that are one. BIS is for receivers with a participant id: its rules take no e-mail as
electronic address.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from einvoice.documents.cii.write import EN16931
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.identifiers import (
    BIS_BILLING_CUSTOMIZATION,
    BIS_BILLING_PROCESS,
    BIS_BILLING_PROFILE,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    QNS_SCHEME,
    XRECHNUNG_CREDIT_NOTE,
    XRECHNUNG_INVOICE,
    DocumentTypeId,
)
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.domain.profiles import UBL, Adapted, Profile
from einvoice.domain.xrechnung import as_xrechnung

_ROOT: Final = "urn:oasis:names:specification:ubl:schema:xsd"


def _type(name: str) -> DocumentTypeId:
    return DocumentTypeId(QNS_SCHEME, f"{_ROOT}:{name}-2::{name}##{EN16931}::2.1")


def as_en16931(invoice: Invoice) -> Adapted:
    """The invoice with the specification of EN 16931, and no process of a network."""
    return Adapted(replace(invoice, customization=EN16931, profile=None))


MAIL_EN16931: Final = Profile(
    name="mail-en16931",
    network="mail",
    rule_set="en16931",
    process=BIS_BILLING_PROCESS,
    types={
        (DocumentKind.INVOICE, UBL): _type("Invoice"),
        (DocumentKind.CREDIT_NOTE, UBL): _type("CreditNote"),
        (DocumentKind.SELF_BILLED_INVOICE, UBL): _type("Invoice"),
        (DocumentKind.SELF_BILLED_CREDIT_NOTE, UBL): _type("CreditNote"),
    },
    write=document_xml,
    adapt=as_en16931,
)


def as_bis(invoice: Invoice) -> Adapted:
    """The invoice with the specification and process of BIS Billing."""
    return Adapted(
        replace(invoice, customization=BIS_BILLING_CUSTOMIZATION, profile=BIS_BILLING_PROFILE)
    )


MAIL_BIS: Final = Profile(
    name="mail-bis",
    network="mail",
    rule_set="peppol-bis-billing",
    process=BIS_BILLING_PROCESS,
    types={
        (DocumentKind.INVOICE, UBL): BIS_INVOICE,
        (DocumentKind.CREDIT_NOTE, UBL): BIS_CREDIT_NOTE,
    },
    write=document_xml,
    adapt=as_bis,
)

MAIL_XRECHNUNG: Final = Profile(
    name="mail-xrechnung",
    network="mail",
    rule_set="xrechnung",
    process=BIS_BILLING_PROCESS,
    types={
        (DocumentKind.INVOICE, UBL): XRECHNUNG_INVOICE,
        (DocumentKind.CREDIT_NOTE, UBL): XRECHNUNG_CREDIT_NOTE,
    },
    write=document_xml,
    adapt=as_xrechnung,
)
