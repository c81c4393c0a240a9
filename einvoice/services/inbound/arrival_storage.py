"""Reading an arrived document and storing it with its receipt, evidence, event and notice.

Everything is read before the transaction. A document is stored whatever it contains, once for each
message.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import artefacts as kinds
from einvoice.domain import events, ids
from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.directory import Customer, DirectoryEntry, Supplier
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.domain.invoice_head import InvoiceHead
from einvoice.domain.request import SendWarning
from einvoice.domain.trace import Trace
from einvoice.network.access_points import PEPPOL
from einvoice.network.mailboxes import StatedHead
from einvoice.network.types import Evidence
from einvoice.observability import logging
from einvoice.services.account import audit
from einvoice.services.computing.pool import Computing
from einvoice.services.directory import counterparties
from einvoice.services.directory.counterparties import Counterparty
from einvoice.services.forms import Forms
from einvoice.services.inbound import (
    document_content,
    notices,
    second_arrivals,
    supplier_accounts,
)
from einvoice.services.inbound.document_content import ReadDocument
from einvoice.services.inbound.second_arrivals import ArrivalRecord, Candidate
from einvoice.services.inbound.supplier_accounts import NamedAccounts
from einvoice.services.invoices.evidence import artefact_of
from einvoice.services.webhooks import deliveries
from einvoice.store import outbox
from einvoice.store.inbound import bill_arrivals, received
from einvoice.store.inbound import supplier_accounts as stored_accounts
from einvoice.store.inbound.received import KnownMessage, MessageKey, NewReceived, SenderNumber
from einvoice.store.inbound.supplier_accounts import NewAccount
from einvoice.store.invoices import artefacts
from einvoice.store.sending.new_documents import Addressing, DocumentContent
from einvoice.validation import CURRENT_FORM

log = logging.get(__name__)


@dataclass(frozen=True, slots=True)
class Arrival:
    """A document for a tenant.

    receiver  None: its network knows the tenant by the account
    evidence  proofs of the network, stored as artefacts
    state     the state of its Inbound; None: its access point does not follow the document
    connection_id  of the mailbox that it was fetched from
    reused_id  the sender's id of the message, if it had used it for another document before
    trace   of the request that hands it over; None: the service fetched it
    stated  its head as the network lists it, for a document that cannot be read
    warnings  of the access point, stored with the warnings on the document
    invoice_id  of a document that is stored and read again; None: it is new
    gl_account_code  of its connection, for a bill whose supplier has none
    """

    key: MessageKey
    tenant_id: str
    environment: Environment
    sender: ParticipantId
    receiver: ParticipantId | None
    document_type: DocumentTypeId
    process: ProcessId
    document: bytes = field(repr=False)
    receipt: bytes | None = None
    receipt_type: str = "application/xml"
    evidence: tuple[Evidence, ...] = ()
    state: Mapping[str, str] | None = None
    connection_id: str | None = None
    trace: Trace | None = None
    stated: StatedHead | None = None
    warnings: tuple[SendWarning, ...] = ()
    reused_id: str | None = None
    invoice_id: str | None = None
    gl_account_code: str | None = None
    seller_id: Callable[[str], ParticipantId | None] | None = None

    @property
    def sha256(self) -> str:
        return _digest(self.document)


@dataclass(frozen=True, slots=True)
class ReadArrival:
    """The rows to store of an arrival, and the traffic light of its findings.

    is_unread  it is to be judged later (later_evaluation)
    accounts   the bank accounts that it names
    same       the bill that is the same document, by another network
    """

    arrival: Arrival
    row: NewReceived
    light: str
    is_unread: bool = False
    accounts: tuple[NewAccount, ...] = ()
    same: Candidate | None = None

    @property
    def is_kept_with_bill(self) -> bool:
        """Whether it is another arrival of a bill, and none of its own."""
        return self.same is not None and _needs_no_notice(self.arrival)


def known(arrival: Arrival) -> KnownMessage | None:
    """The message that was stored before under the same key."""
    found = received.known(arrival.key) or bill_arrivals.known(arrival.key)
    if found is not None:
        _report_reuse(arrival, found)
    return found


def known_among(arrivals: Iterable[Arrival]) -> dict[MessageKey, KnownMessage]:
    """The messages that were stored before under the keys of these, which have notices: further
    arrivals of bills have none."""
    return received.known_among([arrival.key for arrival in arrivals])


def _report_reuse(arrival: Arrival, found: KnownMessage) -> None:
    if found.sha256 != arrival.sha256:
        log.error(
            "message id used for another document",
            access_point=arrival.key.access_point,
            invoice=found.invoice_id,
        )


def under_own_id(arrival: Arrival) -> Arrival:
    """The arrival of a document whose sender has used its id for another one before.

    The id of its key is made of the sender's and of the bytes: a repeat has the same key, and any
    other document another one.
    """
    given = arrival.key.instance_id
    own = f"reused:{_digest(f'{given} {arrival.sha256}'.encode())}"
    log.warning("message id used for another document", access_point=arrival.key.access_point)
    return replace(arrival, key=replace(arrival.key, instance_id=own), reused_id=given)


def read(arrival: Arrival, computing: Computing, forms: Forms) -> ReadArrival:
    """Read and validate the document; raises nothing for any bytes."""
    return read_all([arrival], computing, forms)[0]


def read_all(arrivals: Sequence[Arrival], computing: Computing, forms: Forms) -> list[ReadArrival]:
    """`read` of several documents, whose suppliers are found together.

    Of two documents of one sender and number the second is a possible duplicate.
    """
    opened = [(arrival, _opened(arrival, computing, forms)) for arrival in arrivals]
    return _matched([(_named(arrival, document), document) for arrival, document in opened])


def _named(arrival: Arrival, document: ReadDocument) -> Arrival:
    """The arrival with the sender that its document names, where it was not known before."""
    tax_id = document.head.as_head().supplier_tax_id
    named = arrival.seller_id(tax_id) if arrival.seller_id and tax_id else None
    return arrival if named is None else replace(arrival, sender=named)


def unread(arrival: Arrival) -> ReadArrival:
    """The document with nothing of its content, for one whose content cannot be stored."""
    bare = replace(arrival, stated=None, warnings=())
    return _matched([(bare, document_content.not_judged(arrival.document_type))])[0]


def add(connection: Connection, new: ReadArrival) -> bool:
    """Store it in the caller's transaction; False if the message is known."""
    return bool(add_all(connection, [new]))


def add_all(connection: Connection, new: Sequence[ReadArrival]) -> set[str]:
    """Store documents in the caller's transaction; the invoice ids of those that were not known.

    Only one that an operator stores by hand is in the audit log.
    """
    for one in new:
        if one.is_kept_with_bill:
            _keep_with_bill(connection, one)
    new = [one for one in new if not one.is_kept_with_bill]
    if not new:
        return set()
    first = received.add_many(connection, [one.row for one in new])
    added = [one for one in new if one.row.invoice_id in first]
    stored_accounts.add(connection, [each for one in added for each in one.accounts])
    for one in added:
        if one.same is not None and not one.same.is_followed:
            arrival_id, now = str(ids.time_ordered(clock.now())), one.row.created_at
            bill_arrivals.take_place(connection, one.same, one.row.invoice_id, arrival_id, now)
    kept = [each for one in added for each in _artefacts(one.row, one.arrival)]
    artefacts.add_missing(connection, kept)
    deliveries.emit_many(connection, [_event(one.row) for one in added])
    for one in added:
        audit.record(connection, one.row.tenant_id, None, "bill.received", one.row.invoice_id)
    judged = [one.row for one in added if not one.is_unread]
    notices.add_first(connection, [row for row in judged if row.inbound_state is not None])
    for one in added:
        if one.is_unread:
            _judge_later(connection, one.row)
    return first


def _needs_no_notice(arrival: Arrival) -> bool:
    """Whether it was fetched from a mailbox that gets no notices about it, as e-mails are."""
    return arrival.connection_id is not None and arrival.state is None


def _keep_with_bill(connection: Connection, new: ReadArrival) -> None:
    """Store a message as another arrival of the bill, with its evidence, once."""
    same, row = new.same, new.row
    assert same is not None  # noqa: S101 - the caller has asked
    record = ArrivalRecord(
        id=str(ids.time_ordered(row.created_at)),
        tenant_id=row.tenant_id,
        environment=row.environment,
        invoice_id=same.invoice_id,
        replaced_id=None,
        access_point=row.key.access_point,
        sender=row.key.sender,
        receiver=row.key.receiver,
        instance_id=row.key.instance_id,
        sha256=row.sha256,
        created_at=row.created_at,
    )
    if bill_arrivals.add(connection, record):
        of_bill = replace(row, invoice_id=same.invoice_id, transmission_id=same.transmission_id)
        artefacts.add_missing(connection, list(_artefacts(of_bill, new.arrival)))
        log.info("bill arrived again", invoice=same.invoice_id, tenant=row.tenant_id)


def _judge_later(connection: Connection, new: NewReceived) -> None:
    outbox.enqueue(
        connection,
        kind=outbox.JUDGEMENT,
        lane=outbox.CHORES,
        subject_id=new.invoice_id,
        tenant_id=new.tenant_id,
        due_at=clock.now(),
    )


def _opened(arrival: Arrival, computing: Computing, forms: Forms) -> ReadDocument:
    own = forms.of_type(arrival.document_type) or forms.of(PEPPOL)
    return document_content.read(
        arrival.document, arrival.document_type, arrival.tenant_id, computing, own
    )


@dataclass(frozen=True, slots=True)
class _Matches:
    """The head of a document and what is known of its sender.

    suppliers, customers  of the directory; a self-billed invoice has customers
    has_number  a document with this number was received from the sender before
    """

    head: InvoiceHead
    suppliers: list[Supplier]
    customers: list[Customer]
    has_number: bool


def _matched(opened: Sequence[tuple[Arrival, ReadDocument]]) -> list[ReadArrival]:
    """The rows of documents, by the directories and bills of their tenants."""
    heads = [_head(arrival, document) for arrival, document in opened]
    arrivals = [arrival for arrival, _ in opened]
    entries_of = _matching_entries(arrivals, heads)
    repeated = _repeated_numbers(arrivals, heads)
    same = _same_documents(arrivals, heads, entries_of)
    new = [
        _new_received(arrival, document, _Matches(head, *entries_of[place], repeated[place]))
        for place, ((arrival, document), head) in enumerate(zip(opened, heads, strict=True))
    ]
    examined = supplier_accounts.examined(
        [_named_accounts(*each, row) for each, row in zip(opened, new, strict=True)]
    )
    return [
        _read(*each, row, *found, bill)
        for each, row, found, bill in zip(opened, new, examined, same, strict=True)
    ]


def _same_documents(
    arrivals: Sequence[Arrival],
    heads: Sequence[InvoiceHead],
    entries_of: Mapping[int, tuple[list[Supplier], list[Customer]]],
) -> list[Candidate | None]:
    """The bill that each of the documents is, if another network has brought it before."""
    suppliers = [[each.id for each in entries_of[place][0]] for place in range(len(arrivals))]
    return second_arrivals.same_documents(list(zip(arrivals, heads, suppliers, strict=True)))


def _head(arrival: Arrival, document: ReadDocument) -> InvoiceHead:
    """The head of a document; of one that cannot be read, what it lacks is taken from the list."""
    head = document.head.as_head()
    is_read = document.report.is_document and head.number is not None
    if is_read or arrival.stated is None:
        return head
    missing = {
        name: value
        for name, value in asdict(arrival.stated).items()
        if value is not None and getattr(head, name) is None
    }
    return replace(head, **missing)


def _matching_entries(
    arrivals: Sequence[Arrival], heads: Sequence[InvoiceHead]
) -> dict[int, tuple[list[Supplier], list[Customer]]]:
    """The directory entries of each sender: suppliers, of a self-billed invoice customers."""
    own = {n: _buyer(arrivals[n], head) for n, head in enumerate(heads) if head.is_self_billed}
    bills = {n: _seller(arrivals[n], head) for n, head in enumerate(heads) if n not in own}
    suppliers = zip(bills, counterparties.find_suppliers([*bills.values()]), strict=True)
    customers = zip(own, counterparties.find_self_billers([*own.values()]), strict=True)
    return {n: (found, []) for n, found in suppliers} | {n: ([], found) for n, found in customers}


def _seller(arrival: Arrival, head: InvoiceHead) -> Counterparty:
    name = head.supplier_name or ""
    return Counterparty(arrival.tenant_id, arrival.sender, head.supplier_tax_id, name)


def _buyer(arrival: Arrival, head: InvoiceHead) -> Counterparty:
    name = head.buyer_name or ""
    return Counterparty(arrival.tenant_id, arrival.sender, head.buyer_tax_id, name)


def _repeated_numbers(arrivals: Sequence[Arrival], heads: Sequence[InvoiceHead]) -> list[bool]:
    """Whether a document with the number of each was received from its sender before it."""
    numbers = [
        SenderNumber(
            a.tenant_id,
            a.environment.value,
            str(a.sender),
            head.number,
            head.kind,
            head.issue_date.year if head.issue_date else None,
            a.invoice_id or "",
        )
        if head.number is not None
        else None
        for a, head in zip(arrivals, heads, strict=True)
    ]
    seen = received.numbers_among([number for number in numbers if number is not None])
    repeated = []
    for number in numbers:
        repeated.append(number in seen)
        if number is not None:
            seen.add(number)
    return repeated


def _named_accounts(arrival: Arrival, opened: ReadDocument, row: NewReceived) -> NamedAccounts:
    place = arrival.tenant_id, arrival.environment.value
    invoice_id = arrival.invoice_id or row.invoice_id
    return NamedAccounts(place, row.head, opened.head.payment_accounts, invoice_id, row.created_at)


def _read(
    arrival: Arrival,
    opened: ReadDocument,
    row: NewReceived,
    warnings: Sequence[SendWarning],
    accounts: Sequence[NewAccount],
    same: Candidate | None,
) -> ReadArrival:
    if warnings:
        warned = [*(each.as_data() for each in warnings), *row.content.warnings]
        row = replace(row, content=replace(row.content, warnings=warned))
    light = opened.report.light.value
    return ReadArrival(arrival, row, light, opened.is_unread, tuple(accounts), same)


def _new_received(arrival: Arrival, opened: ReadDocument, matches: _Matches) -> NewReceived:
    now = clock.now()
    supplier = matches.suppliers[0] if len(matches.suppliers) == 1 else None
    customer = matches.customers[0] if len(matches.customers) == 1 else None
    return NewReceived(
        invoice_id=str(ids.time_ordered(now)),
        transmission_id=ids.transmission_id(now),
        tenant_id=arrival.tenant_id,
        environment=arrival.environment.value,
        head=matches.head,
        addressing=_addressing(arrival, matches.head),
        content=_content(arrival, opened, matches),
        key=arrival.key,
        syntax=opened.report.form,
        sha256=arrival.sha256,
        receipt=arrival.receipt,
        supplier_id=supplier.id if supplier else None,
        gl_account_code=_account(arrival, opened, supplier),
        customer_id=customer.id if customer else None,
        created_at=now,
        connection_id=arrival.connection_id,
        inbound_state=None if arrival.state is None else dict(arrival.state),
        trace=arrival.trace,
        reused_id=arrival.reused_id,
    )


def _account(arrival: Arrival, opened: ReadDocument, supplier: Supplier | None) -> str | None:
    """The GL account of a bill; of one that is read later, whose supplier is not known, none."""
    own = supplier.default_gl_account_code if supplier else None
    return own or (None if opened.is_unread else arrival.gl_account_code)


def _addressing(arrival: Arrival, head: InvoiceHead) -> Addressing:
    sender_country, receiver_country = head.countries
    return Addressing(
        sender=str(arrival.sender),
        receiver=None if arrival.receiver is None else str(arrival.receiver),
        sender_country=sender_country,
        receiver_country=receiver_country,
        access_point=arrival.key.access_point,
        registration_id=None,
        document_type=str(arrival.document_type),
        process=str(arrival.process),
        profile=None,
    )


def _content(arrival: Arrival, opened: ReadDocument, matches: _Matches) -> DocumentContent:
    return DocumentContent(
        original_type=opened.media_type,
        original=arrival.document,
        document=opened.ubl,
        network_document=None,
        rule_pack=opened.report.rule_set,
        rule_set_chosen_by=opened.report.chosen_by.value,
        report_form=CURRENT_FORM,
        findings=[finding.as_data() for finding in opened.report.findings],
        warnings=[
            *_warnings(opened, matches),
            *_reused(arrival.reused_id),
            *(each.as_data() for each in arrival.warnings),
            *_undecided(matches.suppliers, "supplier"),
            *_undecided(matches.customers, "customer"),
        ],
    )


def _warnings(opened: ReadDocument, matches: _Matches) -> list[Mapping[str, object]]:
    warnings: list[Mapping[str, object]] = []
    if not opened.report.is_document:
        warnings.append(SendWarning("unreadable-document").as_data())
    if matches.has_number:
        values = {"number": matches.head.number or ""}
        repeated = SendWarning("possible-duplicate", "", "invoice.number", "received", values)
        warnings.append(repeated.as_data())
    return warnings


def _reused(given: str | None) -> list[Mapping[str, object]]:
    """The warning that the sender gave the id of the message to another document before."""
    return [SendWarning("message-id-reused", values={"id": given}).as_data()] if given else []


_AMBIGUOUS = {
    "supplier": SendWarning("supplier-ambiguous", field="supplierId"),
    "customer": SendWarning("customer-ambiguous", field="customerId", variant="bill"),
}


def _undecided(found: Sequence[DirectoryEntry], role: str) -> list[Mapping[str, object]]:
    """The warning that several entries match a bill, which then has none."""
    if len(found) < 2:
        return []
    values = {f"{role}s": counterparties.named(found)}
    return [replace(_AMBIGUOUS[role], values=values).as_data()]


def _artefacts(row: NewReceived, arrival: Arrival) -> Iterator[artefacts.NewArtefact]:
    """The receipt returned to the network, which proves when the document arrived, and what the
    network gave as evidence."""
    if arrival.receipt is not None:
        given = Evidence(kinds.RECEIPT, arrival.receipt, arrival.receipt_type)
        yield _artefact(row, given)
    for evidence in arrival.evidence:
        yield _artefact(row, evidence)


def _artefact(row: NewReceived, evidence: Evidence) -> artefacts.NewArtefact:
    return artefact_of(
        evidence,
        row.head.number or row.invoice_id,
        row.created_at,
        tenant_id=row.tenant_id,
        invoice_id=row.invoice_id,
        transmission_id=row.transmission_id,
    )


def _event(new: NewReceived) -> deliveries.NewEvent:
    """transaction.received (decisions 4): ids only, no party data."""
    return deliveries.NewEvent(
        tenant_id=new.tenant_id,
        environment=new.environment,
        type=events.TRANSACTION_RECEIVED,
        invoice_id=new.invoice_id,
        payload={
            "transactionId": new.transmission_id,
            "invoiceId": new.invoice_id,
            "documentId": new.invoice_id,
            "status": NetworkStatus.RECEIVED.value,
            "senderParticipantId": new.addressing.sender,
            "receiverParticipantId": new.addressing.receiver,
            "documentTypeId": new.addressing.document_type,
            "documentNumber": new.head.number,
            "contentUrl": f"/api/invoices/{new.invoice_id}/content",
        },
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
