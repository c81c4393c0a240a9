"""Invoices that are issued offline: when, with which codes, and how they are sent."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from einvoice import clock
from einvoice.documents.ubl import write as ubl
from einvoice.domain.environments import Environment
from einvoice.domain.invoice import PrecedingInvoice, Prepayment
from einvoice.network.types import Delivered, NotSent, Pending, Rejected, Unknown
from einvoice_ksef import numbers, poland
from einvoice_ksef.access_point import Ksef
from einvoice_ksef.fa3 import form
from einvoice_ksef.fa3.again import written_again
from einvoice_ksef.issuing import Way
from einvoice_ksef.limits import Group, LimitsOf
from plugins.ksef.tests import company, polish
from plugins.ksef.tests.company import NUMBER, decoded, verify
from tests.networks.ksef import samples
from tests.networks.ksef.keys import digest

OPEN = "POST /sessions/online"
SEND = "POST /sessions/online/{referenceNumber}/invoices"
CODES = "OFFLINE_CODES"


@pytest.fixture(autouse=True)
def noon(move):
    """The time of the tests, also of the stand-in."""


@pytest.fixture
def seller(point, authority):
    """The connection of a seller with an Offline certificate."""
    return with_certificate(point, authority)


def with_certificate(point, authority, **given):
    token = {"token": authority.issue_token(company.SELLER)}
    return company.connected(point, token | company.offline_credentials(**given))


def invoice(days_ago=0, **changes):
    """An invoice of today, as it is accepted now."""
    number = f"FV/{next(company._numbers)}"
    issued = poland.today() - timedelta(days=days_ago)
    document = samples.fa3(number, issued=issued)
    return company.envelope(number, document=document, accepted_at=clock.now(), **changes)


def codes_in(outcome) -> list[str]:
    found = [each for each in outcome.evidence if each.kind.code == CODES]
    return found[0].content.decode().split() if found else []


def modes(service) -> list[bool]:
    """What was declared, of each invoice sent singly."""
    return [each.request.json()["offlineMode"] for each in service.named(SEND)]


def unreachable(service):
    service.faults = lambda _: "gateway"


def reachable(service):
    service.faults = lambda _: None


def test_an_invoice_of_today_is_sent_online_and_has_no_codes(service, point, seller):
    bound, one = company.bound(point, seller), invoice()
    outcome = bound.submit(one, bound.prepare(one))
    delivered = company.settled(bound, one, outcome)

    assert isinstance(outcome, Pending)
    assert codes_in(outcome) == codes_in(delivered) == []
    assert modes(service) == [False]
    assert b"<TrybWysylki>Online</TrybWysylki>" in delivered.evidence[1].content


def test_an_invoice_that_cannot_be_sent_has_codes_and_is_declared_offline(
    service, point, seller, authority
):
    """Both codes are of the document that is sent later; the certificate signs the second."""
    bound, one = company.bound(point, seller), invoice()
    prepared = bound.prepare(one)
    unreachable(service)
    waits = bound.submit(one, prepared)
    reachable(service)
    again = replace(one, attempt=2)
    outcome = bound.submit(again, prepared)
    delivered = company.settled(bound, again, outcome)
    first, second = codes_in(waits)
    digest = numbers.hash_of(one.document)
    path, _, signature = second.removeprefix("https://").rpartition("/")
    _, certificate = company.offline_certificate()
    host, nip = "qr-test.ksef.mf.gov.pl", company.SELLER

    assert isinstance(waits, NotSent)
    assert first == f"https://{host}/invoice/{nip}/{poland.today():%d-%m-%Y}/{digest}"
    assert path == f"{host}/certificate/Nip/{nip}/{nip}/01F20A5D352AE590/{digest}"
    verify(certificate.public_key(), path.encode(), decoded(signature))
    assert codes_in(outcome) == [first, second]
    assert isinstance(delivered, Delivered)
    assert modes(service) == [True]
    assert b"<TrybWysylki>Offline</TrybWysylki>" in delivered.evidence[1].content


def test_an_answer_that_is_lost_makes_an_invoice_one_issued_offline(service, point, seller):
    """Where KSeF has never got it, it is sent again so."""
    bound, one = company.bound(point, seller), invoice()
    prepared = bound.prepare(one)
    company.sent(bound, invoice())
    service.faults = lambda name: "gateway" if name == SEND else None
    outcome = bound.submit(one, prepared)
    reachable(service)
    again = replace(one, attempt=2)

    assert isinstance(outcome, Unknown)
    assert len(codes_in(outcome)) == 2
    assert codes_in(bound.submit(again, prepared)) == codes_in(outcome)
    assert modes(service) == [False, True]


ONLINE, HAS_CODES = Way(), Way(kept={"codes": "https://one\r\nhttps://two\r\n"})
DECLARED = Way(offline=True, kept=HAS_CODES.kept)
CORRECTION = Way(offline=True, kept={"corrects": "digest"})


@pytest.mark.parametrize(
    ("way", "outcome", "waits"),
    [
        (HAS_CODES, NotSent("down"), True),
        (HAS_CODES, Unknown("no answer"), True),
        (HAS_CODES, NotSent("limit", retry_after=60), False),
        (DECLARED, NotSent("limit", retry_after=60), True),
        (DECLARED, NotSent("down"), True),
        (CORRECTION, NotSent("down"), True),
        (DECLARED, Pending("r"), False),
        (ONLINE, NotSent("down"), False),
        (ONLINE, Unknown("no answer"), False),
    ],
)
@pytest.mark.parametrize("environment", [Environment.LIVE, Environment.TEST])
def test_an_invoice_issued_offline_is_submitted_for_as_long_as_the_law_gives(
    point, seller, environment, way, outcome, waits
):
    """Seven working days, with the holidays of Poland 18 days; in the sandbox as all others."""
    side = replace(point.side, environment=environment)
    one = invoice()
    issuing = company.bound(Ksef(side, point.store), seller)._issuing
    found = issuing.noted(one, way, outcome)
    until = one.accepted_at + timedelta(days=19) if environment is Environment.LIVE else None

    assert getattr(found, "retry_until", None) == (until if waits else None)


def test_a_second_attempt_that_was_late_by_limits_is_online(service, point, seller, move):
    """A pause that KSeF asks for makes no invoice one issued offline."""
    bound, one = company.bound(point, seller), invoice()
    prepared = bound.prepare(one)
    LimitsOf(point.store, point.name, company.SELLER).pause(Group.ONLINE_SESSION, 30)
    waits = bound.submit(one, prepared)
    move(seconds=31)
    outcome = bound.submit(replace(one, attempt=2), prepared)

    assert isinstance(waits, NotSent)
    assert waits.retry_after is not None
    assert codes_in(waits) == codes_in(outcome) == []
    assert modes(service) == [False]


def test_an_invoice_of_yesterday_is_issued_offline(service, point, seller):
    """KSeF takes it for one itself."""
    bound, one = company.bound(point, seller), invoice(days_ago=1)
    outcome = bound.submit(one, bound.prepare(one))

    assert len(codes_in(outcome)) == 2
    assert modes(service) == [True]


def test_an_invoice_whose_day_ends_before_it_is_sent_is_issued_offline(
    service, point, seller, move
):
    bound, one = company.bound(point, seller), invoice()
    prepared = bound.prepare(one)
    move(days=1)

    assert len(codes_in(bound.submit(one, prepared))) == 2
    assert modes(service) == [True]


def test_all_invoices_are_issued_offline_where_the_tenant_wants_it(service, point, authority):
    connection = with_certificate(point, authority, use="always")
    bound, one = company.bound(point, connection), invoice()
    outcome = bound.submit(one, bound.prepare(one))

    assert len(codes_in(outcome)) == 2
    assert modes(service) == [True]


def test_what_need_not_be_issued_offline_is_not(service, point, authority):
    """The tenant has taken “always” back."""
    connection = with_certificate(point, authority, use="needed")
    bound, one = company.bound(point, connection), invoice()

    assert codes_in(bound.submit(one, bound.prepare(one))) == []
    assert modes(service) == [False]


def test_without_a_certificate_nothing_is_declared(service, bound):
    """Neither after a failure, nor on a later day: KSeF sets the mode by the date itself."""
    one = invoice(days_ago=1)
    prepared = bound.prepare(one)
    unreachable(service)
    waits = bound.submit(one, prepared)
    reachable(service)
    bound.submit(replace(one, attempt=2), prepared)

    assert prepared.state == {}
    assert waits.evidence == ()
    assert modes(service) == [False]


def test_a_package_has_invoices_of_one_mode(service, point, seller, authority):
    """Of a job with both there are two packages."""
    bound = company.bound(point, seller)
    batch = [(one, bound.prepare(one)) for one in (invoice(number % 2) for number in range(24))]
    found = dict(pair for group in bound.submit_as_completed(batch) for pair in group)
    declared = [
        each.request.json()["offlineMode"] for each in service.named("POST /sessions/batch")
    ]

    assert declared == [False, True]
    assert [bool(codes_in(found[place])) for place in range(24)] == [False, True] * 12


def test_what_the_network_could_not_process_is_sent_again_in_its_mode(
    service, point, seller, authority
):
    bound, one = company.bound(point, seller), invoice(days_ago=1)
    verdicts = [(550, ()), None]
    authority.verdict = lambda facts: verdicts.pop(0)
    company.sent(bound, one)

    assert modes(service) == [True, True]


# -- technical corrections -------------------------------------------------------------------------


def defective(number, days_ago=1):
    """An invoice that a writer with a defect has made, and the invoice as it is stored."""
    made = polish.invoice(number=number, issue_date=poland.today() - timedelta(days=days_ago))
    source, right = ubl.document_xml(made), form.write(form.adapt(made).invoice)
    wrong = company.refused(right)
    one = company.envelope(number, document=wrong, source=source, accepted_at=clock.now())
    return one, right


def again(one, **changes):
    """The same invoice in another transmission, as a resend makes it."""
    other = company.envelope(one.number)
    return replace(one, transmission_id=other.transmission_id, instance_id=other.instance_id,
                   **changes)  # fmt: skip


def corrected(service) -> list[str | None]:
    """The digests that were named, of each invoice sent singly."""
    return [each.request.json().get("hashOfCorrectedInvoice") for each in service.named(SEND)]


def test_a_refused_invoice_is_written_again_and_corrects_the_first(service, point, seller):
    """A defect of the writer was repaired: the content is the same, the bytes are others."""
    bound, (one, right) = company.bound(point, seller), defective("FV/T/1")
    first = company.sent(bound, one)
    second = again(one)
    prepared = bound.prepare(second)
    delivered = company.settled(bound, second, bound.submit(second, prepared))

    assert isinstance(first, Rejected)
    assert prepared.content == right
    assert corrected(service) == [None, digest(one.document)]
    assert modes(service) == [True, True]
    assert isinstance(delivered, Delivered)
    assert delivered.evidence[0].content == right
    assert digest(right).encode() in delivered.evidence[1].content


def test_a_correction_that_is_refused_too_is_followed_by_one_of_the_first(
    service, point, seller, authority
):
    """The buyer has the codes of the first."""
    verdicts = [(450, ("Błąd",)), None]
    bound, (one, _) = company.bound(point, seller), defective("FV/T/2")
    company.sent(bound, one)
    authority.verdict = lambda facts: verdicts.pop(0)
    second, third = again(one), again(one)

    assert isinstance(company.sent(bound, second), Rejected)
    assert isinstance(company.sent(bound, third), Delivered)
    assert corrected(service) == [None, digest(one.document), digest(one.document)]


def test_an_answer_that_is_lost_leads_to_the_correction_by_its_own_digest(service, point, seller):
    bound, (one, right) = company.bound(point, seller), defective("FV/T/3")
    company.sent(bound, one)
    second = again(one)
    prepared = bound.prepare(second)
    losses = ["lost"]
    service.faults = lambda name: losses.pop() if losses and name == SEND else None
    outcome = bound.submit(second, prepared)
    delivered = company.settled(bound, second, bound.find(second, prepared))

    assert isinstance(outcome, Unknown)
    assert isinstance(delivered, Delivered)
    assert delivered.evidence[0].content == right


def test_corrections_go_singly_beside_a_package(service, point, seller):
    """Batch sessions take none."""
    bound, (one, _) = company.bound(point, seller), defective("FV/T/4")
    company.sent(bound, one)
    envelopes = [again(one), *(invoice() for _ in range(12))]
    batch = [(each, bound.prepare(each)) for each in envelopes]
    found = dict(pair for group in bound.submit_as_completed(batch) for pair in group)

    assert all(isinstance(found[place], Pending) for place in range(13))
    assert corrected(service) == [None, digest(one.document)]
    assert len(service.named("POST /sessions/batch")) == 1


def numbered(number, days_ago=1):
    issued = poland.today() - timedelta(days=days_ago)
    document = samples.fa3(number, issued=issued)
    return company.envelope(number, document=document, accepted_at=clock.now())


def used(bound, number, days_ago=1):
    """An invoice issued offline whose number another one has in KSeF, and its outcome."""
    first = numbered(number, days_ago)
    other = numbered(number, days_ago)
    company.sent(bound, replace(other, document=first.document.replace(b"123.00", b"246.00")))
    return first, company.sent(bound, first)


def renumbered(one, number, **changes):
    document = one.document.replace(one.number.encode(), number.encode())
    return replace(company.envelope(number, document=document), **changes)


def test_a_used_number_of_an_invoice_issued_offline_is_corrected_by_a_new_one(
    service, point, seller
):
    """Its printed codes lead to the invoice with the new number (guide korekta-techniczna.md)."""
    bound = company.bound(point, seller)
    first, refused = used(bound, "FV/N/1")
    second = renumbered(first, "FV/N/2")
    prepared = bound.prepare(second)
    delivered = company.settled(bound, second, bound.submit(second, prepared))

    assert (type(refused), refused.code) == (Rejected, "440")
    assert prepared.state["corrects"] == bound.prepare(second).state["corrects"]
    assert isinstance(delivered, Delivered)
    assert corrected(service) == [None, None, digest(first.document)]
    third = renumbered(first, "FV/N/3")
    assert isinstance(company.sent(bound, third), Delivered)
    assert corrected(service)[-1] is None


@pytest.mark.parametrize("change", ["content", "tenant", "online"])
def test_another_invoice_does_not_correct_one_with_a_used_number(service, point, seller, change):
    """One with another content, of another tenant, or where the first was not issued offline."""
    bound = company.bound(point, seller)
    first, refused = used(bound, "FV/N/4", days_ago=0 if change == "online" else 1)
    second = renumbered(first, "FV/N/5")
    if change == "content":
        second = replace(second, document=second.document.replace(b"123.00", b"246.00"))
    if change == "tenant":
        second = replace(second, tenant_id="another")
    company.sent(bound, second)

    assert isinstance(refused, Rejected)
    assert corrected(service) == [None, None, None]


@pytest.mark.parametrize("code", [410, 430, 450])
def test_only_faults_of_file_and_content_are_corrected(service, point, seller, authority, code):
    """Missing rights are not (guide korekta-techniczna.md, remark 1)."""
    authority.verdict = lambda facts: (code, ("Błąd",))
    bound, (one, right) = company.bound(point, seller), defective("FV/T/5")
    readable = replace(one, document=right.replace(b"szt.", b"sztuka"))
    company.sent(bound, readable)
    prepared = bound.prepare(again(readable))

    assert readable.document != right
    assert prepared.content == (None if code == 410 else right)


def test_an_invoice_that_is_written_the_same_is_sent_as_before(service, point, seller, authority):
    authority.verdict = lambda facts: (450, ("Błąd",))
    bound, (one, right) = company.bound(point, seller), defective("FV/T/6")
    same = replace(one, document=right)
    company.sent(bound, same)
    company.sent(bound, again(same))

    assert corrected(service) == [None, None]


def test_a_refused_invoice_that_was_online_is_not_corrected(service, point, seller, authority):
    authority.verdict = lambda facts: (450, ("Błąd",))
    bound, (one, right) = company.bound(point, seller), defective("FV/T/7", days_ago=0)
    online = replace(one, document=right.replace(b"szt.", b"sztuka"))
    company.sent(bound, online)

    assert modes(service) == [False]
    assert bound.prepare(again(online)).content is None


def test_a_document_of_another_program_is_never_written_again():
    """It may say what the stored invoice does not."""
    _, right = defective("FV/T/8")
    source = ubl.document_xml(polish.invoice())

    assert written_again(source, right) is not None
    assert written_again(source, right.replace(b">einvoice<", b">ERP<")) is None


@pytest.mark.parametrize("name", polish.INVOICES)
def test_what_is_written_again_is_the_same_without_a_defect(name):
    """Nothing is lost on the way through the stored invoice, KSeF numbers included."""
    made = polish.INVOICES[name]()
    known = tuple(replace(each, authority_number=NUMBER) for each in made.preceding)
    made = replace(made, preceding=known)
    document = form.write(form.adapt(made).invoice)

    assert written_again(ubl.document_xml(made), document) == document


TO_GERMANY = replace(polish.BUYER, vat_id=None, address=polish.BERLIN, omitted_tax_id="DE123")
ADVANCE = Prepayment("ZAL/1", polish.DAY, polish.invoice().taxes[0])


@pytest.mark.parametrize(
    ("changes", "is_written"),
    [
        ({"further": {"exchangeRate": "4.2711"}}, True),
        ({"buyer": TO_GERMANY}, True),
        ({"preceding": (PrecedingInvoice("ZAL/1"),)}, True),
        ({"preceding": (PrecedingInvoice("ZAL/1", None, NUMBER),)}, False),
        ({"prepayments": (ADVANCE,)}, False),
    ],
)
def test_what_ubl_has_no_place_for_is_the_same_or_nothing_is_written_again(changes, is_written):
    """A technical correction may not change what an invoice says."""
    made = replace(polish.INVOICES["in euro"](), **changes)
    if made.prepayments:
        made = replace(made, currency="PLN", totals=replace(made.totals, prepaid=Decimal("123.00")))
    document = form.write(form.adapt(made).invoice)
    stored = ubl.document_xml(replace(made, prepayments=()))

    assert written_again(stored, document) == (document if is_written else None)
