"""DKIM signatures (RFC 6376), by dkimpy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

# What a receiver shows, or replies to. From, Subject and To are named once more than they occur, so
# that nobody adds another one to a signed message.
_FIELDS: Final = (b"from", b"to", b"subject", b"date", b"message-id", b"reply-to")
_FIELDS_OF_CONTENT: Final = (b"mime-version", b"content-type", b"content-transfer-encoding")
_ONCE_MORE: Final = (b"from", b"to", b"subject", b"reply-to")


class InvalidKey(ValueError):
    """The private key cannot be used."""


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs for one domain.

    selector  the name under which DNS has the public key: <selector>._domainkey.<domain>
    key       the private key: RSA, PEM (PKCS #1 or PKCS #8)
    """

    domain: str
    selector: str
    key: bytes = field(repr=False)

    def check(self) -> None:
        """Raise InvalidKey if the key cannot sign."""
        self.signed(b"From: a@example.com\r\n\r\n\r\n")

    def signed(self, message: bytes) -> bytes:
        """The message with its signature as first header field. Raises InvalidKey."""
        # Most processes sign nothing.
        import dkim
        from dkim.crypto import UnparsableKeyError

        try:
            field_text = dkim.sign(
                message,
                self.selector.encode(),
                self.domain.encode(),
                self.key,
                canonicalize=(b"relaxed", b"relaxed"),
                include_headers=[*_FIELDS, *_FIELDS_OF_CONTENT, *_ONCE_MORE],
            )
        except (dkim.DKIMException, UnparsableKeyError, ValueError, IndexError, KeyError) as fault:
            raise InvalidKey(f"the key of DKIM cannot sign: {type(fault).__name__}") from fault
        return bytes(field_text) + message
