"""Incoming flows: purchases, statuses of sales, and everything that goes wrong with a list."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest

from einvoice import clock
from einvoice.domain.identifiers import PDF_INVOICE
from einvoice.domain.responses import ResponseStatus
from einvoice.network.connections import NeedsPerson
from einvoice.network.mailboxes import Fetched, NotFetched, ReceivedInvoice, SentInvoice
from einvoice.network.types import Delivered, Rejected
from einvoice_fr_ctc import form, received
from einvoice_fr_ctc.cdar import codes
from einvoice_fr_ctc.configuration import Handover
from tests.networks import fr
from tests.networks.fr import company, messages, official
from tests.networks.fr.company import BUYER, SELLER
from tests.networks.fr.platform import fault
from tests.networks.stand_ins import PAGE, Answer

HEAD = messages.Head("F1", "20261124", "380", SELLER, BUYER)


def told(platform, code, reason=None, head=HEAD):
    message = messages.status(head, code, platform.now(), reason)
    return platform.tell(SELLER, "CustomerInvoiceLC", message)


def drained(point, connection, cursor=None):
    """All that is there, and the cursor after it."""
    documents, news = [], []
    for _ in range(30):
        found = point.fetch(connection, cursor)
        assert isinstance(found, Fetched), found
        documents += found.documents
        news += found.news
        cursor = found.cursor
        if not found.more:
            return documents, news, cursor
    raise AssertionError("there is always more")


def test_a_purchase_is_fetched_once_in_its_original_form(point, connection, service):
    company.arrive(service, 1)
    flow = list(service.platform.flows.values())[-1]
    (document,), news, cursor = drained(point, connection)
    again = drained(point, connection, cursor)

    assert document.document == flow.content
    assert (document.instance_id, str(document.sender)) == (flow.id, "0225:300000007")
    assert str(document.receiver) == f"0225:{SELLER}"
    assert (news, again[0]) == ([], [])


def test_a_pdf_is_kept_as_it_is_and_not_opened(point, connection, platform):
    platform.arrive(SELLER, "SupplierInvoice", "Factur-X", "f.pdf", b"%PDF-1.7 hostile")
    (document,), _, _ = drained(point, connection)

    assert document.sender == received.UNKNOWN
    assert document.document_type == PDF_INVOICE


CASES = {
    "200": (None, None),
    "201": (None, None),
    "202": (None, ResponseStatus.RECEIVED),
    "203": (Delivered, ResponseStatus.RECEIVED),
    "204": (Delivered, ResponseStatus.IN_PROCESS),
    "205": (Delivered, ResponseStatus.ACCEPTED),
    "206": (Delivered, ResponseStatus.CONDITIONALLY_ACCEPTED),
    "207": (Delivered, ResponseStatus.IN_PROCESS),
    "208": (Delivered, ResponseStatus.IN_PROCESS),
    "210": (Delivered, ResponseStatus.REJECTED),
    "211": (Delivered, ResponseStatus.PAID),
    "212": (Delivered, ResponseStatus.PAID),
    "213": (Rejected, ResponseStatus.UNDELIVERABLE),
    "220": (None, None),
    "221": (None, None),
    "501": (Rejected, ResponseStatus.UNDELIVERABLE),
}


@pytest.mark.parametrize("code", CASES)
def test_each_status_has_one_meaning(point, connection, platform, code):
    flow = told(platform, code, ("DOUBLON", "Déjà reçue"))
    outcome, response = CASES[code]
    _, (news,), _ = drained(point, connection)

    (kept,) = news.evidence
    assert news.reference == SentInvoice("F1", date(2026, 11, 24))
    assert type(news.outcome) is (outcome or type(None))
    assert (kept.response and kept.response.status) == response
    assert (kept.content, kept.authority_reference) == (flow.content, flow.id)
    if kept.response:
        assert kept.response.text == f"{code} {codes.NAMES[code]}"
        assert kept.response.exact


def test_a_deposit_that_is_not_sent_on_needs_a_person_and_is_not_failed(
    point, connection, platform
):
    """BR-FR-CDV-CL-09 has NON_TRANSMISE as the only reason of 200: the buyer has no platform, and
    gets a copy by other means. The invoice is issued, and sent again it would be a second one."""
    told(platform, "200", ("NON_TRANSMISE", "Pas de plateforme"))
    _, (news,), _ = drained(point, connection)
    (kept,) = news.evidence

    assert news.outcome is None
    assert kept.response.status == ResponseStatus.UNDELIVERABLE
    assert kept.response.reasons == ("NON_TRANSMISE: Pas de plateforme",)


def test_an_invoice_can_count_as_delivered_at_the_buyers_platform(service, platform):
    point = company.point_at(service, handover=Handover.RECEIVED)
    connection = company.connected(point, service, SELLER)
    told(platform, "202")
    _, (news,), _ = drained(point, connection)

    assert isinstance(news.outcome, Delivered)


def test_a_rejection_names_the_official_reason(point, connection, platform):
    told(platform, "213", ("DEST_INC", "Destinataire inconnu"))
    _, (news,), _ = drained(point, connection)

    assert news.outcome.code == "DEST_INC"
    assert news.outcome.reason == "213 Rejetée; DEST_INC: Destinataire inconnu"
    assert news.outcome.reason_code == "receiver-unknown"


def test_a_status_of_another_sellers_invoice_says_nothing_of_ours(point, connection, platform):
    """It is evidence of a purchase from that seller, if there is one."""
    told(platform, "213", head=replace(HEAD, seller=BUYER))
    (news,) = drained(point, connection)[1]

    assert news.outcome is None
    assert news.reference == ReceivedInvoice(HEAD.number, news.reference.issue_date, BUYER)
    assert [each.response for each in news.evidence] == [None]


@official.needed
@pytest.mark.parametrize("case", [1, 2, 3, 4, 5])
def test_the_published_use_cases_are_read_in_any_order_and_twice(point, connection, platform, case):
    """The same news, whatever the order; each message once."""
    found = [each.replace(b"100000009", SELLER.encode()) for each in official.use_case(case)]
    for each in found:
        platform.tell(SELLER, "CustomerInvoiceLC", each)
    _, straight, cursor = drained(point, connection)
    shuffled = [*found, *found]
    random.Random(case).shuffle(shuffled)
    for each in shuffled:
        platform.tell(SELLER, "CustomerInvoiceLC", each)
    _, again, _ = drained(point, connection, cursor)

    def said(news):
        return {(n.reference, type(n.outcome), n.evidence[0].content) for n in news}

    assert len(straight) == len(found)
    assert said(straight) == said(again)


def test_more_flows_than_a_page_are_read_page_by_page(point, connection, platform):
    for number in range(230):
        told(platform, "205", head=replace(HEAD, number=f"F{number}"))
    _, news, cursor = drained(point, connection)

    assert sorted({each.reference.number for each in news}) == sorted(f"F{n}" for n in range(230))
    assert len(news) == 230
    assert drained(point, connection, cursor)[1] == []


def test_a_platform_without_cursors_is_read_by_the_time_of_changes(point, connection, platform):
    """As versions before 1.3."""
    platform.is_old = True
    for number in range(230):
        told(platform, "205", head=replace(HEAD, number=f"F{number}"))
    _, news, _ = drained(point, connection)

    assert len({each.reference.number for each in news}) == 230


def test_a_refused_cursor_begins_again_and_does_not_hold_the_list(point, connection, platform):
    for number in range(150):
        told(platform, "205", head=replace(HEAD, number=f"F{number}"))
    platform.refuses_cursors = True
    _, news, cursor = drained(point, connection)
    told(platform, "205", head=replace(HEAD, number="NEW"))
    _, later, _ = drained(point, connection, cursor)

    assert len({each.reference.number for each in news}) == 150
    assert [each.reference.number for each in later] == ["NEW"]


def test_a_token_that_ends_within_a_page_is_renewed_and_kept(
    point, connection, platform, monkeypatch
):
    company_token = connection.credentials["accessToken"]
    for _ in range(3):
        told(platform, "205")
    real = platform.flow

    def flow(owner, flow_id, kind):
        platform.tokens.pop(company_token, None)
        return real(owner, flow_id, kind)

    monkeypatch.setattr(platform, "flow", flow)
    found = point.fetch(connection, None)

    assert len(found.news) == 3
    assert found.credentials["accessToken"] != company_token


def test_a_secret_that_was_changed_needs_a_person(point, connection, platform):
    platform.tokens.clear()
    platform.companies[SELLER].client = ("x", "y")

    assert isinstance(point.fetch(connection, None), NeedsPerson)


def failing(monkeypatch, flow_id, answer):
    real = fr._Handler._answer

    def given(self, method, path, query, body):
        if path.endswith(f"/flows/{flow_id}"):
            return answer
        return real(self, method, path, query, body)

    monkeypatch.setattr(fr._Handler, "_answer", given)


@pytest.mark.parametrize(
    "answer", [fault(404, "MISSING_RESOURCE", "not yet"), Answer(200), Answer(502, PAGE),
               Answer(200, b"<html>", "text/html")]
)  # fmt: skip
def test_a_file_that_is_not_handed_over_holds_back_no_other(
    point, connection, platform, monkeypatch, answer
):
    """It is put aside and fetched again later."""
    bad = told(platform, "204")
    told(platform, "205")
    failing(monkeypatch, bad.id, answer)
    _, news, cursor = drained(point, connection)

    assert [each.evidence[0].response.status for each in news] == [ResponseStatus.ACCEPTED]
    (aside,) = json.loads(cursor)["aside"]
    assert aside["id"] == bad.id
    monkeypatch.undo()
    moved = datetime.fromtimestamp(aside["due"] + 1, UTC)
    monkeypatch.setattr(clock, "now", lambda: moved)
    platform.token_seconds = 10**6
    (again,) = point.fetch(connection, cursor).news
    assert again.evidence[0].content == bad.content


@pytest.mark.parametrize(
    ("operation", "answer", "words"),
    [
        ("searchFlows", Answer(200, PAGE, "text/html"), "not the platform's JSON"),
        ("searchFlows", Answer(200), "not the platform's JSON"),
        ("searchFlows", Answer(200, b'{"results": 7}'), "no list of results"),
        ("searchFlows", Answer(403, PAGE, "text/html"), "firewall"),
        ("searchFlows", fault(500, "INTERNAL_ERROR", "down"), "down"),
    ],
)
def test_a_list_that_cannot_be_read_ends_the_fetch_with_its_reason(
    point, connection, monkeypatch, operation, answer, words
):
    real = fr._Handler._answer

    def given(self, method, path, query, body):
        if fr.operation_of(method, path) == operation:
            return answer
        return real(self, method, path, query, body)

    monkeypatch.setattr(fr._Handler, "_answer", given)
    found = point.fetch(connection, None)

    assert isinstance(found, NotFetched)
    assert words in found.reason


def test_flows_whose_type_says_nothing_are_told_by_their_file(point, connection, platform):
    told(platform, "205").type = "Undefined"
    company_flow = platform.arrive(
        SELLER, "Undefined", "UBL", "f.xml", form.NAMED.write(company.french_invoice())
    )
    documents, news, _ = drained(point, connection)

    assert [each.instance_id for each in documents] == [company_flow.id]
    assert len(news) == 1


def test_flows_for_the_tax_office_are_not_fetched(point, connection, platform, service):
    platform.arrive(SELLER, "StateCustomerInvoice", "UBL", "f.xml", b"<x/>")

    assert drained(point, connection)[:2] == ([], [])
    assert service.calls("getFlow") == 0


def test_a_fetch_without_news_is_one_search(point, connection, service):
    _, _, cursor = drained(point, connection)
    before = service.calls("searchFlows")
    drained(point, connection, cursor)

    assert service.calls("searchFlows") == before + 1


def test_no_two_searches_are_closer_than_the_setting(service):
    """Though the service spreads fetches by a twentieth (services/inbound/mailboxes)."""
    every = company.point_at(service).fetch_terms().every

    assert every * 0.95 >= timedelta(seconds=60)
    assert every < timedelta(seconds=64)
