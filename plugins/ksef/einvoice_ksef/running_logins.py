"""Logins that KSeF has not finished: a later call goes on with them, in any process.

A login may take minutes. A new one for each try would never end, so the reference and the token of
the operation are kept until it ends. The token is encrypted with a key that follows from what the
taxpayer logs in with.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime

from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from einvoice import clock
from einvoice.network.plugin_store import PluginStore
from einvoice_ksef.encryption import SessionKey, new_nonce
from einvoice_ksef.identity import Identity
from einvoice_ksef.moments import moment


@dataclass(frozen=True, slots=True)
class Operation:
    """A login that KSeF works on: its reference, and the token with which it is asked for."""

    reference: str
    token: str = field(repr=False)
    ends: datetime


class RunningLogin:
    """The login that is kept of one account, if there is one.

    secret  what the account logs in with; with another one nothing is found
    """

    def __init__(self, store: PluginStore, access_point: str, context: str, secret: str) -> None:
        self._store, self._secret = store, secret
        proof = hashlib.sha256(f"login {secret}".encode()).hexdigest()[:16]
        self._key = f"login-{access_point}-{context}-{proof}"

    def get(self) -> Operation | None:
        """The operation, unless its token has ended."""
        stored = self._store.get(self._key)
        if not stored:
            return None
        values = json.loads(stored)
        ends = moment(values["ends"])
        if ends <= clock.now():
            self.forget()
            return None
        key = SessionKey.derived(self._secret, values["nonce"])
        token = key.decrypted(base64.b64decode(values["token"])).decode()
        return Operation(values["reference"], token, ends)

    def keep(self, operation: Operation) -> None:
        nonce = new_nonce()
        encrypted = SessionKey.derived(self._secret, nonce).encrypted(operation.token.encode())
        values = {
            "reference": operation.reference,
            "token": base64.b64encode(encrypted).decode(),
            "nonce": nonce,
            "ends": operation.ends.isoformat(),
        }
        self._store.put(self._key, json.dumps(values))

    def forget(self) -> None:
        """The operation has ended, or is of no use."""
        self._store.put(self._key, None)


def secret_of(identity: Identity) -> str:
    """The secret of an account that logs in with a certificate."""
    key = identity.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return hashlib.sha256(key).hexdigest()
