"""Many invoices as one package, and what becomes of it when an answer is lost."""

from __future__ import annotations

import io
import zipfile

import pytest

from einvoice import clock
from einvoice.network.types import Delivered, NeverSeen, NotSent, Pending, Rejected, Unknown
from einvoice_ksef import packages
from einvoice_ksef.encryption import SessionKey, digest_of, new_nonce, new_secret
from einvoice_ksef.limits import Group, LimitsOf
from plugins.ksef.tests import company
from plugins.ksef.tests.company import SEND, all_at_once, kinds, lose
from tests.networks.ksef.keys import SYMMETRIC

OPEN_PACKAGE = "POST /sessions/batch"
CLOSE_PACKAGE = "POST /sessions/batch/{referenceNumber}/close"


def many(count=12):
    return [company.envelope() for _ in range(count)]


def polled(bound, envelopes, outcomes):
    return bound.poll_many(list(zip(envelopes, outcomes, strict=True)))


def use_up(bound, group):
    """Count as many calls as an hour has, some minutes ago."""
    limits = LimitsOf(bound.store, "ksef-test", company.SELLER)
    now = int(clock.now().timestamp() * 1000)
    times = ",".join(str(now - 300_000 + each) for each in range(limits.rate(group).hour))
    bound.store.values[f"limits-ksef-test-{company.SELLER}-{group}"] = f"0;{times}"


# -- the bytes -------------------------------------------------------------------------------------


def test_the_parts_of_a_package_are_encrypted_each_by_itself():
    files = {f"{n}.xml": b"<a/>" * n for n in range(1, 40)}
    key = SessionKey.derived(new_secret(), new_nonce())
    found = packages.parts(packages.zipped(files), key, 1000)
    whole = b"".join(key.decrypted(each.content) for each in found)

    assert len(found) > 2
    assert [each.number for each in found] == list(range(1, len(found) + 1))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files


def test_the_same_files_are_the_same_package():
    files = {"1.xml": b"<a/>", "2.xml": b"<b/>"}

    assert packages.zipped(files) == packages.zipped(dict(files))


def test_a_key_is_the_same_for_all_workers_and_another_one_for_each_session():
    secret, nonce = new_secret(), new_nonce()

    assert SessionKey.derived(secret, nonce) == SessionKey.derived(secret, nonce)
    assert SessionKey.derived(secret, nonce) != SessionKey.derived(secret, new_nonce())
    assert SessionKey.derived(secret, nonce) != SessionKey.derived(new_secret(), nonce)


# -- on their way ----------------------------------------------------------------------------------


def test_many_invoices_of_a_job_are_one_package(service, authority, bound):
    envelopes = many(25)
    outcomes = polled(bound, envelopes, all_at_once(bound, envelopes))

    assert all(isinstance(each, Delivered) for each in outcomes)
    assert all(
        kinds(each.evidence) == ["AUTHORITY_DOCUMENT", "AUTHORITY_RECEIPT"] for each in outcomes
    )
    assert len(authority.archive) == 25
    assert len(service.named(OPEN_PACKAGE)) == 1
    assert not service.named(SEND)


def test_a_large_package_has_several_parts(service, authority, bound, monkeypatch):
    monkeypatch.setattr(packages, "PART_BYTES", 2000)
    envelopes = many(25)
    outcomes = polled(bound, envelopes, all_at_once(bound, envelopes))
    [opened] = service.named(OPEN_PACKAGE)

    assert len(opened.request.json()["batchFile"]["fileParts"]) > 1
    assert all(isinstance(each, Delivered) for each in outcomes)


def test_a_few_invoices_are_sent_singly(service, bound):
    all_at_once(bound, many(10))

    assert len(service.named(SEND)) == 10
    assert not service.named(OPEN_PACKAGE)


def test_an_invoice_of_a_package_that_is_refused_harms_no_other(authority, bound):
    envelopes = many()
    envelopes[3] = company.envelope(document=company.refused(envelopes[3].document))
    outcomes = polled(bound, envelopes, all_at_once(bound, envelopes))

    assert isinstance(outcomes[3], Rejected)
    assert [type(each) for each in outcomes].count(Delivered) == 11


def test_a_package_without_a_good_invoice_refuses_each_of_them(bound):
    envelopes = [company.envelope(document=company.refused(one.document)) for one in many()]
    outcomes = polled(bound, envelopes, all_at_once(bound, envelopes))

    assert {each.code for each in outcomes} == {"430"}


def test_keys_that_are_withdrawn_are_fetched_for_a_package(authority, bound, service):
    all_at_once(bound, many())
    authority.keys.replace(SYMMETRIC, authority.now())
    envelopes = many()
    outcomes = polled(bound, envelopes, all_at_once(bound, envelopes))

    assert all(isinstance(each, Delivered) for each in outcomes)
    assert len(service.named(OPEN_PACKAGE)) == 3


# -- above the limits ------------------------------------------------------------------------------


def test_above_the_calls_of_an_hour_single_invoices_go_as_packages(service, authority, bound):
    use_up(bound, Group.SEND)
    one = company.envelope()
    outcome = company.settled(bound, one, bound.submit(one, bound.prepare(one)))

    assert isinstance(outcome, Delivered)
    assert len(service.named(OPEN_PACKAGE)) == 1
    assert not service.named(SEND)
    assert not authority.limits.refusals


def test_small_packages_keep_a_distance_in_which_invoices_gather(service, bound):
    use_up(bound, Group.SEND)
    first, second = company.envelope(), company.envelope()
    bound.submit(first, bound.prepare(first))
    outcome = bound.submit(second, bound.prepare(second))

    assert isinstance(outcome, NotSent)
    assert 0 < outcome.retry_after <= 60
    assert all(isinstance(each, Pending) for each in all_at_once(bound, many()))
    assert len(service.named(OPEN_PACKAGE)) == 2


def test_without_calls_for_packages_many_invoices_use_what_is_left(service, bound):
    use_up(bound, Group.BATCH_SESSION)
    outcomes = all_at_once(bound, many())

    assert all(isinstance(each, Pending) for each in outcomes)
    assert len(service.named(SEND)) == 12


# -- answers that are lost -------------------------------------------------------------------------


def test_a_package_whose_closing_has_no_answer_is_not_sent_again(service, authority, bound):
    lose(service, CLOSE_PACKAGE)
    envelopes = many()
    outcomes = all_at_once(bound, envelopes)
    found = [bound.find(one, bound.prepare(one)) for one in envelopes]

    assert all(isinstance(each, Unknown) for each in outcomes)
    assert all(isinstance(each, Delivered) for each in polled(bound, envelopes, found))
    assert len(service.named(OPEN_PACKAGE)) == 1
    assert len(authority.archive) == 12


def test_a_package_that_was_never_closed_is_closed_by_the_search(service, authority, bound):
    """As after a worker that died before the closing."""
    lose(service, CLOSE_PACKAGE, "gateway")
    envelopes = many()
    all_at_once(bound, envelopes)
    found = [bound.find(one, bound.prepare(one)) for one in envelopes]

    assert all(isinstance(each, Delivered) for each in polled(bound, envelopes, found))
    assert len(service.named(OPEN_PACKAGE)) == 1


def test_a_package_is_closed_by_the_next_poll_where_a_gateway_confirmed_it(service, bound):
    """With a page of its own, so KSeF never heard of it."""
    lose(service, CLOSE_PACKAGE, "html")
    envelopes = many()
    pendings = all_at_once(bound, envelopes)
    waiting = polled(bound, envelopes, pendings)

    assert all(isinstance(each, Pending) for each in waiting)
    assert all(isinstance(each, Delivered) for each in polled(bound, envelopes, waiting))
    assert len(service.named(OPEN_PACKAGE)) == 1


def test_a_package_that_another_poll_closes_meanwhile_is_asked_for_again(
    service, bound, monkeypatch
):
    lose(service, CLOSE_PACKAGE, "html")
    envelopes = many()
    pendings = all_at_once(bound, envelopes)
    before = bound._search._inquiry.session(service_session(bound, envelopes[0]))
    polled(bound, envelopes, pendings)
    with monkeypatch.context() as patched:
        patched.setattr(bound._polling._inquiry, "session", lambda reference: before)
        waiting = polled(bound, envelopes, pendings)

    assert all(isinstance(each, Pending) for each in waiting)
    assert all(isinstance(each, Delivered) for each in polled(bound, envelopes, waiting))


def test_a_package_that_another_search_closes_meanwhile_was_sent(service, bound, monkeypatch):
    """Its state is that of before: the invoice is asked for again, and never sent again."""
    lose(service, CLOSE_PACKAGE, "gateway")
    [one, two, *_] = envelopes = many()
    all_at_once(bound, envelopes)
    before = bound._search._inquiry.session(service_session(bound, one))
    bound.find(one, bound.prepare(one))
    monkeypatch.setattr(bound._search._inquiry, "session", lambda reference: before)

    assert isinstance(bound.find(two, bound.prepare(two)), Unknown)


def service_session(bound, one):
    """The session in which an invoice was sent."""
    return bound._search._sends.of(digest_of(one.document))[0].session


@pytest.mark.parametrize(
    ("call", "fault"),
    [(OPEN_PACKAGE, "lost"), (OPEN_PACKAGE, "html"), ("PUT", "lost"), ("PUT", "gateway")],
)
def test_what_fails_before_the_closing_has_sent_nothing(service, authority, bound, call, fault):
    losses = [fault]
    service.faults = lambda name: losses.pop() if losses and name.startswith(call) else None
    envelopes = many()
    outcomes = all_at_once(bound, envelopes)

    assert all(isinstance(each, NotSent) for each in outcomes)
    assert isinstance(bound.find(envelopes[0], bound.prepare(envelopes[0])), NeverSeen)
    again = polled(bound, envelopes, all_at_once(bound, envelopes))
    assert all(isinstance(each, Delivered) for each in again)
    assert len(authority.archive) == 12


def test_a_package_that_the_network_cannot_open_is_sent_again(service, authority, bound):
    """As a whole, with another key."""
    envelopes = many()
    pendings = all_at_once(bound, envelopes)
    [session] = [each for each in authority.sessions.values() if each.batch]
    session.key = bytes(32)
    outcomes = polled(bound, envelopes, pendings)

    assert all(isinstance(each, Pending) for each in outcomes)
    assert all(isinstance(each, Delivered) for each in polled(bound, envelopes, outcomes))
    assert len(service.named(OPEN_PACKAGE)) == 2
    assert len(authority.archive) == 12


def test_the_digest_is_that_of_the_document():
    assert digest_of(b"abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
