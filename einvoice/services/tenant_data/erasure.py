"""Erasing a person from a tenant's data (GDPR, article 17), and saying what stays.

A person is named by the subject of their sessions, an e-mail address or a name. What says that they
did something gets one pseudonym, made for this erasure and stored nowhere else. In the audit log
the digests of the erased parts stay, so the log is still proved whole (security/audit_chain).
Documents are kept whole for their retention, which the law demands of the tenant (article 17.3 b).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.directory import CUSTOMER, SUPPLIER
from einvoice.domain.errors import Conflict
from einvoice.security import audit_chain
from einvoice.services.account import audit, audit_sealing, tenants
from einvoice.services.account.audit_digests import values_of
from einvoice.services.account.audit_verification import ERASURE
from einvoice.services.archive import retention_periods
from einvoice.services.directory import entries as directory
from einvoice.store import tables
from einvoice.store.account import audit_seals, preferences
from einvoice.store.account.audit_seals import SealedEntry
from einvoice.store.core import db
from einvoice.store.invoices import drafts
from einvoice.store.tenant_data import erasure, tenant_moves

PAGE = 500
_DIRECTORIES = ((CUSTOMER, tables.Customer), (SUPPLIER, tables.Supplier))


@dataclass(frozen=True, slots=True)
class KeptDocuments:
    """Documents that stay: how many, until when, and the rule."""

    documents: int
    until: date
    rule: str


@dataclass(frozen=True, slots=True)
class Erasure:
    """The rows that are erased, or would be.

    pseudonym  in the place of the person; None if it was a dry run
    entries    of the directory that are deleted
    contacts   entries of the directory that lose e-mail address and phone
    drafts     of invoices that name the person, which are deleted: the law does not ask for them
    """

    pseudonym: str | None
    audit_entries: int
    done_by: int
    entries: int
    contacts: int
    share_links: int
    drafts: int
    kept: tuple[KeptDocuments, ...]


def erase(tenant_id: str, subject: str, settings: Settings, *, dry_run: bool) -> Erasure:
    """Erase a person of the tenant, open or closed. Raises NotFound, and Conflict while the tenant
    moves: who is erased here would stay at the other installation."""
    tenants.get(tenant_id)
    if not dry_run and tenant_moves.find(tenant_id) is not None:
        raise Conflict("The tenant moves to another installation: erase the person there.")
    name, pseudonym = subject.strip().lower(), f"erased-{secrets.token_hex(8)}"
    if not dry_run:
        audit_sealing.seal_all(tenant_id, settings)
    with db.reading() as connection:
        done_by = erasure.count_done_by(connection, tenant_id, [name])
        links = erasure.live_links(connection, tenant_id, name)
        begun = drafts.naming(connection, tenant_id, name)
        found = [(k, *erasure.entries(connection, t, tenant_id, name)) for k, t in _DIRECTORIES]
    if not dry_run:
        for kind, persons, contacts in found:
            for entry_id in contacts:
                directory.change(kind, tenant_id, entry_id, {"email": None, "phone": None})
            for entry_id in persons:
                directory.remove(kind, tenant_id, entry_id)
        audit_sealing.seal_all(tenant_id, settings)  # what was deleted is named in the log
    logged = list(_named(tenant_id, name))
    result = Erasure(
        pseudonym=None if dry_run else pseudonym,
        audit_entries=len(logged),
        done_by=done_by,
        entries=sum(len(persons) for _, persons, _ in found),
        contacts=sum(len(contacts) for *_, contacts in found),
        share_links=len(links),
        drafts=len(begun),
        kept=tuple(_kept(tenant_id, settings)),
    )
    if not dry_run:
        _write(tenant_id, name, logged, links, begun, result)
        audit_sealing.seal_all(tenant_id, settings)
    return result


def _write(
    tenant_id: str,
    name: str,
    sequences: list[int],
    links: list[str],
    begun: list[str],
    result: Erasure,
) -> None:
    """Replace the person everywhere in one transaction, with the entry that says so."""
    pseudonym = result.pseudonym or ""
    with db.writing() as connection:
        erasure.replace_done_by(connection, tenant_id, [name], pseudonym)
        erasure.revoke_links(connection, links, clock.now())
        drafts.remove(connection, tenant_id, begun)
        erasure.end_logins(connection, erasure.logins(connection, tenant_id, [name]))
        preferences.remove_of(connection, tenant_id, [name])
        for start in range(0, len(sequences), PAGE):
            for entry in audit_seals.entries(tenant_id, sequences[start : start + PAGE]):
                erasure.replace_entry(connection, entry.sequence, _erased(entry, name, pseudonym))
        detail = {
            "auditEntries": result.audit_entries,
            "directoryEntries": result.entries + result.contacts,
            "shareLinks": result.share_links,
        }
        audit.record(connection, tenant_id, None, ERASURE, pseudonym, detail)


# -- the audit log ---------------------------------------------------------------------------------


def _named(tenant_id: str, name: str) -> Iterator[int]:
    """Sequences of the entries that name the person."""
    after = 0
    while places := audit_seals.places(tenant_id, after, PAGE):
        after = places[-1].sequence
        found = audit_seals.entries(tenant_id, [place.sequence for place in places])
        yield from (entry.sequence for entry in found if list(_parts(entry, name)))


def _parts(entry: SealedEntry, name: str) -> Iterator[str]:
    """The parts of an entry that name the person."""
    if name in {entry.actor.lower(), (entry.email or "").lower()}:
        yield audit_chain.PERSON
    if entry.target.lower() == name:
        yield audit_chain.TARGET
    if name in json.dumps(entry.detail, ensure_ascii=False).lower():
        yield audit_chain.DETAIL


def _erased(entry: SealedEntry, name: str, pseudonym: str) -> Mapping[str, Any]:
    """New values of the parts that name the person; their digests stay in place of the salts."""
    salts, gone = dict(entry.salts or {}), dict(entry.erased or {})
    new: dict[str, Any] = {}
    for part in _parts(entry, name):
        if part in salts:
            gone[part] = audit_chain.part_digest(part, values_of(entry)[part], salts.pop(part))
        new |= _REPLACED[part](pseudonym)
    return {**new, "salts": salts, "erased": gone}


_REPLACED: Mapping[str, Any] = {
    audit_chain.PERSON: lambda p: {"actor": p, "email": None, "address": None},
    audit_chain.TARGET: lambda p: {"target": p},
    audit_chain.DETAIL: lambda p: {"detail": {"erased": p}},
}


# -- what stays ------------------------------------------------------------------------------------


def _kept(tenant_id: str, settings: Settings) -> Iterator[KeptDocuments]:
    """The documents that stay, by rule, those that are kept longest first."""
    years = settings.archive_retention_years
    of_plan = retention_periods.years_of_plans([tenant_id]).get(tenant_id)
    found: dict[str, KeptDocuments] = {}
    for group in erasure.document_groups(tenant_id):
        given = None, years, of_plan
        rule = retention_periods.rule_of(group, *given).words
        until = retention_periods.keep_until(group, *given)
        before = found.get(rule, KeptDocuments(0, until, rule))
        found[rule] = KeptDocuments(
            before.documents + group.documents, max(before.until, until), rule
        )
    yield from sorted(found.values(), key=lambda one: one.until, reverse=True)
