"""Calls about permissions: one's own, and those that are given."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, Final

from tests.networks.ksef.answers import Refused, result, shown
from tests.networks.ksef.callers import Identifier
from tests.networks.ksef.calls import Request, Route, member
from tests.networks.ksef.numbers import reference
from tests.networks.ksef.sessions import integer
from tests.networks.stand_ins import Answer

if TYPE_CHECKING:
    from tests.networks.ksef.authority import Authority

_AUTHORIZATIONS: Final = ("SelfInvoicing", "RRInvoicing", "TaxRepresentative", "PefInvoicing")


def own_permissions(authority: Authority, request: Request) -> Answer:
    """Those of the caller; that they are its own is not among them."""
    login = request.login
    values = request.json() if request.body else {}
    wanted = member(values, "permissionTypes", list, needed=False)
    context = {"type": login.context[0], "value": login.context[1]}
    granted = [
        {
            "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{login.context}{login.subject}{each}")),
            "contextIdentifier": context,
            "authorizedIdentifier": {"type": login.subject[0], "value": login.subject[1]},
            "permissionScope": each,
            "description": "permission of a test",
            "permissionState": "Active",
            "startDate": shown(login.started),
            "canDelegate": False,
        }
        for each in sorted(login.permissions)
        if not wanted or each in wanted
    ]
    size = integer(request, "pageSize", 10, 10, 100)
    start = integer(request, "pageOffset", 0, 0, 10**6) * size
    more = start + size < len(granted)
    return result({"permissions": granted[start : start + size], "hasMore": more})


def authorizations(authority: Authority, request: Request) -> Answer:
    """Permissions that the context has received from others, or has given to them."""
    values, own = request.json(), request.login.context
    kind = member(values, "queryType")
    if kind not in ("Granted", "Received"):
        raise Refused(21405, "Nieznany typ zapytania.")
    wanted = member(values, "permissionTypes", list, needed=False)
    if unknown := set(wanted or ()) - set(_AUTHORIZATIONS):
        raise Refused(21405, f"Nieznane uprawnienia {sorted(unknown)}.")
    whose = {
        name: member(values, f"{name}.value", needed=False)
        for name in ("authorizingIdentifier", "authorizedIdentifier")
    }
    found = [
        _authorization(giver, taker, permission, authority)
        for giver, takers in authority.rights.items()
        for taker, permissions in takers.items()
        for permission in sorted(permissions & set(_AUTHORIZATIONS))
        if own == (taker if kind == "Received" else giver)
        and permission in (wanted or _AUTHORIZATIONS)
        and whose["authorizingIdentifier"] in (None, giver[1])
        and whose["authorizedIdentifier"] in (None, taker[1])
    ]
    size = integer(request, "pageSize", 10, 10, 100)
    start = integer(request, "pageOffset", 0, 0, 10**6) * size
    listed = found[start : start + size]
    return result({"authorizationGrants": listed, "hasMore": start + size < len(found)})


def _authorization(
    giver: Identifier, taker: Identifier, permission: str, authority: Authority
) -> dict[str, Any]:
    return {
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"{giver}{taker}{permission}")),
        "authorizingEntityIdentifier": {"type": giver[0], "value": giver[1]},
        "authorizedEntityIdentifier": {"type": taker[0], "value": taker[1]},
        "authorizationScope": permission,
        "description": "permission of a test",
        "startDate": shown(authority.now()),
    }


def authorize(authority: Authority, request: Request) -> Answer:
    """Let another company act for the context."""
    values = request.json()
    permission = member(values, "permission")
    if permission not in _AUTHORIZATIONS:
        raise Refused(21405, "Nieznane uprawnienie.")
    subject = (member(values, "subjectIdentifier.type"), member(values, "subjectIdentifier.value"))
    member(values, "subjectDetails.fullName")
    member(values, "description")
    known = subject[0] != "PeppolId" or subject[1] in authority.providers
    if known:
        authority.grant(request.login.context, subject, permission)
    number = reference("EG", authority.now())
    authority.operations[number] = 200 if known else 410
    return result({"referenceNumber": number}, 202)


_TEXTS: Final = {
    200: "Operacja zakończona sukcesem",
    410: "Podane identyfikatory są niezgodne lub pozostają w niewłaściwej relacji",
}


def operation(authority: Authority, request: Request) -> Answer:
    code = authority.operations.get(request.params["referenceNumber"])
    if code is None:
        raise Refused(21405, "Nie znaleziono operacji.")
    status: dict[str, Any] = {"code": code, "description": _TEXTS[code]}
    return result({"status": status})


ROUTES: Final = (
    Route("POST", "/permissions/query/personal/grants", own_permissions),
    Route(
        "POST",
        "/permissions/query/authorizations/grants",
        authorizations,
        any_of=("CredentialsManage", "CredentialsRead", "PefInvoiceWrite"),
    ),
    Route("POST", "/permissions/authorizations/grants", authorize, any_of=("CredentialsManage",)),
    Route("GET", "/permissions/operations/{referenceNumber}", operation),
)
