"""Interactive sessions: one for each taxpayer and form, kept open and shared by all workers."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from einvoice import clock
from einvoice.http import HttpFault, Response
from einvoice.network.plugin_store import PluginStore
from einvoice_ksef.answers import Kind
from einvoice_ksef.calls import Calls, Failed, Refused, text_in
from einvoice_ksef.encryption import SessionKey, new_nonce
from einvoice_ksef.forms import FormCode
from einvoice_ksef.keys import Keys, Usage
from einvoice_ksef.limits import Group, Spent
from einvoice_ksef.moments import moment, moment_or_none

USED_FOR: Final = timedelta(hours=2)  # so that the list of a session stays short
_BEFORE_END: Final = timedelta(minutes=10)
_CLAIM: Final = timedelta(seconds=45)  # to open a session, for one worker at a time
_PATIENCE_SECONDS: Final = 5.0
_LEFT_EVERY: Final = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class OpenSession:
    """An open session. `until`: how long it is used; `key`: that of its invoices."""

    reference: str
    until: datetime
    key: SessionKey


class Sessions:
    """The sessions of one connection."""

    def __init__(self, calls: Calls, keys: Keys, store: PluginStore, prefix: str) -> None:
        self._calls, self._keys = calls, keys
        self._store, self._prefix = store, prefix

    def current(self, form: FormCode) -> OpenSession:
        """The session of a form, opened if there is none.

        Raises Failed, Refused, Spent, HttpFault and NoKey.
        """
        until = clock.monotonic() + _PATIENCE_SECONDS
        while clock.monotonic() < until:
            stored = self._store.get(self._key(form))
            values = json.loads(stored) if stored else {}
            ends = moment(values["until"]) if values else clock.now()
            if ends > clock.now() and "reference" in values:
                return self._session(values)
            if ends > clock.now():  # another worker opens one
                time.sleep(0.1)
                continue
            claim = json.dumps({"until": (clock.now() + clock.lasting(_CLAIM)).isoformat()})
            if self._store.change(self._key(form), stored, claim):
                return self._opened(form, claim, values.get("reference"))
        raise Spent(Group.ONLINE_SESSION, 2.0)

    def leave(self, form: FormCode, session: OpenSession) -> None:
        """Use the session no more: it takes nothing."""
        stored = self._store.get(self._key(form))
        if stored and json.loads(stored).get("reference") == session.reference:
            self._store.change(self._key(form), stored, None)

    def may_leave(self, form: FormCode) -> bool:
        """Whether a session may be left for an answer that is not known, which is noted.

        Seldom: if the next one answers the same, the session is not at fault.
        """
        key, now = f"{self._key(form)}-left", clock.now()
        left = moment_or_none(self._store.get(key))
        if left is not None and now - left < _LEFT_EVERY:
            return False
        self._store.put(key, now.isoformat())
        return True

    def _opened(self, form: FormCode, claim: str, last: str | None) -> OpenSession:
        new: str | None = None
        try:
            values = self._open(form)
            new = json.dumps(values)
            return self._session(values)
        finally:
            self._store.change(self._key(form), claim, new)
            if last is not None:
                with suppress(Failed, Refused, Spent, HttpFault):
                    self._calls.make(Group.ONLINE_SESSION, "POST", f"sessions/online/{last}/close")

    def _open(self, form: FormCode) -> dict[str, str]:
        nonce = new_nonce()
        response = with_key(
            self._keys,
            SessionKey.derived(self._calls.secret, nonce),
            lambda info: self._calls.make(
                Group.ONLINE_SESSION,
                "POST",
                "sessions/online",
                {"formCode": form.as_json(), "encryption": info},
            ),
        )
        reference = text_in(response, "referenceNumber")
        valid = moment_or_none(text_in(response, "validUntil")) or clock.now()
        ends = min(valid - _BEFORE_END, clock.now() + USED_FOR)
        return {"reference": reference, "nonce": nonce, "until": ends.isoformat()}

    def _session(self, values: Mapping[str, Any]) -> OpenSession:
        key = SessionKey.derived(self._calls.secret, values["nonce"])
        return OpenSession(values["reference"], moment(values["until"]), key)

    def _key(self, form: FormCode) -> str:
        return f"{self._prefix}-{form.system_code}"


def with_key(
    keys: Keys, session_key: SessionKey, call: Callable[[dict[str, str]], Response]
) -> Response:
    """The response to a call with EncryptionInfo; repeated once with a newer public key."""
    try:
        return call(_encryption_info(keys, session_key))
    except Failed as failed:
        if failed.fault.kind is not Kind.KEYS:
            raise
    keys.forget()
    return call(_encryption_info(keys, session_key))


def _encryption_info(keys: Keys, session_key: SessionKey) -> dict[str, str]:
    public = keys.current(Usage.SYMMETRIC_KEY)
    return {
        "encryptedSymmetricKey": public.wrapped(session_key.key),
        "initializationVector": base64.b64encode(session_key.vector).decode(),
        "publicKeyId": public.id,
    }
