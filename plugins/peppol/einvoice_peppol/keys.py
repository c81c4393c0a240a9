"""Key material of an access point, from files outside of the database.

A file is PKCS#12, or PEM with a private key and its certificate (also in two files), or PEM with
the certificate of a key in a PKCS#11 token. Two
certificates may be in use at once while one is renewed: messages are signed with the one that
expires last of those in date, and opened with whichever they were encrypted for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key, pkcs12

from einvoice_peppol.as4.encryption import OAEP
from einvoice_peppol.identity import Identity, KeyUnavailable
from einvoice_peppol.tokens import Token, TokenKey

_PEM = b"-----BEGIN"
_PKCS1, _SHA256 = padding.PKCS1v15(), hashes.SHA256()


class InvalidKeys(Exception):
    """Files that hold no usable key. The message names them, and shows no secret."""


def load(paths: Sequence[Path], password: str | None) -> Identity:
    """The key and its certificate in the files, of PKCS#12 or PEM. Raises InvalidKeys."""
    shown = ", ".join(str(path) for path in paths)
    try:
        contents = [path.read_bytes() for path in paths]
    except OSError as fault:
        raise InvalidKeys(f"{shown} cannot be read: {fault.strerror}") from None
    secret = password.encode() if password else None
    try:
        if any(content.lstrip().startswith(_PEM) for content in contents):
            return _from_pem(b"\n".join(contents), secret)
        return _from_pkcs12(contents[0], secret)
    except (ValueError, TypeError) as fault:
        raise InvalidKeys(f"{shown}: {_words(fault)}") from None


def of_token(paths: Sequence[Path], token: Token) -> Identity:
    """The certificate in PEM files whose key is in a token, tried once. Raises InvalidKeys."""
    shown = ", ".join(str(path) for path in paths)
    try:
        content = b"\n".join(path.read_bytes() for path in paths)
        certificates = x509.load_pem_x509_certificates(content)
    except OSError as fault:
        raise InvalidKeys(f"{shown} cannot be read: {fault.strerror}") from None
    except ValueError:
        raise InvalidKeys(f"{shown}: there is no certificate in PEM in it") from None
    for certificate in certificates:
        public = certificate.public_key()
        if isinstance(public, rsa.RSAPublicKey) and token.has(public):
            return Identity(certificate, _tried(TokenKey(token, public), public, shown))
    raise InvalidKeys(f"{shown}: the token has no private key of a certificate in it")


def _tried(key: TokenKey, public: rsa.RSAPublicKey, shown: str) -> TokenKey:
    """The key, after it has signed and decrypted: a token may allow one use only."""
    content = os.urandom(16)
    try:
        public.verify(key.sign(content, _PKCS1, _SHA256), content, _PKCS1, _SHA256)
        if key.decrypt(public.encrypt(content, OAEP), OAEP) != content:
            raise ValueError("it decrypts wrongly")
    except (ValueError, InvalidSignature, KeyUnavailable, RuntimeError) as fault:
        raise InvalidKeys(f"{shown}: its key in the token cannot be used: {fault}") from None
    return key


def _words(fault: Exception) -> str:
    """Why a file is refused; the messages of libraries about passwords are unclear."""
    if isinstance(fault, InvalidMaterial):
        return str(fault)
    return "it is no PKCS#12 or PEM file, or the password is wrong or missing"


class InvalidMaterial(ValueError):
    """A file that can be read, without what is needed."""


def _from_pkcs12(content: bytes, password: bytes | None) -> Identity:
    key, certificate, others = pkcs12.load_key_and_certificates(content, password)
    return _identity(key, [*([certificate] if certificate else []), *others])


def _from_pem(content: bytes, password: bytes | None) -> Identity:
    key = load_pem_private_key(_private_part(content), password)
    return _identity(key, x509.load_pem_x509_certificates(content))


def _private_part(content: bytes) -> bytes:
    """The first private key among the parts of PEM."""
    for part in content.split(_PEM)[1:]:
        title = part.partition(b"\n")[0]
        if b"PRIVATE KEY" in title:
            return _PEM + part
    raise InvalidMaterial("there is no private key in it")


def _identity(key: object, certificates: Iterable[x509.Certificate]) -> Identity:
    if not isinstance(key, rsa.RSAPrivateKey):
        raise InvalidMaterial("its private key is missing or not RSA")
    numbers = key.public_key().public_numbers()
    for certificate in certificates:
        public = certificate.public_key()
        if isinstance(public, rsa.RSAPublicKey) and public.public_numbers() == numbers:
            return Identity(certificate, key)
    raise InvalidMaterial("there is no certificate of its private key in it")


def signing(identities: Sequence[Identity], now: datetime) -> Identity:
    """The identity to sign with: the one that expires last of those in date, else the first."""
    in_date = [
        each
        for each in identities
        if each.certificate.not_valid_before_utc <= now <= each.certificate.not_valid_after_utc
    ]
    return max(
        in_date, key=lambda each: each.certificate.not_valid_after_utc, default=identities[0]
    )
