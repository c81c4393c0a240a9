"""Private keys in a PKCS#11 token: a hardware security module, a smart card, SoftHSM.

The key never leaves the token, which signs and decrypts. The library is python-pkcs11 (extra
`pkcs11`), imported only where a setting names a module. One session per process, used by one thread
at a time, opened again in a child process and after a fault of the token.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import AsymmetricPadding
from cryptography.hazmat.primitives.hashes import HashAlgorithm

from einvoice_peppol import oaep
from einvoice_peppol.identity import KeyUnavailable

# What a token says of a message that was not encrypted for the key.
_OF_CIPHERTEXT: Final = ("EncryptedDataInvalid", "EncryptedDataLenRange", "DataInvalid")
# What a token says of OAEP with SHA-256 where it knows OAEP with SHA-1 only, or none.
_NO_OAEP: Final = ("ArgumentsBad", "MechanismInvalid", "MechanismParamInvalid")
_WORDS: Final = {
    "PinIncorrect": "the PIN is wrong",
    "PinLocked": "the PIN is locked",
    "PinLenRange": "the PIN is wrong",
}


class InvalidToken(Exception):
    """A module, token or PIN that cannot be used. The message shows no secret."""


@cache
def token(module: Path, label: str, pin: str) -> Token:
    """The token, opened once in a process: a second login would be refused. Raises InvalidToken."""
    return Token(module, label, pin)


class Token:
    """A token, opened with its PIN. Raises InvalidToken. Safe to share between threads."""

    def __init__(self, module: Path, label: str, pin: str) -> None:
        self._label, self._pin = label, pin
        self._pkcs11 = _library()
        self._lock = Lock()
        self._session: Any = None
        self._pid = os.getpid()
        try:
            self._module = self._pkcs11.lib(str(module))
            self._open()
        except (self._pkcs11.PKCS11Error, RuntimeError, OSError) as fault:
            raise InvalidToken(f"{module}, token {label!r}: {_words(fault)}") from None

    def __repr__(self) -> str:
        return f"Token({self._label!r})"

    def has(self, public: rsa.RSAPublicKey) -> bool:
        """Whether the private key of a public key is in the token."""
        with self._lock:
            return self._key(_modulus(public)) is not None

    def use(self, public: rsa.RSAPublicKey, operation: Callable[[Any], bytes]) -> bytes:
        """The result of an operation with a private key; repeated once in a new session.

        Raises what the token says of the data, and KeyUnavailable.
        """
        with self._lock:
            try:
                return self._used(public, operation)
            except self._pkcs11.PKCS11Error as fault:
                if _name(fault) in (*_OF_CIPHERTEXT, *_NO_OAEP):
                    raise
            try:
                self._renew()
                return self._used(public, operation)
            except self._pkcs11.PKCS11Error as fault:
                raise KeyUnavailable(f"the token {self._label!r}: {_words(fault)}") from None

    def _used(self, public: rsa.RSAPublicKey, operation: Callable[[Any], bytes]) -> bytes:
        if self._pid != os.getpid():
            self._restart()
        key = self._key(_modulus(public))
        if key is None:
            raise KeyUnavailable(f"the token {self._label!r} has the key no longer")
        return operation(key)

    def _renew(self) -> None:
        """A new session; the module is started again if it gives none."""
        with suppress(self._pkcs11.PKCS11Error):
            self._session.close()
        try:
            self._open()
        except self._pkcs11.PKCS11Error:
            self._restart()

    def _restart(self) -> None:
        """Start the module: a child process cannot use the session of its parent."""
        self._pid = os.getpid()
        self._module.reinitialize()
        self._open()

    def _open(self) -> None:
        token = self._module.get_token(token_label=self._label)
        try:
            self._session = token.open(user_pin=self._pin)
        except self._pkcs11.exceptions.UserAlreadyLoggedIn:  # by another session of this process
            self._session = token.open()

    def _key(self, modulus: bytes) -> Any:
        names = self._pkcs11
        wanted = {
            names.Attribute.CLASS: names.ObjectClass.PRIVATE_KEY,
            names.Attribute.KEY_TYPE: names.KeyType.RSA,
            names.Attribute.MODULUS: modulus,
        }
        found = list(self._session.get_objects(wanted))
        return found[0] if found else None


class TokenKey:
    """An RSA key of a token, with the two operations of AS4."""

    def __init__(self, token: Token, public: rsa.RSAPublicKey) -> None:
        self._token, self._public = token, public
        self._mechanisms = _library()
        self._has_oaep = True

    def sign(self, data: bytes, padding: AsymmetricPadding, algorithm: HashAlgorithm) -> bytes:
        """A signature of PKCS#1 v1.5 with SHA-256, which is the only one of AS4."""
        mechanism = self._mechanisms.Mechanism.SHA256_RSA_PKCS
        return self._token.use(self._public, lambda key: bytes(key.sign(data, mechanism=mechanism)))

    def decrypt(self, ciphertext: bytes, padding: AsymmetricPadding) -> bytes:
        """The content of OAEP with SHA-256. Raises ValueError, and KeyUnavailable."""
        self._check(ciphertext)
        try:
            if self._has_oaep:
                try:
                    return self._by_oaep(ciphertext)
                except self._mechanisms.PKCS11Error as fault:
                    if _name(fault) not in _NO_OAEP:
                        raise
            content = self._unpadded(ciphertext)
            self._has_oaep = False
        except self._mechanisms.PKCS11Error as fault:
            raise ValueError(f"the token refuses the ciphertext: {_name(fault)}") from None
        return content

    def _check(self, ciphertext: bytes) -> None:
        """Refuse what no public key made: tokens answer it as if they were broken."""
        numbers = self._public.public_numbers()
        is_long_enough = len(ciphertext) == (self._public.key_size + 7) // 8
        if not is_long_enough or int.from_bytes(ciphertext, "big") >= numbers.n:
            raise ValueError("the ciphertext is not that of the key")

    def _by_oaep(self, ciphertext: bytes) -> bytes:
        names = self._mechanisms
        given = (names.Mechanism.SHA256, names.MGF.SHA256, None)
        mechanism = names.Mechanism.RSA_PKCS_OAEP
        return self._token.use(
            self._public,
            lambda key: bytes(key.decrypt(ciphertext, mechanism=mechanism, mechanism_param=given)),
        )

    def _unpadded(self, ciphertext: bytes) -> bytes:
        """For tokens without OAEP of SHA-256: they do the RSA, the padding is removed here."""
        mechanism = self._mechanisms.Mechanism.RSA_X_509
        block = self._token.use(
            self._public, lambda key: bytes(key.decrypt(ciphertext, mechanism=mechanism))
        )
        return oaep.unpadded(block.rjust(self._public.key_size // 8, b"\0"))


def _library() -> Any:
    """python-pkcs11. Raises InvalidToken if it is not installed."""
    try:
        return importlib.import_module("pkcs11")
    except ImportError:
        raise InvalidToken(
            "keys of PKCS#11 need python-pkcs11: install einvoice-peppol[pkcs11]"
        ) from None


def _modulus(public: rsa.RSAPublicKey) -> bytes:
    return public.public_numbers().n.to_bytes((public.key_size + 7) // 8, "big")


def _name(fault: Exception) -> str:
    return type(fault).__name__


def _words(fault: Exception) -> str:
    return _WORDS.get(_name(fault)) or f"{_name(fault)} {fault}".strip()
