"""The right of an account to issue invoices, shown by a session that is opened and closed empty.

The states of sessions may be read with other rights too, so they do not show it.
"""

from __future__ import annotations

from einvoice.http import Response
from einvoice_ksef.calls import Calls, text_in
from einvoice_ksef.encryption import SessionKey, new_nonce, new_secret
from einvoice_ksef.forms import FA
from einvoice_ksef.keys import Keys
from einvoice_ksef.limits import Group
from einvoice_ksef.sessions import with_key


def show(calls: Calls, keys: Keys) -> None:
    """Open a session for FA(3), and close it. Raises what `Calls.make` does, and NoKey."""

    def opened(info: dict[str, str]) -> Response:
        body = {"formCode": FA.as_json(), "encryption": info}
        return calls.make(Group.ONLINE_SESSION, "POST", "sessions/online", body)

    key = SessionKey.derived(new_secret(), new_nonce())
    reference = text_in(with_key(keys, key, opened), "referenceNumber")
    calls.make(Group.ONLINE_SESSION, "POST", f"sessions/online/{reference}/close")
