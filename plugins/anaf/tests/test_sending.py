"""Uploads, states and files: every answer of the authority has one outcome."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Identifier
from einvoice.network.connection_testing import renewed
from einvoice.network.types import (
    Blocked,
    Delivered,
    ListsSent,
    NeverSeen,
    NotSent,
    Pending,
    Prepared,
    Rejected,
    Unknown,
)
from einvoice.xml import parse
from einvoice_anaf import form, polling, search, uploads
from einvoice_anaf.access_point import RoEfactura
from einvoice_anaf.ledger import Ledger
from einvoice_anaf.quota import Spent
from plugins.anaf.tests import company
from plugins.anaf.tests.romanian import abroad, in_euro, romanian_invoice, to_consumer
from tests.memory_store import MemoryStore
from tests.networks import anaf
from tests.networks.anaf import seal, texts

UNKNOWN_STATE = texts.header(texts.STATE, {"stare": "altceva"})


def kinds(outcome) -> list[str]:
    return [each.kind.code for each in outcome.evidence]


# -- the call --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "call", "query"),
    [
        (romanian_invoice, "upload", {"standard": "UBL"}),
        (lambda: romanian_invoice(kind=form.DocumentKind.CREDIT_NOTE, type_code="381"),
         "upload", {"standard": "CN"}),
        (lambda: romanian_invoice(type_code="389"), "upload",
         {"standard": "UBL", "autofactura": "DA"}),
        (abroad, "upload", {"standard": "UBL", "extern": "DA"}),
        (to_consumer, "uploadb2c", {"standard": "UBL"}),
        (in_euro, "upload", {"standard": "UBL"}),
    ],
)  # fmt: skip
def test_the_call_is_chosen_from_the_document(bound, service, make, call, query):
    one = company.envelope(make())

    bound.submit(one, bound.prepare(one))

    assert service.requests[-1] == ("POST", call, {"cif": company.SELLER} | query)


@pytest.mark.parametrize(
    ("receiver", "call"),
    [("{}", "upload"), ("RO{}", "upload"), ("RO14399840", "uploadb2c"), (None, "uploadb2c")],
)
def test_a_person_in_business_is_a_buyer_that_the_send_names_by_its_number(
    bound, service, receiver, call
):
    """A personal number alone is that of a consumer."""
    one = company.envelope(to_consumer(legal_id=Identifier("1960101123456")))
    number = parse(one.document).findtext(f"{uploads._PARTY}{{*}}PartyLegalEntity/{{*}}CompanyID")
    named = receiver and ParticipantId("9947", receiver.format(number))
    bound.submit(replace(one, receiver=named), bound.prepare(replace(one, receiver=named)))

    assert len(number) == 13
    assert service.requests[-1][1] == call


def test_a_document_that_is_no_invoice_is_refused_before_it_is_sent(bound, service):
    outcome = bound.prepare(company.envelope(document=b"<Order/>"))

    assert isinstance(outcome, Rejected)


# -- from the upload to the original ---------------------------------------------------------------


def test_an_invoice_is_delivered_with_its_sealed_original(bound, authority):
    """Three calls: upload, state, download."""
    one, before = company.envelope(), len(authority.calls)
    outcome = company.sent(bound, one)

    assert isinstance(outcome, Delivered)
    assert kinds(outcome) == ["AUTHORITY_RECEIPT", "AUTHORITY_DOCUMENT"]
    (upload,) = authority.uploads.values()
    original = outcome.evidence[-1]
    assert (original.legal_original, original.retention_years) == (True, 10)
    assert (original.authority_reference, original.content) == (upload.index, upload.file)
    assert upload.document == one.document
    assert [call for _, call, _ in authority.calls[before:]] == [
        "upload", "stareMesaj", "descarcare",
    ]  # fmt: skip


def test_the_answer_to_an_upload_is_evidence_with_its_index(bound):
    one = company.envelope()
    pending = bound.submit(one, bound.prepare(one))

    assert isinstance(pending, Pending)
    (answer,) = pending.evidence
    assert (answer.kind.code, answer.authority_reference) == (
        "AUTHORITY_RECEIPT",
        pending.reference,
    )


def test_a_document_in_work_is_queried_at_most_a_hundred_times_a_day(bound, authority):
    authority.delay = timedelta(days=10)
    one = company.envelope()
    pending, waits = bound.submit(one, bound.prepare(one)), []
    for _ in range(100):
        before = clock.now()
        pending = bound.poll(one, pending)
        waits.append(round((pending.next_poll_at - before).total_seconds()))
        if sum(waits) > 86_400:
            break

    assert waits[:7] == [15, 30, 60, 120, 300, 600, 1800]
    assert len(waits) < 60


def test_the_errors_of_a_rejected_document_are_its_reasons(bound, authority):
    authority.judge = lambda document: ["E: x [BR-RO-110]-Subdiviziunea", "E: R_VANZATOR CUI=1"]
    outcome = company.sent(bound, company.envelope())

    assert isinstance(outcome, Rejected)
    assert outcome.code == "BR-RO-110"
    assert "Subdiviziunea" in outcome.reason
    assert "R_VANZATOR" in outcome.reason
    assert kinds(outcome) == ["AUTHORITY_ERRORS"]
    assert not outcome.retryable


@pytest.mark.parametrize(("bad", "code"), [(1, "BR-RO-110"), (9, "nok")])
def test_a_file_of_errors_that_cannot_be_read_is_fetched_again(
    bound, authority, service, monkeypatch, bad, code
):
    """It may say that the document is a duplicate of our own; after four tries it has failed."""
    authority.judge = lambda document: ["[BR-RO-110]-x"]
    one = company.envelope()
    pending = bound.submit(one, bound.prepare(one))
    company.replaced(monkeypatch, service, "descarcare", [(200, b"PK\x03\x04")] * bad)
    outcome = company.settled(bound, one, pending)

    assert isinstance(outcome, Rejected)
    assert outcome.code == code


def test_a_document_that_was_not_taken_has_failed(bound):
    one = company.envelope()
    made = replace(bound.prepare(one), state={"call": "upload", "standard": "CN"})
    outcome = company.settled(bound, one, bound.submit(one, made))

    assert isinstance(outcome, Rejected)
    assert outcome.code == "not-taken"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ((200, anaf.PAGE), Unknown),
        ((200, b""), Unknown),
        ((204, b""), NotSent),
        ((429, b""), NotSent),
        ((500, b'{"status": 500, "message": "x"}'), Unknown),
        ((502, anaf.PAGE), Unknown),
        ((200, texts.header(texts.UPLOAD, {"ExecutionStatus": "1"}, texts.TOO_LARGE)), Rejected),
        ((200, texts.header(texts.UPLOAD, {"ExecutionStatus": "1"}, "Altceva")), Rejected),
        ((200, texts.header(texts.UPLOAD, {"ExecutionStatus": "1"}, texts.NO_CIF)), Blocked),
        ((200, texts.header(texts.UPLOAD, {"ExecutionStatus": "1"},
                            "A aparut o eroare tehnica. Cod: XXX")), NotSent),
        ((200, texts.header(texts.UPLOAD, {"ExecutionStatus": "0"})), Unknown),
        ((400, texts.bad_request("x", texts.UPLOAD_PARAMETERS)), NotSent),
    ],
)  # fmt: skip
def test_an_upload_is_decided_by_what_the_answer_says(bound, service, monkeypatch, answer, outcome):
    """HTTP 200 alone means nothing, and an answer that is not understood is not a failure."""
    company.replaced(monkeypatch, service, "upload", answer)
    one = company.envelope()

    assert type(bound.submit(one, bound.prepare(one))) is outcome


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ((200, anaf.PAGE), NotSent),
        ((200, b""), NotSent),
        ((200, b'{"title": "Request blocked"}'), NotSent),
        ((204, b""), NotSent),
        ((503, anaf.PAGE), NotSent),
        ((200, UNKNOWN_STATE), Pending),
        ((200, texts.header(texts.STATE, {}, texts.STATE_QUOTA.format(20))), Pending),
        ((200, texts.header(texts.STATE, {}, texts.STATE_NO_RIGHT.format(18))), Pending),
        ((200, texts.header(texts.STATE, {}, texts.STATE_UNKNOWN.format(18))), Pending),
        ((200, texts.header(texts.STATE, {}, "Nu exista niciun CIF petru care sa aveti drept")),
         Blocked),
    ],
)  # fmt: skip
def test_a_state_that_is_not_final_decides_nothing(bound, service, monkeypatch, answer, outcome):
    one = company.envelope()
    pending = bound.submit(one, bound.prepare(one))
    company.replaced(monkeypatch, service, "stareMesaj", answer)

    assert type(bound.poll(one, pending)) is outcome


# -- files that are not trusted --------------------------------------------------------------------


@pytest.mark.parametrize("bad", ["path", "wrong signature", "not a ZIP", "two names", "bomb"])
def test_a_file_that_is_not_trusted_is_kept_and_fetched_again(
    bound, point, authority, service, monkeypatch, bad
):
    """The document is cleared all the same; the original follows."""
    one = company.envelope()
    pending = bound.submit(one, bound.prepare(one))
    authority.settle()
    company.replaced(monkeypatch, service, "descarcare", (200, bad_files(authority, pending)[bad]))

    outcome = bound.poll(one, pending)
    assert isinstance(outcome, Delivered)
    assert kinds(outcome) == ["AUTHORITY_RECEIPT", "AUTHORITY_UNTRUSTED"]
    assert not any(each.legal_original for each in outcome.evidence)
    assert outcome.follow_up is not None
    noted = [
        value
        for name, value in point.store.records
        if name == polling.untrusted_series("anaf-test")
    ]
    assert len(noted) == 1
    later = bound.poll(one, outcome.follow_up)
    assert kinds(later) == ["AUTHORITY_DOCUMENT"]
    assert later.follow_up.next_poll_at is None


def bad_files(authority, pending) -> dict[str, bytes]:
    upload = authority.uploads[pending.reference]
    name, signature = f"{upload.index}.xml", authority.signer.signature
    good = {name: upload.document, f"semnatura_{name}": signature(name, upload.document)}
    other = authority.uploads[pending.reference].document.replace(b"121.00", b"1.00")
    return {
        "path": seal.zipped({f"../{name}": b"<x/>", f"semnatura_{name}": b"<x/>"}),
        "wrong signature": seal.zipped(good | {name: other}),
        "not a ZIP": b"PK\x03\x04 but nothing else",
        "two names": seal.zipped({name: b"<x/>", "semnatura_1.xml": b"<x/>"}),
        "bomb": seal.zipped(good | {name: b"\0" * (50 << 20)}),
    }


@pytest.mark.parametrize("answer", [(200, texts.fault("Descarcare mesaj", texts.FILE_NO_RIGHT)),
                                    (200, texts.fault("x", texts.FILE_QUOTA.format(10))),
                                    (502, anaf.PAGE)])  # fmt: skip
def test_a_file_that_cannot_be_fetched_is_fetched_later(bound, service, monkeypatch, answer):
    one = company.envelope()
    pending = bound.submit(one, bound.prepare(one))
    company.replaced(monkeypatch, service, "descarcare", answer)

    outcome = bound.poll(one, pending)
    assert (type(outcome), kinds(outcome)) == (Delivered, ["AUTHORITY_RECEIPT"])
    assert kinds(bound.poll(one, outcome.follow_up)) == ["AUTHORITY_DOCUMENT"]


def test_pages_in_place_of_a_file_are_no_downloads(bound, service, monkeypatch):
    """The firewall gives them, so the original is fetched as soon as any call is answered again."""
    one = company.envelope()
    pending = bound.submit(one, bound.prepare(one))
    company.replaced(monkeypatch, service, "descarcare", [(200, anaf.PAGE)] * 30)
    cleared = bound.poll(one, pending)

    assert (type(cleared), kinds(cleared)) == (Delivered, ["AUTHORITY_RECEIPT"])
    followed = [bound.poll(one, cleared.follow_up) for _ in range(30)]
    assert {type(each) for each in followed[:-1]} == {NotSent}
    assert kinds(followed[-1]) == ["AUTHORITY_DOCUMENT"]


def test_a_file_is_downloaded_at_most_nine_times_a_day(bound, service, monkeypatch):
    one = company.envelope()
    pending = bound.submit(one, bound.prepare(one))
    company.replaced(monkeypatch, service, "descarcare", [(502, b"")] * 100)
    outcome, begun = bound.poll(one, pending), clock.now()
    times, due = 1, timedelta(0)
    while outcome.follow_up.next_poll_at is not None and due < timedelta(days=1):
        due += outcome.follow_up.next_poll_at - clock.now()
        outcome = bound.poll(one, outcome.follow_up)
        times += due < timedelta(days=1)

    assert times <= 9
    assert clock.now() - begun < timedelta(minutes=1)


def test_a_seal_of_another_signer_is_not_trusted(service, authority):
    other = company.side_at(service.url, signers=(seal.Signer("another").certificate,))
    point = RoEfactura(other, MemoryStore(), company.TIMING)
    bound = company.bound(point, company.connected(point, authority, company.SELLER))

    assert kinds(company.sent(bound, company.envelope()))[-1] == "AUTHORITY_UNTRUSTED"


# -- duplicates ------------------------------------------------------------------------------------


def test_a_duplicate_of_our_own_upload_is_that_upload(bound, authority):
    """The first upload was taken, and its answer was lost."""
    one = company.envelope()
    first, second = (bound.submit(one, bound.prepare(one)) for _ in range(2))
    outcome = company.settled(bound, one, second)

    assert isinstance(outcome, Delivered)
    assert outcome.evidence[-1].authority_reference == first.reference
    assert outcome.evidence[-1].legal_original


@pytest.mark.parametrize("index", ["of another company", "5000999999"])
def test_a_number_that_another_account_has_used_is_a_duplicate(bound, authority, index):
    """The index of its upload cannot be queried: it is another company's, or unknown."""
    if index == "of another company":
        company.arrive(authority, 1)
        index = list(authority.uploads)[-1]
    authority.judge = lambda document: [texts.DUPLICATE.format(index, "2026-01-20")]
    outcome = company.sent(bound, company.envelope())

    assert isinstance(outcome, Rejected)
    assert outcome.reason_code == "duplicate-document"
    [finding] = outcome.findings
    assert finding.field == "invoice.number"
    assert index in finding.advice


def test_another_document_with_a_used_number_is_a_duplicate(bound):
    one = company.envelope(number="RO-D-1")
    company.sent(bound, one)
    other = company.envelope(replace(romanian_invoice(), buyer_reference="other"), number="RO-D-1")
    outcome = company.sent(bound, other)

    assert isinstance(outcome, Rejected)
    assert outcome.reason_code == "duplicate-document"


# -- an unknown outcome ----------------------------------------------------------------------------


def lost(service, calls):
    """Let the answers of these calls be lost."""
    service.faults = lambda call: calls.pop() if call.startswith("upload") and calls else None


def found(bound, one, most=20):
    made = bound.prepare(one)
    outcome = bound.find(one, made)
    for _ in range(most):
        if not isinstance(outcome, Unknown):
            return outcome
        time.sleep(0.05)
        outcome = bound.find(one, made)
    return outcome


def test_an_upload_without_an_answer_is_found_before_it_is_repeated(bound, authority, service):
    """By its content: the list has no numbers of invoices."""
    for number in range(3):
        company.sent(bound, company.envelope(number=f"RO-F-{number}"))
    one = company.envelope()
    lost(service, ["lost"])
    assert isinstance(bound.submit(one, bound.prepare(one)), Unknown)

    before = len(authority.calls)
    pending = found(bound, one)
    assert isinstance(pending, Pending)
    calls = [call for _, call, _ in authority.calls[before:]]
    assert calls.count("descarcare") == 1
    assert isinstance(company.settled(bound, one, pending), Delivered)
    assert len(authority.uploads) == 4


@pytest.mark.parametrize(("known", "outcome"), [(True, Pending), (False, NeverSeen)])
def test_a_search_goes_back_to_when_the_document_was_accepted(
    bound, service, monkeypatch, known, outcome
):
    """After a restore of the database the first call of a search comes days after the upload."""
    one = company.envelope(accepted_at=clock.now() if known else None)
    lost(service, ["lost"])
    bound.submit(one, bound.prepare(one))
    monkeypatch.setattr(search, "BEFORE", -timedelta(milliseconds=5))
    time.sleep(0.05)
    service.authority.settle()  # the message in the list is of now
    time.sleep(0.2)

    assert isinstance(found(bound, one), outcome)


def test_a_list_that_is_too_long_to_be_read_says_nothing(bound, authority, service, monkeypatch):
    """A document that is behind its end would be uploaded again."""
    for number in range(3):
        company.sent(bound, company.envelope(number=f"RO-L-{number}"))
    one = company.envelope()
    lost(service, ["gateway"])
    bound.submit(one, bound.prepare(one))
    monkeypatch.setattr(search, "_MAX_PAGES", 1)
    monkeypatch.setattr(anaf.authority, "PAGE", 2)

    assert isinstance(found(bound, one), Unknown)


def test_uploads_since_a_moment_are_listed_by_their_index(bound, authority):
    moment = clock.now()
    company.sent(bound, company.envelope())

    assert [each.reference for each in bound.sent_since(moment)] == list(authority.uploads)
    assert isinstance(bound, ListsSent)
    with pytest.raises(search.NotKnown, match="60 days"):
        list(bound.sent_since(moment - timedelta(days=60)))


def test_an_upload_that_never_arrived_is_repeated(bound, authority, service):
    one = company.envelope()
    lost(service, ["gateway"])
    assert isinstance(bound.submit(one, bound.prepare(one)), Unknown)

    assert type(found(bound, one)).__name__ == "NeverSeen"


def test_an_upload_that_is_still_checked_is_not_repeated_at_once(bound, authority, service, move):
    authority.delay = timedelta(seconds=0.1)
    one = company.envelope()
    lost(service, ["lost"])
    bound.submit(one, bound.prepare(one))

    assert isinstance(bound.find(one, bound.prepare(one)), Unknown)
    move(seconds=0.1)
    authority.settle()
    move(seconds=0.1)
    assert isinstance(bound.find(one, bound.prepare(one)), Pending)


def test_searches_at_once_download_a_file_once(bound, authority, service):
    """A file may be downloaded ten times a day."""
    faults, lost_ones = ["lost"] * 6, [company.envelope() for _ in range(6)]
    lost(service, faults)
    for one in lost_ones:
        bound.submit(one, bound.prepare(one))
    with ThreadPoolExecutor(6) as threads:
        outcomes = list(threads.map(lambda one: found(bound, one, most=1200), lost_ones))

    assert all(isinstance(each, Pending) for each in outcomes)
    files = Counter(of for _, call, of in authority.calls if call == "descarcare")
    assert len(files) == 6
    assert set(files.values()) == {1}


def test_a_search_that_died_holds_a_file_for_a_minute(
    bound, point, authority, service, monkeypatch
):
    one = company.envelope()
    lost(service, ["lost"])
    bound.submit(one, bound.prepare(one))
    authority.settle()
    (upload,) = authority.uploads.values()
    ledger = Ledger(point.store, point.name, company.SELLER)
    assert ledger.claim(upload.file_id)
    time.sleep(0.002)

    assert isinstance(bound.find(one, bound.prepare(one)), Unknown)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=61))
    assert isinstance(bound.find(one, bound.prepare(one)), Pending)


def test_what_was_recorded_is_found_without_a_call(bound, authority):
    """The worker was killed between the answer and its commit."""
    one = company.envelope()
    pending, before = bound.submit(one, bound.prepare(one)), len(authority.calls)
    again = bound.find(one, bound.prepare(one))

    assert (again.reference, len(authority.calls)) == (pending.reference, before)


@pytest.mark.parametrize("fault", ["gateway", "lost", "html", "quota"])
def test_a_search_that_fails_is_repeated(bound, service, fault):
    one = company.envelope()
    service.faults = lambda call: fault

    assert isinstance(bound.find(one, bound.prepare(one)), Unknown)


# -- accounts --------------------------------------------------------------------------------------


def test_a_token_that_ends_in_the_middle_of_a_run_is_renewed(bound, authority):
    company.sent(bound, company.envelope())
    authority.pass_time(days=91)

    assert isinstance(company.sent(bound, company.envelope()), Delivered)


def test_a_consent_that_ended_makes_documents_wait(bound, authority):
    authority.pass_time(days=366)
    one = company.envelope()

    assert isinstance(bound.submit(one, bound.prepare(one)), Blocked)
    assert authority.uploads == {}


def test_a_company_without_a_right_needs_a_person(point, authority, connection):
    authority.rights[f"person of {company.SELLER}"] = {company.BUYER}
    checked = point.check(connection)

    assert type(checked).__name__ == "NeedsPerson"
    assert company.SELLER in checked.reason


def test_a_check_says_when_the_consent_ends_and_keeps_the_tokens(point, connection):
    checked = point.check(connection)

    assert checked.credentials is None
    assert 364 <= (checked.expires_at - clock.now()).days <= 365


def test_a_check_renews_an_access_token_that_soon_ends(point, connection, authority):
    soon = {**connection.credentials, "accessEnds": _in_days(9)}
    checked = point.check(replace(connection, credentials=soon))

    assert set(checked.credentials) == set(connection.credentials)
    assert checked.credentials["refreshToken"] != connection.credentials["refreshToken"]
    assert authority.used_refresh == []


def test_new_tokens_are_kept_although_the_check_fails(point, connection, authority, service):
    """The old refresh token can no longer be used."""
    service.faults = lambda call: "gateway"
    ended = {**connection.credentials, "accessEnds": _in_days(-1)}
    checked = point.check(replace(connection, credentials=ended))

    assert checked.credentials["refreshToken"] in authority.refresh


def _in_days(days):
    return (clock.now() + timedelta(days=days)).isoformat()


def test_a_check_says_until_when_the_tokens_are_valid(point, connection):
    checked = point.check(connection)

    assert 89 <= (checked.valid_until - clock.now()).days <= 90
    assert connection.credentials["accessEnds"] == checked.valid_until.isoformat()


@pytest.mark.parametrize("known", [True, False])
def test_a_withdrawn_consent_is_revoked_at_the_authority(point, connection, authority, known):
    """A token that the authority does not know has ended."""
    if not known:
        authority.refresh.clear()
        authority.access.clear()

    assert point.withdraw(connection.credentials) is None
    assert authority.revoked == [connection.credentials["refreshToken"]] * known
    assert authority.access == {}


def test_a_withdrawal_without_an_answer_is_to_be_repeated(point, connection, service, authority):
    service.faults = lambda call: "gateway"
    failed = point.withdraw(connection.credentials)
    service.faults = lambda call: None

    assert failed.reason == "The OAuth server of ANAF revoked nothing (HTTP 502)."
    assert point.withdraw(connection.credentials) is None
    assert authority.access == {}


def test_one_consent_is_one_for_several_companies(point, authority):
    """Each company is a connection of its own, checked by its number."""
    first = company.connected(point, authority, company.SELLER, company.BUYER)
    second = replace(first, id="c-2", account=f"RO{company.BUYER}")

    assert type(point.check(second)).__name__ == "Works"


# -- the budget of calls ---------------------------------------------------------------------------


def test_calls_of_all_processes_stay_below_the_quota_of_a_minute(service, authority):
    store = MemoryStore()
    points = [company.point_at(service, store) for _ in range(3)]

    taken = sum(taken_by(point.budget) for point in points)
    assert 240 <= taken <= 480  # the test may see the end of a window


def taken_by(budget) -> int:
    """How many calls are left in the window."""
    for count in range(1000):
        try:
            budget.take()
        except Spent:
            return count
    raise AssertionError("the budget has no end")


def test_a_used_up_budget_delays_the_document(bound, point, monkeypatch):
    def spent():
        raise Spent(7.0)

    monkeypatch.setattr(point.api._budget, "take", spent)
    one = company.envelope()
    outcome = bound.submit(one, bound.prepare(one))

    assert (type(outcome), outcome.retry_after) == (NotSent, 7.0)


# -- bad input -------------------------------------------------------------------------------------


def test_ten_megabytes_and_one_byte_are_more_than_the_authority_takes(bound, service):
    """The service refuses it before; the answer of the authority is understood all the same."""
    one = company.envelope()
    spaces = b" " * (bound.capabilities.max_bytes + 1 - len(one.document))
    large = replace(one, document=one.document + spaces)
    outcome = bound.submit(large, bound.prepare(one))

    assert isinstance(outcome, Rejected)
    assert outcome.reason_code == "document-too-large"
    fitting = replace(one, document=large.document[:-1])
    assert isinstance(bound.submit(fitting, bound.prepare(one)), Pending)


@pytest.mark.parametrize("account", [f"RO{company.SELLER}", company.SELLER])
def test_the_number_of_a_company_has_no_prefix_in_a_call(point, connection, service, account):
    point.check(replace(connection, account=account))

    assert service.requests[-1][2]["cif"] == company.SELLER


def test_two_workers_use_a_refresh_token_once(point, connection, authority):
    """The service calls `check` for one of them; the other gets what it has stored."""
    ended = replace(connection, credentials={**connection.credentials, "accessToken": "old"})
    stored = {"now": ended}

    def renew(seen):
        if stored["now"].credentials == seen.credentials:
            stored["now"] = renewed(seen, point.check(seen))
        return stored["now"]

    for _ in range(2):
        worker, one = point.bound(ended, renew), company.envelope()
        assert isinstance(worker.submit(one, worker.prepare(one)), Pending)
    assert authority.used_refresh == []


# -- messages of buyers ----------------------------------------------------------------------------


def test_a_message_without_an_invoice_is_uploaded_as_such(point, authority, bound, service):
    pending = bound.submit(one := company.envelope(), bound.prepare(one))
    company.settled(bound, one, pending)
    buyer = company.bound(point, company.connected(point, authority, company.BUYER))
    words = f'<header xmlns="{uploads.MESSAGE_NAMESPACE}" index_incarcare="{pending.reference}"'
    message = company.envelope(
        document=f'{words} message="Refuzat"/>'.encode(),
        document_type=uploads.MESSAGE,
        sender=ParticipantId("9947", f"RO{company.BUYER}"),
    )
    made = buyer.prepare(message)
    assert isinstance(made, Prepared)

    outcome = company.settled(buyer, message, buyer.submit(message, made))
    assert isinstance(outcome, Delivered)
    assert service.requests[-2][2] == {"standard": "RASP", "cif": company.BUYER}
