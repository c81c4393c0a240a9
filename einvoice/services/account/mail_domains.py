"""Domains from which a tenant sends its mails, once DNS has their records.

The service makes a key of DKIM for each domain and asks for three TXT records: one that proves the
domain is the tenant's, the public key, and an SPF record that includes the operator's servers. A
domain is verified while all of them are there: DNS is asked when a person asks, and by a worker. A
domain whose records are gone is `lost`: its mails are sent from the operator's address again, the
tenant's name is all that changes for the buyer, and the tenant is told.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField, NotFound
from einvoice.domain.events import MAIL_DOMAIN_LOST, MAIL_DOMAIN_RESTORED
from einvoice.mail import InvalidAddress, Mailbox, Outgoing, Signer, dns_records
from einvoice.mail.dns_records import Purpose, RecordState, TextsOf, Wanted
from einvoice.observability import logging
from einvoice.security import tokens
from einvoice.security.sealing import SealBroken, context_of, keyring
from einvoice.services.account import audit, tenants
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.account import mail_domains as stored
from einvoice.store.account.mail_domains import MailDomainRecord
from einvoice.store.core import db
from einvoice.store.webhooks import events

log = logging.get(__name__)

MAX_DOMAINS: Final = 10  # of a tenant
CHECK_EVERY: Final = timedelta(days=1)
MIN_PAUSE: Final = timedelta(minutes=5)
MAX_DNS_SECONDS: Final = 12.0  # of one domain
MAX_JOB_SECONDS: Final = 240.0  # in which a job begins questions
_FREE_MAILERS: Final = frozenset({
    "gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "yahoo.com", "gmx.de",
    "gmx.net", "web.de", "icloud.com", "t-online.de", "orange.fr", "free.fr", "libero.it",
})  # fmt: skip


class DomainState(StrEnum):
    """Whether mails are sent from a domain: only while it is verified."""

    PENDING = "pending"
    VERIFIED = "verified"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class OwnDomain:
    """A domain of a tenant.

    records      what DNS needs, in the order in which a person adds it, and what it has of each
    checked_at   when DNS was asked last; None: never
    verified_at  since when all that is needed is there; None: it is not
    """

    id: str
    domain: str
    state: DomainState
    records: tuple[Wanted, ...]
    created_at: datetime
    checked_at: datetime | None
    verified_at: datetime | None


def all_of(tenant_id: str, runtime: Runtime) -> list[OwnDomain]:
    """The tenant's domains by name, with what DNS had when it was asked last."""
    return [_shown(each, runtime.outgoing) for each in stored.of_tenant(tenant_id)]


def get(tenant_id: str, domain_id: str, runtime: Runtime) -> OwnDomain:
    """One domain. Raises NotFound."""
    return _shown(_found(tenant_id, domain_id), runtime.outgoing)


def add(tenant_id: str, domain: str, runtime: Runtime, by: Session | None = None) -> OwnDomain:
    """Add a domain and make its key; nothing is sent from it until DNS has its records.

    Raises InvalidField (`/domain`), Conflict (known, too many, or the installation sends no mail).
    """
    name = _checked_name(domain)
    if runtime.outgoing is None:
        raise Conflict("This service sends no mail: its operator has named no mail server.")
    record = _new(tenant_id, name, runtime)
    try:
        with db.writing_session() as database:
            tenants.locked(database, tenant_id)
            if stored.count(database.connection(), tenant_id) >= MAX_DOMAINS:
                raise Conflict(f"An account has at most {MAX_DOMAINS} domains: remove one.")
            stored.add(database.connection(), record)
            outbox.enqueue(
                database.connection(),
                kind=outbox.MAIL_DOMAIN,
                lane=outbox.CHORES,
                subject_id=record.id,
                tenant_id=tenant_id,
                due_at=record.created_at + MIN_PAUSE,
            )
            audit.record(database, tenant_id, by, "mailDomain.added", record.id, {"domain": name})
    except IntegrityError:
        raise Conflict(f"The domain {name} is in the list already.") from None
    return _shown(record, runtime.outgoing)


def remove(tenant_id: str, domain_id: str, by: Session | None = None) -> None:
    """Remove a domain and its key: mails are sent from the operator's address. Raises NotFound."""
    record = _found(tenant_id, domain_id)
    with db.writing() as connection:
        if stored.remove(connection, tenant_id, domain_id):
            detail = {"domain": record.domain}
            audit.record(connection, tenant_id, by, "mailDomain.removed", domain_id, detail)


def check(
    tenant_id: str, domain_id: str, runtime: Runtime, texts: TextsOf = dns_records.texts_of
) -> OwnDomain:
    """Ask DNS now, for up to 12 seconds; the domain after it. Raises NotFound."""
    record = _checked(_found(tenant_id, domain_id), runtime.outgoing, texts)
    return _shown(record, runtime.outgoing)


def check_rows(
    outbox_ids: Sequence[int],
    token: str,
    runtime: Runtime,
    texts: TextsOf = dns_records.texts_of,
) -> None:
    """Ask DNS about the domains of these rows; each row is due again later. Without its domain a
    row ends."""
    last_begin = clock.monotonic() + MAX_JOB_SECONDS
    for row_id, domain_id in outbox.subjects(outbox_ids, token):
        record = stored.by_id(domain_id)
        if record is None:
            with db.writing() as connection:
                outbox.complete(connection, [row_id], token)
        elif clock.monotonic() > last_begin:
            _reschedule(row_id, token, clock.now())
        elif outbox.extend_from_now(row_id, token, MAX_DNS_SECONDS + 30.0):
            record = _checked(record, runtime.outgoing, texts)
            _reschedule(row_id, token, clock.now() + _pause(record))


def _pause(record: MailDomainRecord) -> timedelta:
    """Until DNS is asked again: as long as the domain has waited, at most a day."""
    if record.state == DomainState.VERIFIED:
        return CHECK_EVERY
    return min(max(clock.now() - record.created_at, MIN_PAUSE), CHECK_EVERY)


def _reschedule(row_id: int, token: str, due: datetime) -> None:
    with db.writing() as connection:
        outbox.reschedule(connection, [(row_id, outbox.CHORES, due)], token)


# -- what is sent from it --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OwnSender:
    """The address of a tenant from which a mail is sent, and the signer of its domain."""

    mailbox: Mailbox
    signer: Signer


def sender_of(tenant_id: str, address: str, runtime: Runtime) -> OwnSender | None:
    """The sender at a verified domain; None: the mail is sent from the operator's address."""
    try:
        mailbox = Mailbox.parse(address) if address else None
    except InvalidAddress:
        return None
    record = stored.by_name(tenant_id, mailbox.domain) if mailbox else None
    if mailbox is None or record is None or record.state != DomainState.VERIFIED:
        return None
    try:
        key = keyring(runtime.settings).open(record.dkim_key, _context(record.id))
    except SealBroken as fault:
        log.error("key of a domain cannot be opened", domain=record.id, fault=str(fault))
        return None
    return OwnSender(mailbox, Signer(record.domain, record.selector, key))


def has(tenant_id: str, domain: str) -> bool:
    """Whether the tenant has the domain, verified or not."""
    return stored.by_name(tenant_id, domain) is not None


# -- records ---------------------------------------------------------------------------------------


def _wanted(record: MailDomainRecord, outgoing: Outgoing | None) -> list[Wanted]:
    """The records that DNS needs; without a mail server the include of SPF is unknown."""
    wanted = [
        Wanted(
            Purpose.VERIFICATION,
            f"_einvoice.{record.domain}",
            f"einvoice-verification={record.token}",
        ),
        Wanted(
            Purpose.DKIM,
            f"{record.selector}._domainkey.{record.domain}",
            f"v=DKIM1; k=rsa; p={record.public_key}",
        ),
    ]
    if outgoing is not None:
        servers = outgoing.bounces.rpartition("@")[2]
        wanted.append(Wanted(Purpose.SPF, record.domain, f"v=spf1 include:{servers} ~all"))
    policy = Wanted(Purpose.DMARC, f"_dmarc.{record.domain}", "v=DMARC1; p=none", required=False)
    return [*wanted, policy]


def _shown(record: MailDomainRecord, outgoing: Outgoing | None) -> OwnDomain:
    return OwnDomain(
        record.id,
        record.domain,
        DomainState(record.state),
        tuple(_with_state(each, record.records) for each in _wanted(record, outgoing)),
        record.created_at,
        record.checked_at,
        record.verified_at,
    )


def _with_state(wanted: Wanted, known: Mapping[str, Mapping[str, str]]) -> Wanted:
    said = known.get(wanted.purpose, {})
    state = RecordState(said.get("state", RecordState.UNKNOWN))
    return replace(wanted, state=state, found=said.get("found", ""))


def _checked(
    record: MailDomainRecord, outgoing: Outgoing | None, texts: TextsOf
) -> MailDomainRecord:
    """Ask DNS, and store what it has. Without an answer the state stays as it is."""
    compared = dns_records.compared_with_dns(_wanted(record, outgoing), texts)
    now = clock.now()
    state = _state_after(DomainState(record.state), compared)
    values = {
        "state": state.value,
        "records": {each.purpose.value: {"state": each.state.value, "found": each.found}
                    for each in compared},
        "checked_at": now,
        "verified_at": (record.verified_at or now) if state is DomainState.VERIFIED else None,
    }  # fmt: skip
    with db.writing() as connection:
        changed = stored.change(connection, record, values)
        if changed and state.value != record.state:
            detail = {"domain": record.domain, "state": state.value}
            action = "mailDomain.checked"
            audit.record(connection, record.tenant_id, None, action, record.id, detail)
            if state is DomainState.LOST:
                gone = [e.name for e in compared if e.required and e.state is not RecordState.FOUND]
                _tell(connection, record, MAIL_DOMAIN_LOST, missing=gone)
            elif record.state == DomainState.LOST:
                _tell(connection, record, MAIL_DOMAIN_RESTORED)
    log.info("mail domain checked", domain=record.id, state=state.value)
    return stored.find(record.tenant_id, record.id) or record


def _tell(
    connection: Connection, record: MailDomainRecord, event_type: str, **members: Sequence[str]
) -> None:
    """Tell the tenant from which address its mails are sent from now on."""
    tenant = tenants.get(record.tenant_id)
    environment = Environment.TEST if tenant.sandbox_only else Environment.LIVE
    events.emit(
        connection,
        tenant_id=record.tenant_id,
        environment=environment.value,
        event_type=event_type,
        invoice_id=None,
        payload={"domainId": record.id, "domain": record.domain, **members},
    )


def _state_after(before: DomainState, compared: Sequence[Wanted]) -> DomainState:
    needed = [each.state for each in compared if each.required]
    if RecordState.UNKNOWN in needed:
        return before
    if all(each is RecordState.FOUND for each in needed):
        return DomainState.VERIFIED
    return DomainState.PENDING if before is DomainState.PENDING else DomainState.LOST


# -- rows ------------------------------------------------------------------------------------------


def _new(tenant_id: str, name: str, runtime: Runtime) -> MailDomainRecord:
    domain_id, key = str(uuid.uuid4()), dns_records.new_key()
    return MailDomainRecord(
        id=domain_id,
        tenant_id=tenant_id,
        domain=name,
        token=tokens.new()[:32],
        selector=f"ei-{domain_id[:8]}",
        public_key=dns_records.public_key(key),
        state=DomainState.PENDING.value,
        records={},
        created_at=clock.now(),
        checked_at=None,
        verified_at=None,
        dkim_key=keyring(runtime.settings).seal(key, _context(domain_id)),
    )


def _context(domain_id: str) -> str:
    return context_of("mail_domains", domain_id, "dkim_key")


def _found(tenant_id: str, domain_id: str) -> MailDomainRecord:
    record = stored.find(tenant_id, domain_id)
    if record is None:
        raise NotFound(f"There is no domain {domain_id[:40]!r}.")
    return record


def _checked_name(text: str) -> str:
    """The domain in normal form. Raises InvalidField."""
    try:
        name = Mailbox.parse(f"a@{text.strip().rstrip('.')}").domain
    except InvalidAddress:
        message = "is not a domain such as example.com"
        raise InvalidField([FieldError("/domain", "invalid-domain", message)]) from None
    if name == "localhost" or _is_of(name, _FREE_MAILERS):
        message = f"{name} is no domain of your own: nobody but its owner puts records there"
        raise InvalidField([FieldError("/domain", "foreign-domain", message)])
    return name


def _is_of(name: str, domains: Iterable[str]) -> bool:
    return any(name == each or name.endswith(f".{each}") for each in domains)
