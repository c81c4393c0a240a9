"""Received invoices: who sent them, and what they are, read from the document itself.

A PDF is not opened here, where nothing bounds what that takes, but where it is read: its sender is
the SIREN in the tax number that the invoice in it names.
"""

from __future__ import annotations

from typing import Final

from einvoice import xml
from einvoice.documents.hybrid import is_pdf
from einvoice.documents.type_id import type_in
from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import (
    FRENCH_PROCESS,
    PDF_INVOICE,
    DocumentTypeId,
    ParticipantId,
)
from einvoice.network.mailboxes import MailboxDocument
from einvoice_fr_ctc import companies, form

UNKNOWN: Final = ParticipantId(companies.DIRECTORY, "000000000")
_UBL_SELLER: Final = "{*}AccountingSupplierParty/{*}Party"
_CII_SELLER: Final = (
    "{*}SupplyChainTradeTransaction/{*}ApplicableHeaderTradeAgreement/{*}SellerTradeParty"
)
_ADDRESSES: Final = (
    f"{_UBL_SELLER}/{{*}}EndpointID",
    f"{_CII_SELLER}/{{*}}URIUniversalCommunication/{{*}}URIID",
)
_NUMBERS: Final = (
    f"{_UBL_SELLER}/{{*}}PartyLegalEntity/{{*}}CompanyID",
    f"{_UBL_SELLER}/{{*}}PartyTaxScheme/{{*}}CompanyID",
    f"{_CII_SELLER}/{{*}}SpecifiedLegalOrganization/{{*}}ID",
    f"{_CII_SELLER}/{{*}}SpecifiedTaxRegistration/{{*}}ID",
)


def document_of(flow_id: str, content: bytes, account: str) -> MailboxDocument:
    """A received invoice, as the platform has it. `account`: of the connection."""
    siren = companies.siren_of(account)
    return MailboxDocument(
        instance_id=flow_id,
        sender=_sender(content),
        receiver=companies.address_of(siren) if siren else None,
        document_type=_type(content),
        process=FRENCH_PROCESS,
        document=content,
        seller_id=_seller_id if is_pdf(content) else None,
    )


def _seller_id(tax_id: str) -> ParticipantId | None:
    siren = companies.siren_of(tax_id)
    return companies.address_of(siren) if siren else None


def _type(content: bytes) -> DocumentTypeId:
    if is_pdf(content):
        return PDF_INVOICE
    return type_in(content) or form.INVOICE


def _sender(content: bytes) -> ParticipantId:
    """The seller's address in the directory, else the one of its SIREN."""
    if is_pdf(content):
        return UNKNOWN
    try:
        root = xml.parse(content)
    except xml.NotXml:
        return UNKNOWN
    for path in _ADDRESSES:
        for element in root.iterfind(path):
            found = _participant(element.get("schemeID", ""), (element.text or "").strip())
            if found is not None:
                return found
    texts = ((e.text or "").strip() for path in _NUMBERS for e in root.iterfind(path))
    sirens = (companies.siren_of(text) for text in texts)
    siren = next(filter(None, sirens), None)
    return companies.address_of(siren) if siren else UNKNOWN


def _participant(scheme: str, value: str) -> ParticipantId | None:
    try:
        return ParticipantId.parse(f"{scheme}:{value}")
    except InvalidParticipant:
        return None
