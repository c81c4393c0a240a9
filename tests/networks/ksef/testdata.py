"""Calls that exist in the test environment only: subjects, people, permissions, and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.networks.ksef.answers import Refused
from tests.networks.ksef.callers import NIP, PERMISSIONS, Identifier
from tests.networks.ksef.calls import Handler, Request, Route, member
from tests.networks.ksef.limits import PRODUCTION
from tests.networks.stand_ins import Answer

if TYPE_CHECKING:
    from tests.networks.ksef.authority import Authority

DONE: Final = Answer(200)


def _nip(values: dict[str, Any], name: str) -> str:
    found: str = member(values, name)
    if not NIP.fullmatch(found):
        raise Refused(21405, f"Pole '{name}' nie jest numerem NIP.")
    return found


def _identifier(values: dict[str, Any], name: str) -> Identifier:
    return member(values, f"{name}.type"), member(values, f"{name}.value")


def add_subject(authority: Authority, request: Request) -> Answer:
    values = request.json()
    nip, kind = _nip(values, "subjectNip"), member(values, "subjectType")
    if kind not in ("EnforcementAuthority", "VatGroup", "JST"):
        raise Refused(21405, "Nieznany rodzaj podmiotu.")
    member(values, "description")
    if nip in authority.subjects:
        raise Refused(30001, f"Podmiot {nip} już istnieje.")
    authority.subjects[nip] = kind
    return DONE


def remove_subject(authority: Authority, request: Request) -> Answer:
    authority.subjects.pop(_nip(request.json(), "subjectNip"), None)
    return DONE


def add_person(authority: Authority, request: Request) -> Answer:
    """A person with the permissions of an owner for a tax number."""
    values = request.json()
    nip, pesel = _nip(values, "nip"), member(values, "pesel")
    member(values, "isBailiff", bool)
    member(values, "description")
    if nip in authority.subjects:
        raise Refused(30001, f"Osoba {nip} już istnieje.")
    authority.subjects[nip] = "person"
    authority.grant(("Nip", nip), ("Pesel", pesel), *PERMISSIONS)
    return DONE


def remove_person(authority: Authority, request: Request) -> Answer:
    nip = _nip(request.json(), "nip")
    authority.subjects.pop(nip, None)
    authority.rights.pop(("Nip", nip), None)
    return DONE


def add_permissions(authority: Authority, request: Request) -> Answer:
    values = request.json()
    asked = [member(each, "permissionType") for each in member(values, "permissions", list)]
    if not asked or not set(asked) <= set(PERMISSIONS):
        raise Refused(21405, "Nieznane uprawnienie.")
    context = _identifier(values, "contextIdentifier")
    authority.grant(context, _identifier(values, "authorizedIdentifier"), *asked)
    return DONE


def remove_permissions(authority: Authority, request: Request) -> Answer:
    values = request.json()
    granted = authority.rights.get(_identifier(values, "contextIdentifier"), {})
    granted.pop(_identifier(values, "authorizedIdentifier"), None)
    return DONE


def allow_attachments(authority: Authority, request: Request) -> Answer:
    authority.attachments.add(_nip(request.json(), "nip"))
    return DONE


def refuse_attachments(authority: Authority, request: Request) -> Answer:
    authority.attachments.discard(_nip(request.json(), "nip"))
    return DONE


def block(authority: Authority, request: Request) -> Answer:
    authority.blocked.add(_identifier(request.json(), "contextIdentifier"))
    return DONE


def unblock(authority: Authority, request: Request) -> Answer:
    authority.blocked.discard(_identifier(request.json(), "contextIdentifier"))
    return DONE


def _context(request: Request) -> str:
    return ":".join(request.login.context)


def set_limits(authority: Authority, request: Request) -> Answer:
    values = request.json()
    names = ("perSecond", "perMinute", "perHour")
    authority.limits.own[_context(request)] = {
        group: tuple(member(values, f"rateLimits.{group}.{name}", int) for name in names)  # type: ignore[misc]
        for group in PRODUCTION
    }
    return DONE


def set_production_limits(authority: Authority, request: Request) -> Answer:
    authority.limits.own[_context(request)] = dict(PRODUCTION)
    return DONE


def reset_limits(authority: Authority, request: Request) -> Answer:
    authority.limits.own.pop(_context(request), None)
    return DONE


def _public(method: str, path: str, handler: Handler) -> Route:
    return Route(method, f"/testdata{path}", handler, None, sandbox=True)


def _protected(method: str, path: str, handler: Handler) -> Route:
    return Route(method, f"/testdata{path}", handler, sandbox=True)


ROUTES: Final = (
    _public("POST", "/subject", add_subject),
    _public("POST", "/subject/remove", remove_subject),
    _public("POST", "/person", add_person),
    _public("POST", "/person/remove", remove_person),
    _public("POST", "/permissions", add_permissions),
    _public("POST", "/permissions/revoke", remove_permissions),
    _public("POST", "/attachment", allow_attachments),
    _public("POST", "/attachment/revoke", refuse_attachments),
    _public("POST", "/context/block", block),
    _public("POST", "/context/unblock", unblock),
    _protected("POST", "/rate-limits", set_limits),
    _protected("DELETE", "/rate-limits", reset_limits),
    _protected("POST", "/rate-limits/production", set_production_limits),
)
