"""The list of messages is read once, in order, and nothing is lost."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.responses import Clarification, ResponseContent
from einvoice.network.connections import NeedsPerson
from einvoice.network.mailbox_testing import MailboxContract
from einvoice.network.mailboxes import Fetched, NotFetched
from einvoice.network.messages import InvoiceAnswer
from einvoice.network.types import Delivered
from einvoice.xml import parse
from einvoice_anaf import uploads
from einvoice_anaf.access_point import RoEfactura
from plugins.anaf.tests import company
from plugins.anaf.tests.test_contract import Accounts
from tests.memory_store import MemoryStore
from tests.networks import anaf
from tests.networks.anaf import seal, texts


class TestMail(MailboxContract, Accounts):
    @pytest.fixture
    def access_point(self, point):
        return point

    @pytest.fixture
    def connection(self, connection):
        return connection

    @pytest.fixture
    def an_envelope(self):
        return company.envelope

    @pytest.fixture
    def arrive(self, authority):
        return lambda count: company.arrive(authority, count)

    def wait(self, seconds):
        """The stand-in has no quota of seconds."""


def drained(point, connection, cursor=None, most=300):
    """The documents and news of all fetches, and the last cursor."""
    documents, news = [], []
    for _ in range(most):
        fetched = point.fetch(connection, cursor)
        assert isinstance(fetched, Fetched), fetched
        documents += fetched.documents
        news += fetched.news
        cursor = fetched.cursor
        if not fetched.more:
            return documents, news, cursor
    raise AssertionError("there is always more")


def test_a_received_invoice_has_its_sealed_original(point, connection, authority):
    (index,) = company.arrive(authority, 1)
    ((document,), _, _) = drained(point, connection)

    upload = authority.uploads[index]
    assert (document.instance_id, document.document) == (index, upload.document)
    assert document.sender == ParticipantId("9947", f"RO{company.BUYER}")
    assert document.receiver == ParticipantId("9947", f"RO{company.SELLER}")
    (original,) = document.evidence
    assert (original.content, original.legal_original) == (upload.file, True)
    assert original.retention_years == 10


def test_every_file_is_downloaded_once(point, connection, authority):
    """Also where the list has several pages, and those of the last hour again."""
    company.arrive(authority, 95)
    first, _, cursor = drained(point, connection)
    company.arrive(authority, 3)
    second, _, cursor = drained(point, connection, cursor)
    third, _, _ = drained(point, connection, cursor)

    assert (len(first), len(second), len(third)) == (95, 3, 0)
    downloads = [of for _, call, of in authority.calls if call == "descarcare"]
    assert len(downloads) == len(set(downloads)) == 98


@pytest.mark.parametrize("hours", [2, 72])
def test_a_list_of_several_pages_is_read_to_its_end(
    point, connection, authority, service, monkeypatch, hours
):
    """Page by page, of a longer time day by day."""
    monkeypatch.setattr("tests.networks.anaf.authority.PAGE", 7)
    company.arrive(authority, 30)
    for number, each in enumerate(authority.messages):
        each.at -= timedelta(minutes=number * hours * 0.9)  # of both companies
    since = (clock.now() - timedelta(hours=hours)).timestamp()
    documents, _, _ = drained(point, connection, json.dumps({"since": since}))

    assert len({each.instance_id for each in documents}) == 30
    assert max(int(query["pagina"]) for _, _, query in service.requests if "pagina" in query) > 1


def test_own_invoices_and_errors_are_not_downloaded(point, bound, connection, authority):
    company.sent(bound, company.envelope())
    before = len(authority.calls)
    time.sleep(0.002)
    documents, news, _ = drained(point, connection)

    assert (documents, news) == ([], [])
    assert "descarcare" not in [call for _, call, _ in authority.calls[before:]]


@pytest.mark.parametrize(("age", "count"), [(58, 2), (61, 0)])
def test_the_first_fetch_reads_what_the_authority_still_has(
    point, connection, authority, age, count
):
    company.arrive(authority, 2)
    for each in authority.messages:
        each.at -= timedelta(days=age)

    assert len(drained(point, connection)[0]) == count


def test_a_mailbox_that_was_not_fetched_for_long_begins_where_the_list_begins(
    point, connection, authority
):
    """A time before it would be refused."""
    _, _, cursor = drained(point, connection)
    old = json.loads(cursor) | {"since": (clock.now() - timedelta(days=70)).timestamp()}
    company.arrive(authority, 1)

    assert len(drained(point, connection, json.dumps(old))[0]) == 1


@pytest.mark.parametrize("fault", ["gateway", "lost", "html", "quota", "refused-page"])
def test_a_fetch_that_is_cut_goes_on_where_it_was(
    point, connection, authority, service, fault, move
):
    """What was found before is stored; after three files in a row no others are tried in vain."""
    company.arrive(authority, 7)
    move(seconds=1)
    files = []

    def faults(call):
        files.extend([call] if call == "descarcare" else [])
        return fault if call == "descarcare" and len(files) >= 3 else None

    service.faults = faults
    first = point.fetch(connection, None)

    assert (len(first.documents), first.more) == (2, True)
    assert len(files) <= 2 + 2 * 3  # a request on an old connection is repeated
    assert first.retry_after > 0
    service.faults = lambda call: None
    move(minutes=10)
    assert len(drained(point, connection, first.cursor)[0]) == 5


@pytest.mark.parametrize("fault", ["gateway", "lost", "html", "quota"])
def test_a_list_that_is_not_answered_is_fetched_later(point, connection, service, fault):
    service.faults = lambda call: fault

    assert isinstance(point.fetch(connection, None), NotFetched)


@pytest.mark.parametrize(
    "answer",
    [
        (200, texts.fault("Descarcare mesaj", texts.FILE_UNKNOWN.format(1))),
        (200, texts.fault("Descarcare mesaj", texts.FILE_QUOTA.format(10))),
        (200, texts.fault("Descarcare mesaj", "Ai atins limita de 10 descarcari")),
        (200, anaf.PAGE),
        (200, b""),
        (500, b"{}"),
    ],
)
def test_a_file_that_cannot_be_read_does_not_hold_back_the_others(
    point, connection, authority, service, monkeypatch, answer
):
    """It is tried again after ten minutes and later, with its tries and its reason."""
    company.arrive(authority, 3)
    company.replaced(monkeypatch, service, "descarcare", answer)
    first, _, cursor = drained(point, connection)
    at_once, _, cursor = drained(point, connection, cursor)
    (aside,) = json.loads(cursor)["aside"]
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(hours=4, seconds=1))
    later, _, cursor = drained(point, connection, cursor)

    assert (len(first), len(at_once), len(later)) == (2, 0, 1)
    assert (aside["tries"], bool(aside["reason"])) == (1, True)
    assert json.loads(cursor)["aside"] == []


def test_messages_that_an_earlier_release_put_aside_are_fetched(point, connection, authority):
    """Their cursors have another form."""
    (index,) = company.arrive(authority, 1)
    (upload,) = [each for each in authority.uploads.values() if each.index == index]
    _, _, cursor = drained(point, connection, None)
    old = json.loads(cursor)
    del old["aside"]
    since = clock.now().timestamp() - 5 * 3600
    old["late"] = [[upload.file_id, index, "FACTURA PRIMITA", company.BUYER, since]]
    old["late_at"] = since + 4 * 3600

    ((document,), _, _) = drained(point, connection, json.dumps(old))
    assert document.instance_id == index


def test_a_file_that_is_never_handed_over_is_named_to_the_operator_and_ends_after_60_days(
    point, connection, authority, service, monkeypatch, move
):
    company.arrive(authority, 1)
    move(seconds=1)
    company.replaced(monkeypatch, service, "descarcare", [(200, anaf.PAGE)] * 100)
    cursor = None
    for _ in range(62):
        _, _, cursor = drained(point, connection, cursor)
        move(days=1)
    noted = [each.value for name, each in point.store.records if name.startswith("untrusted")]

    assert ["cannot be fetched" in each for each in noted] == [True, False]
    assert "is lost" in noted[1]
    assert json.loads(cursor)["aside"] == []


NOTHING_OF_A_DOCUMENT = [b"PK\x03\x04 but nothing else", seal.zipped({"a.txt": b"hello"})]


@pytest.mark.parametrize("archive", NOTHING_OF_A_DOCUMENT)
def test_an_archive_of_another_form_is_kept_at_the_first_download(
    point, connection, authority, service, monkeypatch, archive
):
    """ANAF forgets it after 60 days, and hands it out ten times a day."""
    (index,) = company.arrive(authority, 1)
    company.replaced(monkeypatch, service, "descarcare", (200, archive))
    ((document,), _, cursor) = drained(point, connection)
    noted = [each.value for name, each in point.store.records if name.startswith("untrusted")]

    assert (document.instance_id, document.document) == (index, archive)
    assert [(each.kind.code, each.content) for each in document.evidence] == [
        ("AUTHORITY_UNTRUSTED", archive)
    ]
    assert json.loads(cursor)["aside"] == []
    assert noted == [f"{index} there is no seal"]


@pytest.mark.parametrize("place", ["beside", "below", "other names"])
def test_document_and_seal_of_a_purchase_are_taken_wherever_they_are(
    point, connection, authority, service, monkeypatch, place
):
    (index,) = company.arrive(authority, 1)
    upload = authority.uploads[index]
    signature = authority.signer.signature(f"{index}.xml", upload.document)
    usual = {f"{index}.xml": upload.document, f"semnatura_{index}.xml": signature}
    archive = seal.zipped({
        "beside": usual | {f"{index}.pdf": b"%PDF-1.7"},
        "below": {f"mesaj/{name}": content for name, content in usual.items()},
        "other names": {"Semnatura.p7s.xml": signature, "factura": upload.document},
    }[place])  # fmt: skip
    company.replaced(monkeypatch, service, "descarcare", (200, archive))
    ((document,), _, _) = drained(point, connection)

    assert document.document == upload.document
    (original,) = document.evidence
    assert (original.kind.code, original.legal_original) == ("AUTHORITY_DOCUMENT", True)
    assert original.content == archive


def test_a_document_whose_buyer_is_another_company_has_a_warning(
    point, connection, authority, service, monkeypatch
):
    """ANAF is believed about who receives it, and the document about who is to pay."""
    good, wrong = company.arrive(authority, 2)
    upload = authority.uploads[wrong]
    other = upload.document.replace(b"RO" + company.SELLER.encode(), b"RO4221306")
    upload.file = authority.signer.archive(wrong, other)
    documents, _, _ = drained(point, connection)
    warnings = {each.instance_id: each.warnings for each in documents}

    assert warnings[good] == ()
    (warning,) = warnings[wrong]
    assert (warning.code, warning.field) == ("buyer-is-another", "invoice.buyer.taxId")
    assert company.SELLER in warning.message
    assert "4221306" in warning.message


def test_without_known_signers_no_seal_makes_an_original(service, connection, authority):
    """Anybody may have made it; it is kept as long."""
    point = RoEfactura(company.side_at(service.url), MemoryStore(), company.TIMING)
    company.arrive(authority, 1)
    ((document,), _, _) = drained(point, connection)
    (kept,) = document.evidence

    assert (kept.kind.code, kept.legal_original) == ("AUTHORITY_DOCUMENT", False)
    assert (kept.kind.file_name, kept.retention_years) == ("unverified-{number}.zip", 10)


def test_a_received_file_with_a_wrong_seal_is_stored_and_not_trusted(point, connection, authority):
    (index,) = company.arrive(authority, 1)
    authority.uploads[index].file = seal.Signer("another").archive(
        index, authority.uploads[index].document
    )
    ((document,), _, _) = drained(point, connection)

    assert [each.kind.code for each in document.evidence] == ["AUTHORITY_UNTRUSTED"]


def test_an_ended_token_is_renewed_by_the_fetch(point, connection, authority):
    authority.pass_time(days=91)
    company.arrive(authority, 1)
    fetched = point.fetch(connection, None)

    assert fetched.credentials["accessToken"] in authority.access
    assert authority.used_refresh == []


def test_an_ended_consent_needs_a_person(point, connection, authority):
    authority.pass_time(days=366)

    assert isinstance(point.fetch(connection, None), NeedsPerson)


@pytest.mark.parametrize("status", [200, 400])
def test_a_list_without_messages_is_empty_whatever_its_status(point, connection, authority, status):
    """It is published as 200 for the list of days, and as 400 for the list with pages."""
    authority.pages_status = status
    assert drained(point, connection)[:2] == ([], [])
    person = f"person of {company.SELLER}"
    recent = authority.recent(person, {"zile": "1", "cif": company.SELLER})
    assert (recent.status, type(point.check(connection)).__name__) == (200, "Works")


def test_a_company_with_501_messages_of_a_day_works(point, connection, authority):
    """The list without pages, by which accounts are checked, refuses to list them."""
    company.arrive(authority, 1)
    authority.messages *= 501

    assert type(point.check(connection)).__name__ == "Works"


# -- messages of buyers ----------------------------------------------------------------------------


def answer(index, **changes):
    fields = {
        "response_id": "r-1",
        "document_id": "doc-1",
        "environment": Environment.TEST,
        "tenant_id": "t1",
        "sender": ParticipantId("9947", f"RO{company.BUYER}"),
        "receiver": ParticipantId("9947", f"RO{company.SELLER}"),
        "sender_name": "Buyer",
        "receiver_name": "Seller",
        "number": "1",
        "type_code": "380",
        "issue_date": None,
        "at": clock.now(),
        "content": ResponseContent("RE", (Clarification("PRI", "too much"),), note="Call us"),
        "instance_id": index,
    }
    return InvoiceAnswer(**(fields | changes))


def test_a_response_is_a_message_to_the_seller_who_gets_it_as_evidence(
    point, bound, connection, authority
):
    one = company.envelope()
    outcome = company.sent(bound, one)
    index = outcome.evidence[-1].authority_reference
    buyer = company.bound(point, company.connected(point, authority, company.BUYER))
    message = point.response_message(answer(index))
    envelope = company.envelope(document=message.document, document_type=message.document_type)

    assert isinstance(company.sent(buyer, envelope), Delivered)
    time.sleep(0.002)
    _, (news,), _ = drained(point, connection)
    assert (news.reference, news.outcome) == (index, None)
    (kept,) = news.evidence
    root = parse(kept.content)
    assert root.tag == f"{{{uploads.MESSAGE_NAMESPACE}}}header"
    assert root.get("message") == "RE: rejected; prices incorrect - too much; Call us"


def test_a_response_to_an_invoice_of_another_network_is_refused(point):
    with pytest.raises(ValueError, match="upload index"):
        point.response_message(answer("urn:uuid:1"))


def test_only_romanian_sellers_take_responses(point):
    assert point.takes_responses(answer("1").receiver) is True
    assert point.takes_responses(ParticipantId("0208", "0123456749")) is False


def test_a_page_of_the_gateway_in_place_of_the_list_decides_nothing(
    point, connection, service, monkeypatch
):
    company.replaced(monkeypatch, service, "listaMesajePaginatieFactura", (200, anaf.PAGE))

    assert isinstance(point.fetch(replace(connection), None), NotFetched)
