"""Web-hooks of platforms: each connection has a secret address, and a call only wakes its fetch.

What a call says is never read. The secret is part of the connection's state, which is sealed; the
store of the plugin has its digest, so that the endpoint finds the connection.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from einvoice import clock
from einvoice.network.endpoints import MIB, Endpoint, Request, Response
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import Inbox
from einvoice_fr_ctc.answers import Unreadable, members, unreadable
from einvoice_fr_ctc.client import Api, Platform

_MAX_SECRET: Final = 200  # characters
_CREATED: Final = frozenset({200, 201})
_LISTED: Final = 200
_NO_HOOKS: Final = frozenset({404, 405, 501})  # of a platform without web-hooks
_GONE: Final = frozenset({200, 202, 204, 404})


class Hooks:
    """The web-hooks of one access point."""

    def __init__(self, store: PluginStore, name: str) -> None:
        self._store, self._name = store, name

    def remember(self, secret: str, connection_id: str) -> None:
        """Note whose address it is."""
        key = self._key(secret)
        if self._store.get(key) != connection_id:
            self._store.put(key, connection_id)
            self._store.put(self._address_of(connection_id), key)

    def forget(self, connection_id: str) -> None:
        """Delete the address of a connection that was revoked, so that calls of it are 404."""
        address = self._address_of(connection_id)
        key = self._store.get(address)
        for each in (key, self._called(connection_id), address):
            if isinstance(each, str):
                self._store.put(each, None)

    def _address_of(self, connection_id: str) -> str:
        return f"hook-of-{self._name}-{connection_id}"

    def connection_of(self, secret: str) -> str | None:
        """The connection with this address; None if there is none."""
        if not 0 < len(secret) <= _MAX_SECRET:
            return None
        found = self._store.get(self._key(secret))
        return found if isinstance(found, str) else None

    def note_call(self, connection_id: str) -> None:
        """Note that a call came, which a fetch that is running sees at its end."""
        self._store.put(self._called(connection_id), clock.now().isoformat())

    def called_at(self, connection_id: str) -> str | None:
        """When the last call came; None: never."""
        found = self._store.get(self._called(connection_id))
        return found if isinstance(found, str) else None

    def _called(self, connection_id: str) -> str:
        return f"called-{self._name}-{connection_id}"

    def is_registered(self, api: Api, platform: Platform, token: str, address: str) -> bool:
        """Register the address at the platform unless it is; whether it is. Raises HttpFault."""
        try:
            listed = members(api.hooks(platform, token)).get("webhooks")
            known = listed if isinstance(listed, list) else []
            if any(isinstance(e, dict) and e.get("callbackUrl") == address for e in known):
                return True
        except Unreadable:
            return False
        return api.add_hook(platform, token, address).status in _CREATED

    def unregister(self, api: Api, platform: Platform, token: str, address: str) -> None:
        """Delete the address at the platform. Raises HttpFault, and Unreadable while it may be
        registered still."""
        answer = api.hooks(platform, token)
        if answer.status in _NO_HOOKS:
            return
        listed = members(answer).get("webhooks")
        if answer.status != _LISTED or not isinstance(listed, list):
            raise Unreadable(unreadable(answer))
        for each in listed:
            number = each.get("webhookId") if isinstance(each, dict) else None
            if isinstance(number, str) and number and each.get("callbackUrl") == address:
                removed = api.remove_hook(platform, token, number)
                if removed.status not in _GONE:
                    raise Unreadable(unreadable(removed))

    def _key(self, secret: str) -> str:
        return f"hook-{self._name}-{sha256(secret.encode()).hexdigest()}"


class Receiver:
    """Answers the calls of web-hooks of one access point."""

    def __init__(self, hooks: Hooks, name: str, inbox: Inbox) -> None:
        self._hooks, self._name, self._inbox = hooks, name, inbox

    def answer(self, request: Request) -> Response:
        """Wake the fetch of the connection whose address was called."""
        if request.method != "POST":
            return Response(405, headers={"Allow": "POST"})
        connection = self._hooks.connection_of(request.path.strip("/"))
        if connection is None:
            return Response(404)
        self._hooks.note_call(connection)
        self._inbox.wake_mailbox(self._name, connection)
        return Response(200)

    def endpoint(self) -> Endpoint:
        return Endpoint(self._name, self.answer, max_bytes=MIB)
