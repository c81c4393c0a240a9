"""Invoices and messages of the life cycle as the stand-in reads and writes them, on its own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from lxml import etree

from einvoice.xml import NotXml, parse

_PARIS = ZoneInfo("Europe/Paris")
_LABELS = {
    "200": ("10", "Déposée"), "201": ("51", "Emise"), "202": ("43", "Reçue"),
    "203": ("48", "Mise_à_disposition"), "213": ("8", "Rejetée"), "501": ("8", "Irrecevable"),
    "204": ("45", "Prise_en_charge"), "205": ("1", "Approuvée"), "206": ("49", "Approuvée"),
    "207": ("46", "En_litige"), "208": ("39", "Suspendue"), "210": ("50", "Refusée"),
    "211": ("47", "Paiement_transmis"), "212": ("47", "Encaissée"), "220": ("", "Annulée"),
    "221": ("", "ERREUR_ROUTAGE"),
}  # fmt: skip
_OF_PLATFORM = frozenset({"200", "201", "202", "203", "213", "501"})


@dataclass(frozen=True)
class Head:
    """What a message says of an invoice."""

    number: str = ""
    day: str = ""
    type: str = "380"
    seller: str = ""
    buyer: str = ""


def head_of(document: bytes) -> Head:
    """The head of an invoice in UBL or CII."""
    try:
        root = parse(document)
    except NotXml:
        return Head()
    if etree.QName(root).localname == "CrossIndustryInvoice":
        parties = "{*}SupplyChainTradeTransaction/{*}ApplicableHeaderTradeAgreement/{*}%sTradeParty"
        legal = f"{parties}/{{*}}SpecifiedLegalOrganization/{{*}}ID"
        return Head(
            root.findtext("{*}ExchangedDocument/{*}ID") or "",
            root.findtext("{*}ExchangedDocument/{*}IssueDateTime/{*}DateTimeString") or "",
            root.findtext("{*}ExchangedDocument/{*}TypeCode") or "380",
            root.findtext(legal % "Seller") or "",
            root.findtext(legal % "Buyer") or "",
        )
    party = "{*}Accounting%sParty/{*}Party/{*}PartyLegalEntity/{*}CompanyID"
    return Head(
        root.findtext("{*}ID") or "",
        (root.findtext("{*}IssueDate") or "").replace("-", ""),
        root.findtext("{*}InvoiceTypeCode") or root.findtext("{*}CreditNoteTypeCode") or "380",
        root.findtext(party % "Supplier") or "",
        root.findtext(party % "Customer") or "",
    )


def key_of(document: bytes) -> tuple[str, str, str] | None:
    """By which two files are one invoice: seller, number and year; None without them."""
    head = head_of(document)
    return (head.seller, head.number, head.day[:4]) if head.number and head.seller else None


def other_party(message: bytes) -> tuple[str, bool]:
    """The SIREN of the party that a message is for, and whether it is the seller."""
    root = parse(message)
    seller = (
        root.findtext(".//{*}ReferenceReferencedDocument/{*}IssuerTradeParty/{*}GlobalID") or ""
    )
    for party in root.iterfind("{*}ExchangedDocument/{*}RecipientTradeParty"):
        number = party.findtext("{*}GlobalID") or ""
        if party.findtext("{*}RoleCode") in ("SE", "BY"):
            return number, number == seller
    return "", False


def status(
    head: Head, code: str, at: datetime, reason: tuple[str, str] | None = None, by: str = ""
) -> bytes:
    """A message that gives an invoice a status; of the platform, or of the buyer."""
    moment = at.astimezone(_PARIS).strftime("%Y%m%d%H%M%S")
    of_platform = code in _OF_PLATFORM
    document_status, label = _LABELS[code]
    issuer = (
        "<ram:RoleCode>WK</ram:RoleCode>"
        if of_platform
        else f'<ram:GlobalID schemeID="0002">{by or head.buyer}</ram:GlobalID>'
        f"<ram:Name>{by or 'Buyer'}</ram:Name><ram:RoleCode>BY</ram:RoleCode>"
    )
    why = (
        "<ram:SpecifiedDocumentStatus>"
        f"<ram:ReasonCode>{reason[0]}</ram:ReasonCode><ram:Reason>{reason[1]}</ram:Reason>"
        "<ram:SequenceNumeric>1</ram:SequenceNumeric></ram:SpecifiedDocumentStatus>"
        if reason
        else ""
    )
    return _MESSAGE.format(
        id=f"{head.number}_{code}_{moment}#{head.type}_{head.day}",
        moment=moment,
        issuer=issuer,
        seller=head.seller,
        kind="305" if of_platform else "23",
        number=head.number,
        status=f"<ram:StatusCode>{document_status}</ram:StatusCode>" if document_status else "",
        type=head.type,
        day=head.day,
        code=code,
        label=label,
        why=why,
    ).encode()


_UN = "urn:un:unece:uncefact:data:standard"
_MESSAGE = (
    f"""<rsm:CrossDomainAcknowledgementAndResponse
 xmlns:qdt="{_UN}:QualifiedDataType:100" xmlns:udt="{_UN}:UnqualifiedDataType:100"
 xmlns:ram="{_UN}:ReusableAggregateBusinessInformationEntity:100"
 xmlns:rsm="{_UN}:CrossDomainAcknowledgementAndResponse:100">"""
    """<rsm:ExchangedDocumentContext><ram:BusinessProcessSpecifiedDocumentContextParameter>
<ram:ID>REGULATED</ram:ID></ram:BusinessProcessSpecifiedDocumentContextParameter>
<ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn.cpro.gouv.fr:1p0:CDV:invoice</ram:ID>
</ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
<rsm:ExchangedDocument><ram:ID>{id}</ram:ID><ram:IssueDateTime>
<udt:DateTimeString format="204">{moment}</udt:DateTimeString></ram:IssueDateTime>
<ram:SenderTradeParty><ram:RoleCode>WK</ram:RoleCode></ram:SenderTradeParty>
<ram:IssuerTradeParty>{issuer}</ram:IssuerTradeParty>
<ram:RecipientTradeParty><ram:GlobalID schemeID="0002">{seller}</ram:GlobalID>
<ram:RoleCode>SE</ram:RoleCode><ram:URIUniversalCommunication>
<ram:URIID schemeID="0225">{seller}</ram:URIID></ram:URIUniversalCommunication>
</ram:RecipientTradeParty></rsm:ExchangedDocument>
<rsm:AcknowledgementDocument><ram:MultipleReferencesIndicator>
<udt:Indicator>false</udt:Indicator></ram:MultipleReferencesIndicator>
<ram:TypeCode>{kind}</ram:TypeCode><ram:IssueDateTime>
<udt:DateTimeString format="204">{moment}</udt:DateTimeString></ram:IssueDateTime>
<ram:ReferenceReferencedDocument><ram:IssuerAssignedID>{number}</ram:IssuerAssignedID>{status}
<ram:TypeCode>{type}</ram:TypeCode><ram:FormattedIssueDateTime>
<qdt:DateTimeString format="102">{day}</qdt:DateTimeString></ram:FormattedIssueDateTime>
<ram:ProcessConditionCode>{code}</ram:ProcessConditionCode>
<ram:ProcessCondition>{label}</ram:ProcessCondition>
<ram:IssuerTradeParty><ram:GlobalID schemeID="0002">{seller}</ram:GlobalID></ram:IssuerTradeParty>
{why}</ram:ReferenceReferencedDocument></rsm:AcknowledgementDocument>
</rsm:CrossDomainAcknowledgementAndResponse>"""
)
