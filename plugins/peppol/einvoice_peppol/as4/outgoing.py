"""A message to send: the payload is compressed, signed and encrypted, in this order.

The three digests of a message depend on the compressed payload, the values of the header and the
seats of both sides, and neither on the key nor on chance. Attempts that send the same payload with
the same values are therefore the same message, and a receipt of one proves all of them.
"""

from __future__ import annotations

import gzip
import uuid
from dataclasses import dataclass
from typing import Final

from cryptography import x509

from einvoice_peppol import trust
from einvoice_peppol.as4 import encryption, mime, signing, user_message
from einvoice_peppol.as4.signing import Reference
from einvoice_peppol.as4.user_message import UserMessage
from einvoice_peppol.identity import Identity

GZIP_LEVEL: Final = 6


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message to post. `references` are what its receipt must contain."""

    content: mime.Multipart
    references: tuple[Reference, ...]


def compressed(payload: bytes) -> bytes:
    """The payload as gzip, without a time: the same payload gives the same bytes."""
    return gzip.compress(payload, compresslevel=GZIP_LEVEL, mtime=0)


def signed_and_encrypted(
    message: UserMessage, payload: bytes, sender: Identity, receiver: x509.Certificate
) -> Outgoing:
    """The message with a payload (of `compressed`) for one receiver.

    Raises ValueError if a seat of the message is not that of its certificate.
    """
    _check_seats(message, sender, receiver)
    messaging = user_message.write(message)
    references = signing.references(messaging, (message.content_id, payload))
    ciphertext, security = encryption.encrypted(payload, message.content_id, receiver)
    soap = signing.envelope(messaging, security + signing.signature(sender, references))
    boundary = f"einvoice-{uuid.uuid4().hex}"
    content = mime.write(soap, message.content_id, ciphertext, boundary=boundary)
    return Outgoing(content, tuple(references))


def _check_seats(message: UserMessage, sender: Identity, receiver: x509.Certificate) -> None:
    if message.from_seat != sender.seat or message.to_seat != trust.seat_id(receiver):
        raise ValueError("the seats of the message are not those of the certificates")
