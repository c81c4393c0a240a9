"""The caller that a request counts for before it is authenticated: a tenant, or a network."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from flask import Flask, Response, g, request

from einvoice.web.requests import network_of

MAX_KNOWN = 10_000
_known: OrderedDict[int, str] = OrderedDict()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Caller:
    """`known`: the credential was accepted before in this process, and `name` is its tenant."""

    name: str
    known: bool


def init_app(app: Flask) -> None:
    app.after_request(_remember_caller)


def _remember_caller(response: Response) -> Response:
    """Count later requests with this credential as the tenant's: it was accepted."""
    principal = g.get("session") or g.get("principal")
    if principal is not None:
        headers = request.headers
        credential = credential_of(headers.get("x-api-key", ""), headers.get("Authorization", ""))
        remember(credential, principal.tenant_id)
    return response


def credential_of(api_key: str, authorization: str) -> int:
    """A number that stands for the credential of a request; 0 without one.

    Its hash, so that no credential is kept; only shares depend on it, never access.
    """
    return hash((api_key, authorization)) if api_key or authorization else 0


def remember(credential: int, tenant_id: str) -> None:
    """Count later requests with this credential as the tenant's."""
    if not credential or _known.get(credential) == tenant_id:
        return
    with _lock:
        _known[credential] = tenant_id
        while len(_known) > MAX_KNOWN:
            _known.popitem(last=False)


def caller_of(credential: int, address: str) -> Caller:
    """The tenant of a known credential, else the network of the address.

    All clients without an address are one caller: they come over a socket, from a proxy.
    """
    tenant_id = _known.get(credential)
    if tenant_id is not None:
        return Caller(tenant_id, known=True)
    return Caller(network_of(address) if address else "", known=False)
