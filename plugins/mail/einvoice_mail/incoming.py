"""Addresses at which tenants receive bills by mail: access points whose connections are addresses.

A connection's account is the name before the @. The LMTP service (`receiver`) puts mails into the
folder of their address; a worker reads them there (`fetch`), and the service stores the bills with
the cursor. The cursor has the names of the mails that are stored, which the next fetch removes: so
a mail is removed only after the commit, and one that is read twice is stored once.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

import structlog
from lxml import etree

from einvoice.domain.artefacts import MAIL
from einvoice.domain.environments import Environment
from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    BIS_INVOICE_CII,
    PDF_INVOICE,
    DocumentTypeId,
    ParticipantId,
)
from einvoice.domain.request import SendWarning
from einvoice.network.connections import Broken, CheckOutcome, Connection, ConnectionForm, Works
from einvoice.network.facts import Fact
from einvoice.network.mailboxes import (
    MAX_BYTES,
    MAX_DOCUMENTS,
    Fetched,
    FetchOutcome,
    FetchTerms,
    MailboxDocument,
    UnusableMessage,
)
from einvoice.network.plugin_store import PluginStore
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Evidence,
    NotRegistered,
    Registration,
)
from einvoice_mail import active_content, reading, spool
from einvoice_mail.addresses import Addresses
from einvoice_mail.imap_notes import Notes
from einvoice_mail.operation import Operation
from einvoice_mail.reading import FoundInvoice, ReadMail
from einvoice_mail.spool import Spool

NAMES: Final = {Environment.LIVE: "mail-in", Environment.TEST: "mail-in-test"}
_ACCOUNT: Final = re.compile(r"[A-Z0-9]+(?:-[A-Z0-9]+)*", re.ASCII)
_LENGTHS: Final = range(6, 41)
# Letters and digits that are not taken for each other when they are read aloud.
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_NAME_LENGTH: Final = 14
_CLOSED: Final = "the address is closed: it takes no mail"
_MAILS_A_FETCH: Final = 20
_MAX_EVIDENCE: Final = 25 * 1024 * 1024
# A mail proves no sender, and a PDF names none: there is no such participant.
UNKNOWN_SENDER: Final = ParticipantId("0000", "unknown")
_TYPES: Final[dict[str, DocumentTypeId]] = {
    "invoice": BIS_INVOICE,
    "credit-note": BIS_CREDIT_NOTE,
    "cii": BIS_INVOICE_CII,
    "pdf": PDF_INVOICE,
}
_ENCRYPTED: Final = re.compile(rb"/Encrypt\b")
_LOCKED: Final = "it is encrypted; if it asks for a password, ask the sender for a file without one"
_ENDPOINTS: Final = (
    "{*}AccountingSupplierParty/{*}Party/{*}EndpointID",
    ".//{*}SellerTradeParty/{*}URIUniversalCommunication/{*}URIID",
)

log = structlog.get_logger()


class Incoming(AccessPointBase):
    """The access point `mail-in`, or `mail-in-test`: it receives, and sends nothing."""

    network = "mail"
    capabilities = Capabilities(needs_lookup=False, named_only=True)

    def __init__(
        self,
        environment: Environment,
        domain: str,
        spool: Spool,
        store: PluginStore,
        relay: str = "",
        *,
        has_mailbox: bool = False,
    ) -> None:
        self.name = NAMES[environment]
        self.environment = environment
        self._domain, self._spool, self._relay = domain, spool, relay
        self.addresses = Addresses(store, self.name)
        self._operation = Operation(store)
        self._notes = Notes(store) if has_mailbox else None

    def serves(self, participant: ParticipantId) -> bool:
        return False

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        return NotRegistered()

    # -- the address -------------------------------------------------------------------------------

    def describe(self) -> ConnectionForm:
        label = f"Name of the address (…@{self._domain}), such as bills-x7k2"
        return ConnectionForm(account_label=label, check_every=timedelta(hours=6))

    def open(self, connection: Connection) -> CheckOutcome:
        """Take the address."""
        if len(connection.account) not in _LENGTHS or not _ACCOUNT.fullmatch(connection.account):
            reason = "a name has 6 to 40 letters and digits, with - inside"
            return Broken(connection_id=connection.id, reason=reason)
        if self.addresses.is_closed(connection):
            return Broken(connection_id=connection.id, reason=_CLOSED)
        if not self.addresses.take(connection):
            reason = "this name is taken: choose another one, which others do not guess"
            return Broken(connection_id=connection.id, reason=reason)
        return Works(connection_id=connection.id)

    def check(self, connection: Connection) -> CheckOutcome:
        return self.open(connection)

    def address_of(self, account: str) -> str:
        return f"{account.lower()}@{self._domain}"

    def new_account(self) -> str:
        return "".join(secrets.choice(_ALPHABET) for _ in range(_NAME_LENGTH)).upper()

    def close_address(self, connection: Connection) -> int:
        self.addresses.close(connection)
        return len(self._spool.folder(self.name, connection.account).waiting())

    def operation_facts(self, connections: Sequence[Connection]) -> Iterator[Fact]:
        """For the console: mails that wait for workers, and who takes them."""
        yield Fact("Mails received", spool.checked(self._spool).sentence)
        yield from self._operation.facts()
        if self._notes is not None:
            yield Fact("Mailbox", self._notes.sentence())

    # -- what has arrived --------------------------------------------------------------------------

    def fetch_terms(self) -> FetchTerms:
        return FetchTerms(every=timedelta(seconds=30), at_least=timedelta(seconds=5))

    def fetch(self, connection: Connection, cursor: str | None) -> FetchOutcome:
        """The bills of the mails that have arrived."""
        folder = self._spool.folder(self.name, connection.account)
        folder.remove(json.loads(cursor) if cursor else [])
        if self.addresses.is_closed(connection):
            if not folder.waiting():
                return Broken(connection_id=connection.id, reason=_CLOSED)
        else:
            self.addresses.refresh(connection)
        done: list[str] = []
        documents: list[MailboxDocument] = []
        unusable: list[UnusableMessage] = []
        size, waiting = 0, folder.waiting()
        for name in waiting[:_MAILS_A_FETCH]:
            content = folder.opened(name)
            mail = None if content is None else reading.read(content, self._relay)
            made = list(self._bills(connection, mail, content or b"")) if mail else []
            size += sum(len(e.content) for d in made for e in d.evidence)
            size += sum(len(d.document) for d in made)
            if documents and (size > MAX_BYTES or len(documents) + len(made) > MAX_DOCUMENTS):
                break
            documents += made
            if mail and not made and not mail.is_automatic:
                unusable.append(_unusable(mail))
            done.append(name)
        more = len(waiting) > len(done) > 0
        return Fetched(json.dumps(done), tuple(documents), more=more, unusable=tuple(unusable))

    def _bills(
        self, connection: Connection, mail: ReadMail, content: bytes
    ) -> Iterator[MailboxDocument]:
        log.info(
            "mail read",
            connection=connection.id,
            bills=len(mail.invoices),
            refused=len(mail.refused),
        )
        evidence = (Evidence(MAIL, content),) if len(content) <= _MAX_EVIDENCE else ()
        for found in mail.invoices[:50]:
            yield _bill(connection, found, mail, evidence)


def _bill(
    connection: Connection, found: FoundInvoice, mail: ReadMail, evidence: tuple[Evidence, ...]
) -> MailboxDocument:
    digest = hashlib.sha256(found.content).hexdigest()
    return MailboxDocument(
        instance_id=f"{connection.account}:{digest}",
        sender=_sender(found.root),
        document_type=_TYPES[found.kind],
        process=BIS_BILLING_PROCESS,
        document=found.content,
        evidence=evidence,
        warnings=tuple(_warnings(mail, found)),
    )


def _unusable(mail: ReadMail) -> UnusableMessage:
    """The notice to the tenant of a mail without an invoice."""
    reasons = [f"{name or 'the mail'}: {why}" for name, why in mail.refused]
    return UnusableMessage(
        mail.sender, mail.subject, tuple(reasons) or ("it has no invoice in XML and no PDF",)
    )


def _warnings(mail: ReadMail, found: FoundInvoice) -> Iterator[SendWarning]:
    """Who says to have sent it, what the own relay knows of that, and what was not taken."""
    said = mail.authentication or "nothing proves it"
    message = f"By e-mail from {mail.sender or 'nobody'}: {mail.subject}. The sender: {said}."
    yield SendWarning("mail-sender", message)
    if found.kind == "pdf" and (active := active_content.found_in(found.content)):
        message = (
            f"{found.name or 'The PDF'} has active content ({', '.join(active)}): open it in a "
            "viewer that runs nothing."
        )
        yield SendWarning("mail-active-content", message)
    if found.kind == "pdf" and _ENCRYPTED.search(found.content):
        message = f"{found.name or 'The PDF'}: {_LOCKED}."
        yield SendWarning("mail-part-refused", message)
    for name, why in mail.refused[:20]:
        yield SendWarning("mail-part-refused", f"{name or 'A part of the mail'}: {why}.")


def _sender(root: etree._Element | None) -> ParticipantId:
    """The electronic address of the seller, if the document has one of a network."""
    for path in _ENDPOINTS if root is not None else ():
        found = root.find(path) if root is not None else None
        if found is None:
            continue
        try:
            return ParticipantId.parse(f"{found.get('schemeID')}:{(found.text or '').strip()}")
        except InvalidParticipant:
            continue
    return UNKNOWN_SENDER
