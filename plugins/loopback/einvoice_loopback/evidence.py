"""The evidence of the simulator. All of it says that nothing was sent.

Every document is a function of the envelope and a stored time, so a repeated poll returns the same
bytes, and identical evidence is stored once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from xml.sax.saxutils import escape

from einvoice import clock
from einvoice.domain.artefacts import AUTHORITY_RECEIPT, INVOICE_RESPONSE, MLS, ArtefactKind
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, ParticipantId
from einvoice.domain.responses import STATUS_OF_CODE, ReceiverResponse, ResponseStatus
from einvoice.network.types import Envelope, Evidence, Inbound, receipt
from einvoice_loopback.participants import Authority

NOTICE = "SIMULATION: no document left this service, and none was received."
BUYER = "Simulated buyer"
# Reasons of the code list OPStatusReason for the response code RE.
REASONS = (
    ("REF", "Simulated: the purchase order reference is not known to us."),
    ("PRI", "Simulated: the price of line 1 is not the agreed one."),
)
# Of CA: what the buyer expects before it accepts.
CONDITION = (("DEL", "Simulated: the delivery of line 1 is still to be confirmed."),)


def message_id(envelope: Envelope) -> str:
    """The simulated message's id, the same for all attempts."""
    return f"{envelope.transmission_id}@simulator"


def delivery_receipt(envelope: Envelope, delivered_at: datetime) -> Evidence:
    """The receipt of a simulated delivery."""
    digest = hashlib.sha256(envelope.document).hexdigest()
    return receipt(
        f"""<?xml version="1.0" encoding="UTF-8"?>
<SimulatedReceipt xmlns="urn:einvoice:simulator:receipt:1">
  <Notice>{NOTICE}</Notice>
  <Network>simulator</Network>
  <Environment>test</Environment>
  <MessageId>{escape(message_id(envelope))}</MessageId>
  <Sender>{escape(str(envelope.sender))}</Sender>
  <Receiver>{escape(str(envelope.named_receiver))}</Receiver>
  <DocumentType>{escape(str(envelope.document_type))}</DocumentType>
  <DocumentSha256>{digest}</DocumentSha256>
  <DeliveredAt>{clock.timestamp(delivered_at)}</DeliveredAt>
</SimulatedReceipt>
""".encode()
    )


def arrival_receipt(inbound: Inbound, at: datetime) -> bytes:
    """The receipt that the simulated sender of a document gets."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<SimulatedReceipt xmlns="urn:einvoice:simulator:receipt:1">
  <Notice>{NOTICE}</Notice>
  <MessageId>{escape(inbound.instance_id)}</MessageId>
  <Sender>{escape(str(inbound.sender))}</Sender>
  <Receiver>{escape(str(inbound.receiver))}</Receiver>
  <DocumentSha256>{hashlib.sha256(inbound.document).hexdigest()}</DocumentSha256>
  <ReceivedAt>{clock.timestamp(at)}</ReceivedAt>
</SimulatedReceipt>
""".encode()


def authority_receipt(envelope: Envelope, authority: Authority, at: datetime) -> Evidence:
    """The receipt of an authority, with the number that it gives in the form of its network."""
    number = {Authority.KSEF: _ksef_number, Authority.ANAF: _anaf_index}[authority](envelope, at)
    content = f"""<?xml version="1.0" encoding="UTF-8"?>
<SimulatedAuthorityReceipt xmlns="urn:einvoice:simulator:authority-receipt:1">
  <Notice>{NOTICE}</Notice>
  <Authority>{authority.name}</Authority>
  <Number>{number}</Number>
  <Invoice>{escape(envelope.number)}</Invoice>
  <ReceivedAt>{clock.timestamp(at)}</ReceivedAt>
</SimulatedAuthorityReceipt>
""".encode()
    return Evidence(AUTHORITY_RECEIPT, content, authority_reference=number)


def _ksef_number(envelope: Envelope, at: datetime) -> str:
    """NIP, day, twelve hexadecimal digits, and a CRC-8 (polynomial 0x07) of them all."""
    digest = hashlib.sha256(envelope.transmission_id.encode()).hexdigest()[:12].upper()
    number = f"5265877635-{at:%Y%m%d}-{digest}"
    rest = 0
    for byte in number.encode():
        rest ^= byte
        for _ in range(8):
            rest = (rest << 1) ^ 0x107 if rest & 0x80 else rest << 1
    return f"{number}-{rest:02X}"


def _anaf_index(envelope: Envelope, _: datetime) -> str:
    """Ten digits."""
    digest = hashlib.sha256(envelope.transmission_id.encode()).hexdigest()
    return str(5_000_000_000 + int(digest, 16) % 1_000_000_000)


def undeliverable(envelope: Envelope, at: datetime) -> Evidence:
    """A Message Level Status RE: the receiver's provider cannot hand the document over."""
    words = "Simulated: the mailbox of the receiver does not exist any more."
    said = ReceiverResponse(ResponseStatus.UNDELIVERABLE, at, "Simulated provider", (words,))
    return _statement(MLS, envelope, "RE", words, at, said)


def french_refusal(envelope: Envelope, at: datetime) -> Evidence:
    """The status 210 (Refusée) of a French life cycle: the buyer refuses the invoice."""
    words = "Simulated: Refusée (210), TX_TVA_ERR: the VAT rate is not the one agreed."
    said = ReceiverResponse(ResponseStatus.REJECTED, at, BUYER, (words,))
    return _statement(INVOICE_RESPONSE, envelope, "210", words, at, said)


def _statement(
    kind: ArtefactKind,
    envelope: Envelope,
    code: str,
    words: str,
    at: datetime,
    response: ReceiverResponse,
) -> Evidence:
    content = f"""<?xml version="1.0" encoding="UTF-8"?>
<SimulatedStatement xmlns="urn:einvoice:simulator:statement:1">
  <Notice>{NOTICE}</Notice>
  <MessageId>{escape(message_id(envelope))}</MessageId>
  <Code>{code}</Code>
  <Text>{escape(words)}</Text>
  <StatedAt>{clock.timestamp(at)}</StatedAt>
</SimulatedStatement>
""".encode()
    return Evidence(kind, content, response_code=code, reasons=response.reasons, response=response)


def invoice_response(
    envelope: Envelope, code: str, reasons: Sequence[tuple[str, str]], at: datetime
) -> Evidence:
    """The buyer's answer as a UBL ApplicationResponse (Peppol BIS Invoice Response 3)."""
    content = _RESPONSE.format(
        id=escape(f"IR-{envelope.transmission_id}"),
        date=at.strftime("%Y-%m-%d"),
        time=at.strftime("%H:%M:%SZ"),
        notice=NOTICE,
        sender=_party("SenderParty", envelope.named_receiver, BUYER),
        receiver=_party("ReceiverParty", envelope.sender, "Sender of the invoice"),
        code=code,
        status="".join(_status(reason, words) for reason, words in reasons),
        number=escape(envelope.number),
        kind="381" if envelope.document_type == BIS_CREDIT_NOTE else "380",
    )
    return Evidence(
        INVOICE_RESPONSE,
        content.encode(),
        response_code=code,
        reasons=tuple(words for _, words in reasons),
        response=ReceiverResponse(
            STATUS_OF_CODE[code], at, BUYER, tuple(words for _, words in reasons)
        ),
    )


def _party(role: str, participant: ParticipantId, name: str) -> str:
    return f"""<cac:{role}>
    <cbc:EndpointID schemeID="{participant.scheme}">{escape(participant.value)}</cbc:EndpointID>
    <cac:PartyLegalEntity><cbc:RegistrationName>{name}</cbc:RegistrationName></cac:PartyLegalEntity>
  </cac:{role}>"""


def _status(code: str, words: str) -> str:
    return f"""
      <cac:Status>
        <cbc:StatusReasonCode listID="OPStatusReason">{code}</cbc:StatusReasonCode>
        <cbc:StatusReason>{escape(words)}</cbc:StatusReason>
      </cac:Status>"""


_RESPONSE = """<?xml version="1.0" encoding="UTF-8"?>
<ApplicationResponse xmlns="urn:oasis:names:specification:ubl:schema:xsd:ApplicationResponse-2"
    xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
    xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
  <cbc:CustomizationID>urn:fdc:peppol.eu:poacc:trns:invoice_response:3</cbc:CustomizationID>
  <cbc:ProfileID>urn:fdc:peppol.eu:poacc:bis:invoice_response:3</cbc:ProfileID>
  <cbc:ID>{id}</cbc:ID>
  <cbc:IssueDate>{date}</cbc:IssueDate>
  <cbc:IssueTime>{time}</cbc:IssueTime>
  <cbc:Note>{notice}</cbc:Note>
  {sender}
  {receiver}
  <cac:DocumentResponse>
    <cac:Response>
      <cbc:ResponseCode listID="UNCL4343OpSubset">{code}</cbc:ResponseCode>
      <cbc:EffectiveDate>{date}</cbc:EffectiveDate>{status}
    </cac:Response>
    <cac:DocumentReference>
      <cbc:ID>{number}</cbc:ID>
      <cbc:DocumentTypeCode listID="UNCL1001">{kind}</cbc:DocumentTypeCode>
    </cac:DocumentReference>
  </cac:DocumentResponse>
</ApplicationResponse>
"""
