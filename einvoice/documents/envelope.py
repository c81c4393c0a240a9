"""The envelope that the sender of a document would give it: its type, and the two ends.

The ends are the electronic addresses of the parties (BT-34, BT-49) that are participant ids. The
buyer of a self-billed document is its sender.

>>> envelope_in(b"no XML").sender is None
True
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from einvoice import xml
from einvoice.documents.cii.tags import ram, rsm
from einvoice.documents.hybrid import is_pdf
from einvoice.documents.hybrid.opening import opened
from einvoice.documents.summary import summary
from einvoice.documents.type_id import declared_type, type_of
from einvoice.documents.ubl.tags import cac, cbc
from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import BIS_INVOICE, DocumentTypeId, ParticipantId

_CII_PARTIES = f"{rsm.SupplyChainTradeTransaction}/{ram.ApplicableHeaderTradeAgreement}"
_IN_CII = f"{ram.URIUniversalCommunication}/{ram.URIID}"
_SELLER = (
    f"{cac.AccountingSupplierParty}/{cac.Party}/{cbc.EndpointID}",
    f"{_CII_PARTIES}/{ram.SellerTradeParty}/{_IN_CII}",
)
_BUYER = (
    f"{cac.AccountingCustomerParty}/{cac.Party}/{cbc.EndpointID}",
    f"{_CII_PARTIES}/{ram.BuyerTradeParty}/{_IN_CII}",
)


@dataclass(frozen=True, slots=True)
class DocumentEnvelope:
    """The type that a sender would declare, and the ends; None: the document names no such id."""

    document_type: DocumentTypeId
    is_self_billed: bool = False
    sender: ParticipantId | None = None
    receiver: ParticipantId | None = None


def envelope_in(document: bytes) -> DocumentEnvelope:
    """The envelope of any bytes, of a PDF by the invoice that is attached to it."""
    content = opened(document).xml if is_pdf(document) else document
    try:
        root = xml.parse(xml.as_utf8(content))
    except xml.NotXml:
        return DocumentEnvelope(BIS_INVOICE)
    is_self_billed = summary(root).kind.is_self_billed
    ends = [_participant_at(root, paths) for paths in (_SELLER, _BUYER)]
    sender, receiver = reversed(ends) if is_self_billed else ends
    return DocumentEnvelope(declared_type(type_of(root)), is_self_billed, sender, receiver)


def _participant_at(root: etree._Element, paths: tuple[str, ...]) -> ParticipantId | None:
    for path in paths:
        found = root.find(path)
        if found is not None:
            try:
                return ParticipantId.parse(f"{found.get('schemeID')}:{found.text}")
            except InvalidParticipant:
                return None
    return None
