"""Filters of lists of invoices, and the conditions by which the database finds them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy import and_, func, or_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import aliased
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.invoice import SELF_BILLED
from einvoice.store.core import rows
from einvoice.store.core.types import Money
from einvoice.store.tables import (
    BUYER_TAX_KEY,
    IS_SOLD,
    NEEDS_PERSON,
    Invoice,
    Received,
    Transmission,
)

Condition = sa.ColumnElement[bool]
Filters = dict[str, Condition]


@dataclass(frozen=True, slots=True)
class BuyerFilter:
    """The keys of a customer's invoices: the spellings of the participant id and the tax id as
    the directory compares it; the name if neither is known."""

    participants: Sequence[str]
    tax_key: str | None
    name: str

    @property
    def by_name(self) -> bool:
        """Whether its name alone identifies the customer."""
        return not self.participants and self.tax_key is None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceCriteria:
    """Filters that are compared as given; None means any. Days, times and amounts are inclusive.

    party      a part of the name of the other side: of the buyer of what was sold, else of the
               seller
    response   what the receiver has said of a sent invoice
    attention  only those that need a person
    failure_done  only failed ones of which a person has said that nothing is left to do; False:
               only those of which nobody has
    paid       only those that the tenant has sold and says are paid; False: its other sales
    supplier_id  only received ones from this supplier of the directory
    transaction_id  only the invoice of this transmission, be it the newest or an earlier one
    metadata  only those with these texts, by their names
    ids  only these
    """

    direction: str | None = None
    status: str | None = None
    number: str | None = None
    issued_from: date | None = None
    issued_to: date | None = None
    created_from: datetime | None = None
    created_to: datetime | None = None
    currency: str | None = None
    total_from: Decimal | None = None
    total_to: Decimal | None = None
    party: str | None = None
    text: str | None = None
    processed: bool | None = None
    response: str | None = None
    attention: bool | None = None
    failure_done: bool | None = None
    supplier_id: str | None = None
    paid: bool | None = None
    transaction_id: str | None = None
    metadata: Mapping[str, str] | None = None
    ids: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class InvoiceFilter(InvoiceCriteria):
    """Filters of a page. Participants are given in all accepted spellings; none means any.

    parties  the participant id of the other side: of the receiver of what was sent, else the sender
    """

    tenant_id: str
    environment: str
    receivers: Sequence[str] = ()
    senders: Sequence[str] = ()
    parties: Sequence[str] = ()
    buyer: BuyerFilter | None = None


# Literals, as in the partial index, which is not used with a parameter.
_RECEIVED: Condition = Invoice.direction == sa.literal_column("'received'")
_SENT: Condition = Invoice.direction == sa.literal_column("'sent'")


class _Amount(FunctionElement[Decimal]):
    """An amount as a number: on SQLite it is stored as text."""

    type = Money()
    inherit_cache = True


@compiles(_Amount, "postgresql")
def _as_stored(element: _Amount, compiler: SQLCompiler, **options: Any) -> str:
    return str(compiler.process(element.clauses, **options))


@compiles(_Amount, "sqlite")
def _as_real(element: _Amount, compiler: SQLCompiler, **options: Any) -> str:
    return f"CAST({compiler.process(element.clauses, **options)} AS REAL)"


def amount(value: Decimal | sa.ColumnElement[Any]) -> sa.ColumnElement[Decimal]:
    """A column or a value of type Money, to be compared and sorted as a number."""
    return _Amount(sa.literal(value, Money()) if isinstance(value, Decimal) else value)


class _HasTexts(FunctionElement[bool]):
    """Whether a column of JSON has a text under a name: column, object, path, text."""

    type = sa.Boolean()
    inherit_cache = True


@compiles(_HasTexts, "postgresql")
def _contains_object(element: _HasTexts, compiler: SQLCompiler, **options: Any) -> str:
    column, wanted, *_ = element.clauses
    found, text = (compiler.process(each, **options) for each in (column, wanted))
    return f"({found} IS NOT NULL AND CAST({found} AS jsonb) @> CAST({text} AS jsonb))"


@compiles(_HasTexts, "sqlite")
def _extracts_text(element: _HasTexts, compiler: SQLCompiler, **options: Any) -> str:
    column, _, path, wanted = element.clauses
    found, place, text = (compiler.process(each, **options) for each in (column, path, wanted))
    return f"json_extract({found}, {place}) = {text}"


def _has_text(name: str, text: str) -> Condition:
    return _HasTexts(
        Invoice.searchable,
        sa.literal(json.dumps({name: text}), sa.Text()),
        sa.literal(f'$."{name}"', sa.Text()),
        sa.literal(text, sa.Text()),
    )


total_amount = amount(Invoice.grand_total.expression)
# As domain/money.is_paid.
_PAID: Condition = amount(
    func.coalesce(Invoice.amount_paid, sa.literal(Decimal(0), Money()), type_=Money())
) >= amount(Invoice.payable.expression)
# The name of the other side, in the order of a list.
PARTY = func.lower(
    sa.case((IS_SOLD, Invoice.buyer_name), else_=Invoice.supplier_name), type_=sa.String()
)


def conditions(wanted: InvoiceFilter) -> Filters:
    """A condition for each given filter, except the times of creation."""
    found = _identified(wanted)
    if wanted.status is not None:
        found["status"] = Transmission.status == wanted.status
    if wanted.response is not None:
        found["response"] = Transmission.response_status == wanted.response
    if wanted.attention:
        found["attention"] = sa.literal_column(f"({NEEDS_PERSON.text})", sa.Boolean())
    if wanted.failure_done is not None:
        told = Transmission.failure_done_at
        failed = Transmission.status == NetworkStatus.FAILED.value
        found["status"] = sa.and_(failed, found["status"]) if "status" in found else failed
        found["failure"] = told.is_not(None) if wanted.failure_done else told.is_(None)
    if wanted.processed is not None:
        moment = Received.processed_at
        found["processed"] = moment.is_not(None) if wanted.processed else moment.is_(None)
    of_received = wanted.processed is not None or wanted.supplier_id is not None
    if wanted.direction == "received" and of_received:
        return found | _unindexed(wanted)  # both filters find received invoices only
    if wanted.direction == "received":
        found["received"] = _RECEIVED
    elif wanted.direction is not None:
        found["direction"] = Invoice.direction == wanted.direction
    return found | _unindexed(wanted)


def _identified(wanted: InvoiceFilter) -> Filters:
    """The conditions by ids and numbers."""
    found: Filters = {}
    if wanted.ids is not None:
        found["ids"] = rows.in_values(Invoice.id, sorted(wanted.ids))
    if wanted.transaction_id is not None:
        found["transaction"] = _of_transmission(wanted)
    if wanted.supplier_id is not None:
        found["supplier"] = Received.supplier_id == wanted.supplier_id
    if wanted.number is not None:
        found["number"] = Invoice.number == wanted.number
    if wanted.receivers:
        found["receiver"] = _one_of(Invoice.receiver.expression, wanted.receivers)
    if wanted.senders:
        found["sender"] = _one_of(Invoice.sender.expression, wanted.senders)
    return found


def _of_transmission(wanted: InvoiceFilter) -> Condition:
    own = aliased(Transmission)
    found = sa.select(own.invoice_id).where(
        own.id == wanted.transaction_id, own.tenant_id == wanted.tenant_id
    )
    return Invoice.id == found.scalar_subquery()


def _unindexed(wanted: InvoiceFilter) -> Filters:
    found: Filters = {}
    if wanted.currency is not None:
        found["currency"] = Invoice.currency == wanted.currency
    if wanted.issued_from is not None:
        found["from"] = Invoice.issue_date >= wanted.issued_from
    if wanted.issued_to is not None:
        found["to"] = Invoice.issue_date <= wanted.issued_to
    if wanted.total_from is not None:
        found["total from"] = total_amount >= amount(wanted.total_from)
    if wanted.total_to is not None:
        found["total to"] = total_amount <= amount(wanted.total_to)
    if wanted.paid is not None:
        found["paid"] = and_(IS_SOLD, _PAID if wanted.paid else sa.not_(_PAID))
    if wanted.buyer is not None:
        found["buyer"] = _sold_to(wanted.buyer)
    if wanted.metadata:
        found["metadata"] = and_(*(_has_text(*each) for each in wanted.metadata.items()))
    if wanted.parties:
        found["party id"] = or_(
            and_(_SENT, _one_of(Invoice.receiver.expression, wanted.parties)),
            and_(_RECEIVED, _one_of(Invoice.sender.expression, wanted.parties)),
        )
    return found | _texts(wanted)


def _texts(wanted: InvoiceFilter) -> Filters:
    found: Filters = {}
    if wanted.party is not None:
        found["party"] = or_(
            and_(IS_SOLD, _contains(Invoice.buyer_name, wanted.party)),
            and_(sa.not_(IS_SOLD), _contains(Invoice.supplier_name, wanted.party)),
        )
    if wanted.text is not None:
        places = (Invoice.number, Invoice.supplier_name, Invoice.buyer_name)
        found["text"] = or_(*(_contains(place, wanted.text) for place in places))
    return found


def _contains(place: Any, text: str) -> Condition:
    """Whether the text is in the column, in any case of letters; as the index of texts has it."""
    for special in "/%_":
        text = text.replace(special, f"/{special}")
    return func.lower(place).like(func.lower(f"%{text}%"), escape="/")


def _sold_to(buyer: BuyerFilter) -> Condition:
    """Invoices sent to this buyer, by any of its identifiers, and self-billed ones from it."""
    signs: list[Condition] = []
    senders: list[Condition] = []
    if buyer.participants:
        signs.append(_one_of(Invoice.receiver.expression, buyer.participants))
        senders.append(_one_of(Invoice.sender.expression, buyer.participants))
    if buyer.tax_key is not None:
        number: sa.ColumnElement[str] = sa.literal_column(BUYER_TAX_KEY.text, sa.String())
        signs.append(number == buyer.tax_key)
        senders.append(number == buyer.tax_key)
    if buyer.by_name:
        signs.append(func.lower(Invoice.buyer_name) == func.lower(buyer.name))
        senders = signs
    return or_(
        sa.and_(Invoice.direction == "sent", Invoice.kind.not_in(SELF_BILLED), or_(*signs)),
        sa.and_(Invoice.direction == "received", Invoice.kind.in_(SELF_BILLED), or_(*senders)),
    )


def _one_of(column: sa.ColumnElement[Any], spellings: Sequence[str]) -> Condition:
    """One spelling can be read in the order of the index; several have to be sorted."""
    return column == spellings[0] if len(spellings) == 1 else column.in_(spellings)
