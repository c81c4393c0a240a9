"""A draft is deleted by the transaction that accepts its invoice, once, and only as it was seen."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services.invoices import drafts
from einvoice.services.invoices.drafts import DraftContent, DraftMark, DraftRecord, NewFile
from einvoice.services.principal import Session
from einvoice.store.account.idempotency import AcceptedKey, KeyScope
from einvoice.store.core import db
from einvoice.store.sending import acceptance
from einvoice.store.sending.new_sends import Accepted, NewSend, Superseded
from einvoice.store.tables import DraftFile, Invoice, InvoiceDraft
from tests.builders import new_send

PAGE = "page-1"
TABLES = (Invoice, InvoiceDraft, DraftFile)


def rows() -> list[int]:
    """How many invoices, drafts and files of drafts there are."""
    with db.reading() as connection:
        return [
            connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in TABLES
        ]


def drafted(tenant: str, page: str | None = None) -> DraftRecord:
    who = Session(tenant, "ann", None, Role.MEMBER)
    mark = DraftMark("00000000-0000-4000-8000-000000000001", 0, page)
    files = [NewFile("a.csv", "text/csv", b"1,2")]
    return drafts.save(who, Environment.TEST, mark, DraftContent("{}"), files)


def sent(tenant: str, draft_id: str, version: int, page: str | None = None) -> NewSend:
    send = new_send(tenant)
    key = KeyScope(tenant, send.environment, drafts.KEY_SPACE, drafts.key_of(draft_id))
    return replace(send, key=key, draft=DraftMark(draft_id, version, page))


def test_accepting_the_invoice_deletes_the_draft_with_its_files(app: Flask, tenant: str) -> None:
    draft = drafted(tenant)
    before = rows()

    assert acceptance.accept(sent(tenant, draft.id, 1)) == Accepted(None)
    assert before == [0, 1, 1]
    assert rows() == [1, 0, 0]


def test_a_draft_that_is_sent_twice_is_one_invoice(app: Flask, tenant: str) -> None:
    draft = drafted(tenant)
    first, second = sent(tenant, draft.id, 1), sent(tenant, draft.id, 1)
    acceptance.accept(first)
    again = acceptance.accept(second)

    assert again == AcceptedKey(first.invoice_id, first.transmission_id, first.fingerprint)
    assert rows() == [1, 0, 0]


def test_a_draft_that_is_sent_by_two_at_once_is_one_invoice(app: Flask, tenant: str) -> None:
    draft = drafted(tenant)
    sends = [sent(tenant, draft.id, 1) for _ in range(4)]

    def _accept(send: NewSend) -> Any:
        with app.app_context():
            return acceptance.accept(send)

    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(_accept, sends))

    assert sorted(type(result).__name__ for result in results) == ["Accepted"] + ["AcceptedKey"] * 3
    assert rows() == [1, 0, 0]


def test_a_draft_that_was_changed_since_is_not_sent_and_stays(app: Flask, tenant: str) -> None:
    draft = drafted(tenant, page="another page")

    assert acceptance.accept(sent(tenant, draft.id, 2, PAGE)) == Superseded()
    assert rows() == [0, 1, 1]


def test_a_page_sends_what_it_has_changed_itself(app: Flask, tenant: str) -> None:
    """Its last change was stored while the person pressed the button."""
    draft = drafted(tenant, PAGE)

    assert acceptance.accept(sent(tenant, draft.id, 0, PAGE)) == Accepted(None)
    assert rows() == [1, 0, 0]


@pytest.mark.parametrize(("version", "result"), [(0, Accepted(None)), (1, Superseded())])
def test_a_draft_that_is_not_there_is_sent_only_if_it_never_was(
    app: Flask, tenant: str, version: int, result: object
) -> None:
    """One that was deleted had files that would be left out."""
    assert acceptance.accept(sent(tenant, "gone", version)) == result
    assert rows()[0] == (1 if version == 0 else 0)


def test_a_draft_of_another_account_is_not_deleted(app: Flask, tenant: str) -> None:
    draft = drafted(tenant)
    other = replace(sent(tenant, draft.id, 1), tenant_id="other", key=None)

    assert acceptance.accept_many([other]) == [Superseded()]
    assert rows() == [0, 1, 1]


def test_sends_of_drafts_and_others_are_stored_together(app: Flask, tenant: str) -> None:
    draft = drafted(tenant)
    results = acceptance.accept_together(
        [new_send(tenant), sent(tenant, draft.id, 1), sent(tenant, "gone", 3), new_send(tenant)]
    )

    assert results == [Accepted(None), Accepted(None), Superseded(), Accepted(None)]
    assert rows() == [3, 0, 0]


def test_a_page_whose_draft_was_sent_stores_it_no_more(app: Flask, tenant: str) -> None:
    """A change that arrives after the send would otherwise be a new draft."""
    acceptance.accept(sent(tenant, "00000000-0000-4000-8000-000000000001", 0))

    with pytest.raises(drafts.PreconditionFailed):
        drafted(tenant)
    assert rows() == [1, 0, 0]
