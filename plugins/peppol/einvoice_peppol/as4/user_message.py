"""The header of a user message: eb:UserMessage, written and read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lxml import etree

from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice_peppol.as4.canonical import attribute, text
from einvoice_peppol.as4.errors import INVALID_HEADER, VALUE_INCONSISTENT, Refused
from einvoice_peppol.as4.names import (
    AGREEMENT,
    DEFAULT_MPC,
    EB,
    GZIP,
    INITIATOR,
    RESPONDER,
    S12,
    SEAT_TYPE,
    TEST_ACTION,
    TEST_SERVICE,
    WSU,
    q,
)
from einvoice_peppol.sbdh import PARTICIPANT_SCHEME

MESSAGING_ID: Final = "messaging"
MAX_VALUE: Final = 1000
XML: Final = "application/xml"


@dataclass(frozen=True, slots=True)
class UserMessage:
    """The values of a user message.

    timestamp    when it was made, as text in UTC with its zone
    from_seat    seat id of the sender, the common name of its certificate
    to_seat      the same of the receiver
    content_id   id of the MIME part with the payload, without cid: and angle brackets
    compressed   whether the payload is gzip, as in all messages that are written
    """

    message_id: str
    timestamp: str
    from_seat: str
    to_seat: str
    process: ProcessId
    document_type: DocumentTypeId
    conversation_id: str
    sender: ParticipantId
    receiver: ParticipantId
    content_id: str
    compressed: bool = True

    @property
    def is_test(self) -> bool:
        """Whether it is a message of the ebMS test service, which is never delivered."""
        return self.process.value == TEST_SERVICE and self.document_type.value == TEST_ACTION


# -- writing -------------------------------------------------------------------------------------


def messaging(content: str) -> str:
    """The canonical text of eb:Messaging around a message."""
    return f"{_MESSAGING_START}{content}</eb:Messaging>"


def write(message: UserMessage) -> str:
    """The canonical text of eb:Messaging with a user message."""
    return messaging(
        "<eb:UserMessage>"
        f"<eb:MessageInfo><eb:Timestamp>{text(message.timestamp)}</eb:Timestamp>"
        f"<eb:MessageId>{text(message.message_id)}</eb:MessageId></eb:MessageInfo>"
        f"{_parties(message)}"
        f"{_collaboration(message)}"
        f"{_properties(message)}"
        f"{_payload(message)}"
        "</eb:UserMessage>"
    )


def _parties(message: UserMessage) -> str:
    return (
        f'<eb:PartyInfo><eb:From><eb:PartyId type="{SEAT_TYPE}">{text(message.from_seat)}'
        f"</eb:PartyId><eb:Role>{INITIATOR}</eb:Role></eb:From>"
        f'<eb:To><eb:PartyId type="{SEAT_TYPE}">{text(message.to_seat)}'
        f"</eb:PartyId><eb:Role>{RESPONDER}</eb:Role></eb:To></eb:PartyInfo>"
    )


def _collaboration(message: UserMessage) -> str:
    return (
        f"<eb:CollaborationInfo><eb:AgreementRef>{AGREEMENT}</eb:AgreementRef>"
        f'<eb:Service type="{attribute(message.process.scheme)}">{text(message.process.value)}'
        f"</eb:Service><eb:Action>{text(str(message.document_type))}</eb:Action>"
        f"<eb:ConversationId>{text(message.conversation_id)}</eb:ConversationId>"
        "</eb:CollaborationInfo>"
    )


def _properties(message: UserMessage) -> str:
    parties = (("originalSender", message.sender), ("finalRecipient", message.receiver))
    properties = "".join(
        f'<eb:Property name="{name}" type="{PARTICIPANT_SCHEME}">{text(str(value))}</eb:Property>'
        for name, value in parties
    )
    return f"<eb:MessageProperties>{properties}</eb:MessageProperties>"


def _payload(message: UserMessage) -> str:
    return (
        f'<eb:PayloadInfo><eb:PartInfo href="cid:{attribute(message.content_id)}">'
        f'<eb:PartProperties><eb:Property name="MimeType">{XML}</eb:Property>'
        f'<eb:Property name="CompressionType">{GZIP}</eb:Property>'
        "</eb:PartProperties></eb:PartInfo></eb:PayloadInfo>"
    )


_MESSAGING_START: Final = (
    f'<eb:Messaging xmlns:S12="{S12}" xmlns:eb="{EB}" xmlns:wsu="{WSU}" '
    f'wsu:Id="{MESSAGING_ID}" S12:mustUnderstand="true">'
)


# -- reading -------------------------------------------------------------------------------------


def read(message: etree._Element) -> UserMessage:
    """The values of an eb:UserMessage. Raises Refused."""
    _check_constants(message)
    properties = _named(message, "MessageProperties/Property")
    part = _only(message, "PayloadInfo/PartInfo")
    process = _only(message, "CollaborationInfo/Service")
    return UserMessage(
        message_id=_value(message, "MessageInfo/MessageId"),
        timestamp=_value(message, "MessageInfo/Timestamp"),
        from_seat=_seat(message, "From"),
        to_seat=_seat(message, "To"),
        process=ProcessId(process.get("type", ""), _text_of(process)),
        document_type=_document_type(_value(message, "CollaborationInfo/Action")),
        conversation_id=_value(message, "CollaborationInfo/ConversationId"),
        sender=_participant(properties, "originalSender"),
        receiver=_participant(properties, "finalRecipient"),
        content_id=_content_id(part),
        compressed=_is_compressed(part),
    )


def _check_constants(message: etree._Element) -> None:
    """Check agreement, roles and channel, which are the same in all messages."""
    if message.get("mpc", DEFAULT_MPC) != DEFAULT_MPC:
        raise Refused(VALUE_INCONSISTENT, "the mpc is not the default one")
    expected = {
        "CollaborationInfo/AgreementRef": AGREEMENT,
        "PartyInfo/From/Role": INITIATOR,
        "PartyInfo/To/Role": RESPONDER,
    }
    for path, value in expected.items():
        if _value(message, path) != value:
            raise Refused(VALUE_INCONSISTENT, f"{path} is not {value}")


def _seat(message: etree._Element, role: str) -> str:
    party = _only(message, f"PartyInfo/{role}/PartyId")
    if party.get("type") != SEAT_TYPE:
        raise Refused(VALUE_INCONSISTENT, f"the type of {role}/PartyId is not {SEAT_TYPE}")
    return _text_of(party)


def _document_type(action: str) -> DocumentTypeId:
    scheme, separator, value = action.partition("::")
    return DocumentTypeId(scheme, value) if separator else DocumentTypeId("", action)


def _participant(properties: dict[str, etree._Element], name: str) -> ParticipantId:
    found = properties.get(name)
    if found is None or found.get("type") != PARTICIPANT_SCHEME:
        raise Refused(VALUE_INCONSISTENT, f"the property {name} of {PARTICIPANT_SCHEME} is missing")
    try:
        return ParticipantId.parse(_text_of(found))
    except InvalidParticipant as fault:
        raise Refused(VALUE_INCONSISTENT, f"{name}: {fault}") from None


def _content_id(part: etree._Element) -> str:
    scheme, _, content_id = part.get("href", "").partition(":")
    if scheme != "cid" or not content_id:
        raise Refused(INVALID_HEADER, "PartInfo does not refer to a MIME part")
    return content_id


def _is_compressed(part: etree._Element) -> bool:
    properties = _named(part, "PartProperties/Property")
    compression = properties.get("CompressionType")
    if compression is None:
        return False
    if _text_of(compression) != GZIP or "MimeType" not in properties:
        raise Refused(VALUE_INCONSISTENT, "CompressionType must be gzip, beside a MimeType")
    return True


def _named(parent: etree._Element, path: str) -> dict[str, etree._Element]:
    """The properties at the path by their names, each of which may be there once."""
    found = parent.findall(q(EB, *path.split("/")))
    named = {each.get("name", ""): each for each in found}
    if len(named) != len(found):
        raise Refused(INVALID_HEADER, "a property is there twice")
    return named


def _value(parent: etree._Element, path: str) -> str:
    return _text_of(_only(parent, path))


def _only(parent: etree._Element, path: str) -> etree._Element:
    found = parent.findall(q(EB, *path.split("/")))
    if len(found) != 1:
        raise Refused(INVALID_HEADER, f"{path} must be there once")
    return found[0]


def _text_of(element: etree._Element) -> str:
    value = (element.text or "").strip()
    if not value or len(value) > MAX_VALUE or not value.isprintable() or len(element):
        name = etree.QName(element).localname
        raise Refused(INVALID_HEADER, f"{name} must have a value")
    return value
