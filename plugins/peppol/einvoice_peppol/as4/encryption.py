"""Encryption of the payload: AES-128-GCM, with a key for the receiver by RSA-OAEP."""

from __future__ import annotations

import os
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding

from einvoice_peppol.as4.canonical import attribute, base64
from einvoice_peppol.as4.errors import FAILED_DECRYPTION, Refused
from einvoice_peppol.as4.names import (
    AES128_GCM,
    CIPHERTEXT,
    CONTENT_ONLY,
    DS,
    ENCRYPTED_KEY,
    GZIP,
    MGF1_SHA256,
    RSA_OAEP,
    SHA256,
    WSSE11,
    XENC,
    XENC11,
)
from einvoice_peppol.as4.signing import token, token_reference
from einvoice_peppol.identity import PrivateKey

KEY_BYTES: Final = 16
IV_BYTES: Final = 12
TAG_BYTES: Final = 16
RECEIVER_ID: Final = "receiver"
OAEP = padding.OAEP(mgf=padding.MGF1(hashes.SHA256()), algorithm=hashes.SHA256(), label=None)


def encrypted(content: bytes, content_id: str, receiver: x509.Certificate) -> tuple[bytes, str]:
    """The ciphertext of a compressed MIME part, and what wsse:Security says about it.

    The ciphertext is the IV, the encrypted content and the tag.
    """
    key, iv = os.urandom(KEY_BYTES), os.urandom(IV_BYTES)
    public = receiver.public_key()
    if not isinstance(public, rsa.RSAPublicKey):
        raise ValueError("the certificate of the receiver has no RSA key")
    ciphertext = iv + AESGCM(key).encrypt(iv, content, None)
    wrapped = public.encrypt(key, OAEP)
    return ciphertext, (
        token(receiver.public_bytes(Encoding.DER), RECEIVER_ID)
        + _encrypted_key(wrapped)
        + _encrypted_data(content_id)
    )


def _encrypted_key(wrapped: bytes) -> str:
    return (
        f'<xenc:EncryptedKey xmlns:xenc="{XENC}" Id="key">'
        f'<xenc:EncryptionMethod Algorithm="{RSA_OAEP}">'
        f'<ds:DigestMethod xmlns:ds="{DS}" Algorithm="{SHA256}"></ds:DigestMethod>'
        f'<xenc11:MGF xmlns:xenc11="{XENC11}" Algorithm="{MGF1_SHA256}"></xenc11:MGF>'
        "</xenc:EncryptionMethod>"
        f'<ds:KeyInfo xmlns:ds="{DS}">{token_reference(RECEIVER_ID)}</ds:KeyInfo>'
        f"<xenc:CipherData><xenc:CipherValue>{base64(wrapped)}</xenc:CipherValue>"
        "</xenc:CipherData><xenc:ReferenceList>"
        '<xenc:DataReference URI="#data"></xenc:DataReference></xenc:ReferenceList>'
        "</xenc:EncryptedKey>"
    )


def _encrypted_data(content_id: str) -> str:
    return (
        f'<xenc:EncryptedData xmlns:xenc="{XENC}" Id="data" MimeType="{GZIP}" '
        f'Type="{CONTENT_ONLY}"><xenc:EncryptionMethod Algorithm="{AES128_GCM}">'
        f'</xenc:EncryptionMethod><ds:KeyInfo xmlns:ds="{DS}">'
        f'<wsse:SecurityTokenReference xmlns:wsse11="{WSSE11}" wsse11:TokenType="{ENCRYPTED_KEY}">'
        '<wsse:Reference URI="#key"></wsse:Reference></wsse:SecurityTokenReference></ds:KeyInfo>'
        f'<xenc:CipherData><xenc:CipherReference URI="cid:{attribute(content_id)}">'
        f'<xenc:Transforms><ds:Transform xmlns:ds="{DS}" Algorithm="{CIPHERTEXT}"></ds:Transform>'
        "</xenc:Transforms></xenc:CipherReference></xenc:CipherData></xenc:EncryptedData>"
    )


def decrypted(ciphertext: bytes, wrapped: bytes, key: PrivateKey) -> bytes:
    """The content of an encrypted MIME part. Raises Refused."""
    try:
        content_key = key.decrypt(wrapped, OAEP)
        if len(content_key) != KEY_BYTES or len(ciphertext) < IV_BYTES + TAG_BYTES:
            raise ValueError("wrong length")
        data = memoryview(ciphertext)
        return AESGCM(content_key).decrypt(data[:IV_BYTES], data[IV_BYTES:], None)
    except (ValueError, InvalidTag):
        # One message for all causes: differences would help to find the key (XML Encryption, 6.1).
        raise Refused(FAILED_DECRYPTION, "the payload cannot be decrypted") from None
