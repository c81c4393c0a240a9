"""The books of the stand-in for KSeF: callers, sessions, invoices, and its clock.

The clock can be moved (`pass_time`), so that challenges and tokens end, links expire, invoices
leave the queue, and requests are allowed again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from einvoice import clock
from tests.networks.ksef import checking, packages, queries, upo
from tests.networks.ksef.answers import Forbidden, Unauthorized
from tests.networks.ksef.books import Invoice, Session
from tests.networks.ksef.callers import PERMISSIONS, Identifier, KsefToken, Login, Tokens, new_token
from tests.networks.ksef.calls import Request, Route
from tests.networks.ksef.checking import Facts, Wrong
from tests.networks.ksef.keys import Keys, digest
from tests.networks.ksef.limits import PRODUCTION, PUBLIC, Limits
from tests.networks.ksef.login import Challenge, may_come_from
from tests.networks.ksef.numbers import WARSAW, ksef_number, reference
from tests.networks.ksef.sessions import add_invoice
from tests.networks.ksef.storage import Blob, Storage
from tests.networks.ksef.texts import CANCELLED
from tests.networks.stand_ins import Answer

SESSION_LIMITS: Final = {
    "maxInvoiceSizeInMB": 1,
    "maxInvoiceWithAttachmentSizeInMB": 3,
    "maxInvoices": 10_000,
}

UPLOAD_TIME: Final = timedelta(minutes=20)  # for each part of a batch

# What the network says of an invoice before its own checks: a status, or None.
Verdict = Callable[[Facts], tuple[int, tuple[str, ...]] | None]


class Authority:
    """The authority.

    delay          how long an invoice is processed; for half of it its status is 100, then 150
    login_delay    how long a login is processed
    storage_delay  from the number of an invoice to its permanent storage
    lag            how far the high-water mark stays behind the clock
    production     tax numbers need their check digit, and self-signed certificates are refused
    verdict        decides about invoices before the checks, for statuses 500 and 550
    no_sends       references of sessions that take no invoice, each with the code it answers
    in_english     reasons of refused logins come in English
    export_delay   how long an export is built; None: as an invoice is processed
    not_ready      KSeF numbers that are listed and cannot be fetched yet (21165)
    withheld       KSeF numbers that are listed and refused to this account (403)
    listed_as      members of the entry of a KSeF number in lists that differ from its invoice
    """

    def __init__(self, delay: timedelta = timedelta(0), *, production: bool = False) -> None:
        self.delay, self.production = delay, production
        self.login_delay = self.storage_delay = self.lag = timedelta(0)
        self.verdict: Verdict = lambda facts: None
        self.export_delay: timedelta | None = None
        self.no_sends: dict[str, int] = {}
        self.in_english = False
        self.not_ready: set[str] = set()
        self.withheld: set[str] = set()
        self.listed_as: dict[str, dict[str, Any]] = {}
        self.warning: str | None = None
        self.unknown_members = False  # answers have members that are not published
        self.moved = timedelta(0)
        self.lock = threading.RLock()
        self.keys = Keys(self.now())
        self.seal = upo.new_seal(self.now())
        self.limits = Limits()
        self.session_limits = {
            "onlineSession": dict(SESSION_LIMITS),
            "batchSession": dict(SESSION_LIMITS),
        }
        self.storage = Storage()
        # People and their rights:
        self.rights: dict[Identifier, dict[Identifier, set[str]]] = {}  # context → subject → …
        self.providers: set[str] = set()  # of Peppol services, known from their first login
        self.blocked: set[Identifier] = set()  # contexts
        self.subjects: dict[str, str] = {}  # tax number → kind, of test data
        self.operations: dict[str, int] = {}  # of permissions → status
        self.attachments: set[str] = set()  # tax numbers that may send attachments
        self.revoked_certificates: set[int] = set()
        self.suspended_certificates: set[int] = set()
        # Logins:
        self.challenges: dict[str, Challenge] = {}
        self.logins: dict[str, Login] = {}
        self.tokens = Tokens()
        self.ksef_tokens: dict[str, KsefToken] = {}
        self.refused_signatures: list[str] = []
        # Invoices:
        self.sessions: dict[str, Session] = {}
        self.waiting: list[Invoice] = []
        self.closing: list[Session] = []
        self.unpacking: list[Session] = []
        self.exports: dict[str, queries.Export] = {}
        self.query_most = self.export_most = 10_000
        self.archive: dict[str, Invoice] = {}  # by number
        self._keys: dict[tuple[str, str, str], Invoice] = {}

    # -- time --------------------------------------------------------------------------------------

    def now(self) -> datetime:
        return clock.now() + self.moved

    def pass_time(self, **given: float) -> None:
        with self.lock:
            self.moved += timedelta(**given)

    # -- callers -----------------------------------------------------------------------------------

    def grant(self, context: Identifier, subject: Identifier, *permissions: str) -> None:
        """Let a subject act for a context."""
        self.rights.setdefault(context, {}).setdefault(subject, set()).update(permissions)

    def permissions_of(self, context: Identifier, subject: Identifier) -> frozenset[str]:
        """The owner of a tax number has all permissions for it, a provider of Peppol its own."""
        if context == subject and context[0] == "PeppolId":
            self.providers.add(context[1])
            return frozenset({"PefInvoiceWrite"})
        if context == subject or (subject[0] == "Nip" and context[1].startswith(f"{subject[1]}-")):
            return frozenset(PERMISSIONS)
        return frozenset(self.rights.get(context, {}).get(subject, ()))

    def issue_token(self, nip: str, *permissions: str) -> str:
        """A KSeF token for a taxpayer; with all permissions, unless some are given."""
        granted = frozenset(permissions or PERMISSIONS)
        owner = ("Nip", nip)
        made = new_token(owner, owner, granted, "token of a test", self.now())
        self.ksef_tokens[made.text] = made
        return made.text

    def answer(self, route: Route, request: Request) -> Answer:
        """The answer to a call. Raises Refusal."""
        with self.lock:
            self.settle()
            if route.bearer is not None:
                request.caller = self._caller(route, request)
            self._count(route, request)
            return route.handler(self, request)

    def _caller(self, route: Route, request: Request) -> Login:
        login = self.tokens.login(request.bearer, route.bearer or "", self.now())
        if login is None or (login.code == 425 and route.bearer != "authentication"):
            raise Unauthorized
        if not may_come_from(login, request.ip):
            raise Forbidden("ip-not-allowed", clientIp=request.ip)
        if route.any_of and not login.permissions & set(route.any_of):
            raise Forbidden(
                "missing-permissions",
                requiredAnyOfPermissions=list(route.any_of),
                presentPermissions=sorted(login.permissions),
            )
        return login

    def _count(self, route: Route, request: Request) -> None:
        counter = route.name if route.group == "other" else route.group
        if request.caller is None:
            self.limits.count(request.ip, "public", counter, PUBLIC, self.now())
            return
        context = ":".join(request.caller.context)
        limit = self.limits.of(context)[route.group]
        self.limits.count(f"{context} {request.ip}", route.group, counter, limit, self.now())

    def use_production_limits(self) -> None:
        self.limits.default = dict(PRODUCTION)

    # -- processing --------------------------------------------------------------------------------

    def settle(self) -> None:
        """Decide about invoices and sessions whose time has come, in their order."""
        now = self.now()
        for session in [s for s in self.sessions.values() if s.code == 100 and not s.batch]:
            if session.until <= now:
                self.close(session)
        self._unpack_batches(now)
        left = []
        for invoice in self.waiting:
            age = now - invoice.received
            if age < self.delay:
                invoice.code = 150 if age * 2 >= self.delay else 100
                left.append(invoice)
            else:
                self._decide(invoice, invoice.received + self.delay)
        self.waiting = left
        self.closing = [each for each in self.closing if not self._finish(each)]

    def _unpack_batches(self, now: datetime) -> None:
        for session in [s for s in self.sessions.values() if s.code == 100 and s.batch]:
            if now - session.created >= UPLOAD_TIME * len(session.parts):
                session.fail(440, "Przekroczono czas wysyłki")
        waiting = self.unpacking
        self.unpacking = []
        for session in waiting:
            assert session.closed is not None
            if (now - session.closed) * 2 < self.delay:
                self.unpacking.append(session)
                continue
            try:
                files = packages.unpacked(session)
            except Wrong as wrong:
                session.fail(wrong.code)
                continue
            for name, content in files:
                hashed = digest(content)
                made = add_invoice(
                    session, hashed, content, session.closed, offline=session.offline
                )
                made.file_name = name
                self.waiting.append(made)
            self.closing.append(session)

    def _decide(self, invoice: Invoice, at: datetime) -> None:
        try:
            invoice.facts = self._accepted(invoice)
        except Wrong as wrong:
            invoice.code, invoice.details = wrong.code, wrong.details
            invoice.extensions = wrong.extensions
            return
        # An invoice of an earlier day is one issued offline, whatever was declared.
        began = invoice.session.created if invoice.session.batch else invoice.received
        if invoice.facts.issued < began.astimezone(WARSAW).date().isoformat():
            invoice.mode = "Offline"
        invoice.code = 200
        invoice.acquired = max(at, invoice.received)
        invoice.ksef_number = ksef_number(invoice.facts.seller, invoice.received)
        invoice.stored = invoice.acquired + self.storage_delay
        self.archive[invoice.ksef_number] = invoice
        self._keys[invoice.facts.key] = invoice

    def _accepted(self, invoice: Invoice) -> Facts:
        """What the invoice says, if nothing is wrong. Raises Wrong."""
        session = invoice.session
        if session.code == 415:
            raise Wrong(405)
        if invoice.content is None:
            raise Wrong(435)
        facts = invoice.facts = checking.read(invoice.content, session.form)
        if (said := self.verdict(facts)) is not None:
            raise Wrong(said[0], *(said[1] or ((CANCELLED,) if said[0] == 550 else ())))
        self._check_permission(session.login, facts)
        if facts.attachment and not self._may_attach(invoice, facts):
            raise Wrong(415)
        checking.check_meaning(facts, invoice.received, production=self.production)
        if (first := self._keys.get(facts.key)) is not None:
            raise Wrong(
                440,
                f"Duplikat faktury. Faktura o numerze KSeF: {first.ksef_number} została już "
                f"prawidłowo przesłana do systemu w sesji: {first.session.reference}",
                originalSessionReferenceNumber=first.session.reference,
                originalKsefNumber=first.ksef_number,
            )
        return facts

    def _check_permission(self, login: Login, facts: Facts) -> None:
        kind, value = login.context
        seller = ("Nip", facts.seller)
        if kind == "PeppolId":
            allowed = "PefInvoicing" in self.rights.get(seller, {}).get(login.context, ())
        else:
            granted = self.rights.get(seller, {}).get(("Nip", value.partition("-")[0]), ())
            buyer = facts.buyer.value == value and facts.self_invoicing
            allowed = value.startswith(facts.seller) or (buyer and "SelfInvoicing" in granted)
        if not allowed:
            raise Wrong(410)

    def _may_attach(self, invoice: Invoice, facts: Facts) -> bool:
        by_way = invoice.session.batch or invoice.corrects is not None
        return by_way and facts.seller in self.attachments

    # -- ends of sessions --------------------------------------------------------------------------

    def close(self, session: Session) -> None:
        """Close an interactive session."""
        session.closed = session.updated = self.now()
        if session.invoices:
            session.code = 170
            self.closing.append(session)
        else:
            session.fail(440, "Nie przesłano faktur")

    def _finish(self, session: Session) -> bool:
        """Confirm the invoices of a closed session when all are final; whether it was done."""
        assert session.closed is not None
        late = self.now() - session.closed < self.delay
        if late or not all(each.is_final for each in session.invoices):
            return False
        good = [each for each in session.invoices if each.code == 200]
        session.updated = self.now()
        if not good:
            session.fail(445)
            return True
        session.code = 200
        session.upo_reference = reference("EU", self.now())
        content = upo.confirmation(self, session, good, paged=True)
        session.upo = Blob(content, "application/xml")
        return True

    def upo_of(self, invoice: Invoice) -> Blob:
        """The UPO of an accepted invoice, always the same."""
        if invoice.upo is None:
            content = upo.confirmation(self, invoice.session, [invoice], paged=False)
            invoice.upo = Blob(content, "application/xml")
        return invoice.upo

    @property
    def high_water_mark(self) -> datetime:
        """Until when all invoices are stored."""
        return self.now() - self.lag
