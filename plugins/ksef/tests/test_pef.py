"""PEF: sent unchanged by a provider of Peppol services, for sellers that have permitted it."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from einvoice.network.connection_testing import ConnectedContract, renewed
from einvoice.network.connections import NeedsPerson, NotChecked, Works
from einvoice.network.mailbox_testing import MailboxContract
from einvoice.network.testing import AccessPointContract
from einvoice.network.types import Delivered, NotSent, Pending, Prepared, Rejected
from einvoice_ksef import evidence
from einvoice_ksef.configuration import Provider
from einvoice_ksef.forms import PEF
from einvoice_ksef.identity import Identity
from einvoice_ksef.limits import Group
from einvoice_ksef.tokens import ACCESS, REFRESH
from plugins.ksef.tests import company
from tests.memory_store import MemoryStore
from tests.networks.ksef import samples, texts
from tests.networks.ksef.client import Client
from tests.networks.ksef.keys import digest
from tests.networks.ksef.limits import PRODUCTION

OPEN = "POST /sessions/online"
SEND = "POST /sessions/online/{referenceNumber}/invoices"
LOGIN = "POST /auth/xades-signature"
GRANTS = "POST /permissions/query/authorizations/grants"
OTHER = "7740001454"  # NIP of another company


class TestSellers(ConnectedContract):
    @pytest.fixture
    def access_point(self, pef_point):
        return pef_point

    @pytest.fixture
    def connection(self, authority, pef_connection):
        """Opened, and given once more what shows the company."""
        given = {"token": authority.issue_token(company.SELLER)}
        return replace(pef_connection, credentials={**pef_connection.credentials, **given})

    @pytest.fixture
    def an_envelope(self):
        return company.pef_envelope


class TestDocuments(AccessPointContract):
    @pytest.fixture
    def access_point(self, pef_bound):
        return pef_bound

    @pytest.fixture
    def an_envelope(self):
        return company.pef_envelope

    @pytest.fixture
    def offline(self, pef_connection):
        return company.bound(company.pef_point_at("http://127.0.0.1:9/v2"), pef_connection)


# -- documents -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "form"), [(samples.pef, "PEF (3)"), (samples.pef_correction, "PEF_KOR (3)")]
)
def test_a_document_is_sent_as_it_is_under_its_form(authority, pef_bound, service, document, form):
    """Invoice and credit note: the number, the legal original byte by byte, and the UPO."""
    one = company.pef_envelope("P/1", document=document("P/1"))
    outcome = company.sent(pef_bound, one)
    [number] = authority.archive
    opened = service.named(OPEN)[-1].request.json()

    assert isinstance(outcome, Delivered), outcome
    original, receipt = outcome.evidence
    assert authority.archive[number].content == one.document == original.content
    assert (original.authority_reference, original.legal_original) == (number, True)
    upo = evidence.read(receipt.content)
    assert upo.confirms(digest(one.document))
    assert upo.context == ("IdDostawcyUslugPeppol", company.PROVIDER)
    code = {"systemCode": form, "schemaVersion": "2-1", "value": "PEF"}
    assert opened["formCode"] == code


def test_the_login_is_that_of_the_provider(authority, pef_connection):
    login = next(each for each in authority.logins.values() if each.context[0] == "PeppolId")

    assert login.context == login.subject == ("PeppolId", company.PROVIDER)
    assert login.method == "PeppolSignature"
    access = authority.tokens.issued[pef_connection.credentials[ACCESS]]
    assert access[1] is login


def test_sellers_share_the_session_of_the_provider(authority, pef_point, pef_bound, service):
    """KSeF counts the openings of the provider, not of its sellers."""
    authority.grant(("Nip", OTHER), ("PeppolId", company.PROVIDER), "PefInvoicing")
    given = {"token": authority.issue_token(OTHER)}
    other = company.bound(pef_point, company.connected(pef_point, given, OTHER, "c9"))
    before = len(service.named(OPEN))
    mine = company.sent(pef_bound, company.pef_envelope())
    theirs = company.sent(other, company.pef_envelope(seller=OTHER))

    assert isinstance(mine, Delivered)
    assert isinstance(theirs, Delivered)
    assert len(service.named(OPEN)) - before == 1


def test_another_secret_has_sessions_of_its_own(authority, service, permitted):
    """As after a change of the certificate: the keys of sessions are derived from it."""
    store, given = MemoryStore(), {"token": authority.issue_token(company.SELLER)}
    key = samples.elliptic_key()
    _, certificate = samples.provider_seal(company.PROVIDER, key)
    later = Provider(company.PROVIDER, Identity(certificate, key))
    for provider in (company.provider(), later):
        point = company.pef_point_at(service.url, store, given=provider)
        bound = company.bound(point, company.connected(point, given))
        assert isinstance(company.sent(bound, company.pef_envelope()), Delivered)


def test_many_documents_are_sent_one_by_one(authority, pef_bound, service):
    """KSeF takes no packages of PEF."""
    envelopes = [company.pef_envelope() for _ in range(15)]
    batch = [(one, pef_bound.prepare(one)) for one in envelopes]
    outcomes = [outcome for group in pef_bound.submit_as_completed(batch) for _, outcome in group]

    assert all(isinstance(each, Pending) for each in outcomes)
    assert len(service.named(SEND)) == 15
    assert not service.named("POST /sessions/batch")


def test_above_the_limit_documents_wait(authority, pef_point, pef_bound, service):
    """Those of all sellers of the provider count together."""
    authority.limits.own[f"PeppolId:{company.PROVIDER}"] = dict(PRODUCTION)
    limits = pef_point.limits_of_provider()
    limits.learn({Group.SEND: {"perSecond": 10, "perMinute": 3, "perHour": 3}})
    batch = [(one, pef_bound.prepare(one)) for one in (company.pef_envelope() for _ in range(5))]
    outcomes = [outcome for group in pef_bound.submit_as_completed(batch) for _, outcome in group]

    assert [type(each) for each in outcomes] == [Pending] * 3 + [NotSent] * 2
    assert all(each.retry_after for each in outcomes[3:])
    assert len(service.named(SEND)) == 3


def test_a_document_of_another_seller_is_not_sent(pef_bound, service):
    """KSeF would take it where that company has permitted the provider too."""
    found = pef_bound.prepare(company.pef_envelope(seller=OTHER))

    assert isinstance(found, Rejected)
    assert (found.code, found.reason_code) == ("seller", "sender-refused")
    assert OTHER in found.reason
    assert not service.named(SEND)


def test_a_second_tax_number_of_a_seller_is_refused(pef_bound):
    """Whichever of them KSeF reads, it is that of the connection."""
    after = b"</cac:PartyTaxScheme>"
    more = (
        f"<cac:PartyTaxScheme><cbc:CompanyID>{OTHER}</cbc:CompanyID><cac:TaxScheme>"
        "<cbc:ID>OTH</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>"
    )
    document = samples.pef("P/1").replace(after, after + more.encode(), 1)
    found = pef_bound.prepare(company.pef_envelope("P/1", document=document))

    assert isinstance(found, Rejected)
    assert OTHER in found.reason


@pytest.mark.parametrize("register", ["0000123456", OTHER])
def test_a_register_number_is_not_taken_for_a_tax_number(pef_bound, register):
    """The ministry's sample of a correction has one of the form of a NIP."""
    after = b"<cbc:RegistrationName>Supplier</cbc:RegistrationName>"
    more = f"<cbc:CompanyID>{register}</cbc:CompanyID>".encode()
    document = samples.pef("P/1").replace(after, after + more, 1)
    found = pef_bound.prepare(company.pef_envelope("P/1", document=document))

    assert not isinstance(found, Rejected)


@pytest.mark.parametrize("document", [samples.fa3("F/1"), b"<Invoice/>", b"no XML"])
def test_what_is_not_ubl_is_not_sent_as_pef(pef_bound, document):
    found = pef_bound.prepare(company.pef_envelope("F/1", document=document))

    assert isinstance(found, Rejected)
    assert found.code == "not-pef"


def test_ubl_is_not_sent_by_the_account_of_a_taxpayer(bound):
    """KSeF takes PEF of providers only."""
    found = bound.prepare(company.pef_envelope())

    assert isinstance(found, Rejected)
    assert found.code == "not-fa"


def test_fa_under_the_form_of_pef_is_refused(authority, pef_bound, monkeypatch):
    """Even if it were sent."""
    one = company.pef_envelope("F/1", document=samples.fa3("F/1"))
    monkeypatch.setattr("einvoice_ksef.submission.form_of", lambda _: PEF)
    outcome = company.settled(pef_bound, one, pef_bound.submit(one, Prepared("m1")))

    assert isinstance(outcome, Rejected), outcome
    assert outcome.code == "430"


def test_a_permission_that_was_withdrawn_is_named(authority, pef_bound):
    authority.rights[("Nip", company.SELLER)].clear()
    outcome = company.sent(pef_bound, company.pef_envelope())

    assert isinstance(outcome, Rejected)
    assert (outcome.code, outcome.reason_code) == ("410", "sender-refused")
    assert "PefInvoicing" in outcome.reason
    assert company.PROVIDER in outcome.reason
    assert outcome.findings[0].text == texts.INVOICE[410]


def test_what_the_provider_lacks_blocks_no_seller(authority, pef_bound):
    """Its documents are sent again later."""
    for login in authority.logins.values():
        login.permissions = frozenset()
    one = company.pef_envelope()
    outcome = pef_bound.submit(one, pef_bound.prepare(one))

    assert isinstance(outcome, NotSent), outcome
    assert outcome.retry_after
    assert "provider of Peppol services" in outcome.reason


# -- accounts --------------------------------------------------------------------------------------


def opened(point, credentials):
    return point.open(company.new_connection(credentials))


def test_a_seller_without_the_permission_learns_which_one(authority, pef_point):
    outcome = opened(pef_point, {"token": authority.issue_token(company.SELLER)})

    assert isinstance(outcome, NeedsPerson)
    assert "PefInvoicing" in outcome.reason
    assert company.PROVIDER in outcome.reason


def test_a_check_finds_the_permission_that_was_given_since(authority, pef_point):
    """The proof is not asked for again."""
    new = company.new_connection({"token": authority.issue_token(company.SELLER)})
    waiting = renewed(new, pef_point.open(new))
    assert isinstance(pef_point.check(waiting), NeedsPerson)
    authority.grant(("Nip", company.SELLER), ("PeppolId", company.PROVIDER), "PefInvoicing")

    assert isinstance(pef_point.check(waiting), Works)


def test_a_check_finds_the_permission_that_was_withdrawn(
    move, authority, pef_point, pef_connection
):
    authority.rights[("Nip", company.SELLER)].clear()
    assert isinstance(pef_point.check(pef_connection), Works)  # asked for every five hours
    move(hours=6)
    outcome = pef_point.check(pef_connection)

    assert isinstance(outcome, NeedsPerson)
    assert "PefInvoicing" in outcome.reason


def test_renewals_do_not_ask_for_the_permission_each_time(pef_point, pef_connection, service):
    before = len(service.named(GRANTS))
    for _ in range(5):
        assert isinstance(pef_point.check(pef_connection), Works)

    assert len(service.named(GRANTS)) == before


def test_the_limits_are_those_that_ksef_states_for_the_provider(authority, pef_point, permitted):
    own = {**PRODUCTION, "invoiceSend": (7, 70, 700)}
    authority.limits.own[f"PeppolId:{company.PROVIDER}"] = own
    assert pef_point.limits_of_provider().rate(Group.SEND).hour == 180
    assert isinstance(opened(pef_point, {"token": authority.issue_token(company.SELLER)}), Works)

    assert pef_point.limits_of_provider().rate(Group.SEND).counts == (7, 70, 700)


def test_the_permission_of_another_company_does_not_count(authority, pef_point):
    authority.grant(("Nip", OTHER), ("PeppolId", company.PROVIDER), "PefInvoicing")
    outcome = opened(pef_point, {"token": authority.issue_token(company.SELLER)})

    assert isinstance(outcome, NeedsPerson)


@pytest.mark.parametrize("rights", [("InvoiceRead",), ("Introspection", "InvoiceRead")])
def test_a_reader_of_a_company_cannot_send_for_it(authority, pef_point, permitted, rights):
    """The permission is given to the provider, so it says nothing of the tenant."""
    outcome = opened(pef_point, {"token": authority.issue_token(company.SELLER, *rights)})

    assert isinstance(outcome, NeedsPerson)
    assert "InvoiceWrite" in outcome.reason
    assert not outcome.credentials


def test_the_account_of_another_company_shows_nothing(authority, pef_point, permitted):
    outcome = opened(pef_point, {"token": authority.issue_token(OTHER)})

    assert isinstance(outcome, NeedsPerson)


def test_a_company_that_was_shown_need_not_be_shown_again(pef_point, pef_connection):
    assert isinstance(pef_point.open(pef_connection), Works)


def test_nothing_given_shows_nothing(pef_point, permitted):
    assert isinstance(opened(pef_point, {}), NeedsPerson)


@pytest.mark.parametrize("given", ["token", "certificate"])
def test_what_shows_the_company_is_not_stored(authority, pef_point, permitted, given):
    credentials = {"token": authority.issue_token(company.SELLER)}
    if given == "certificate":
        credentials = company.in_pkcs12(*samples.seal_of())
    outcome = opened(pef_point, credentials)

    assert isinstance(outcome, Works), outcome
    assert not set(credentials) & set(outcome.credentials)
    assert not set(credentials.values()) & set(outcome.credentials.values())


def test_the_session_that_shows_the_company_is_closed_empty(authority, pef_connection):
    [session] = authority.sessions.values()

    assert session.login.context == ("Nip", company.SELLER)
    assert session.closed is not None
    assert session.invoices == []


def test_a_proof_that_could_not_be_made_is_made_by_the_next_check(authority, pef_point, service,
                                                                  permitted):  # fmt: skip
    new = company.new_connection({"token": authority.issue_token(company.SELLER)})
    service.faults = lambda call: "gateway" if call == OPEN else None
    assert isinstance(pef_point.open(new), NotChecked)
    service.faults = lambda call: None

    assert isinstance(pef_point.check(new), Works)


def test_a_change_of_the_account_needs_another_proof(pef_point, pef_connection):
    """The state says for which company it was made."""
    other = replace(pef_connection, account=OTHER)

    assert isinstance(pef_point.check(other), NeedsPerson)


def test_a_provider_that_cannot_log_in_is_no_fault_of_the_tenant(authority, service, permitted):
    """Its documents are sent again later; the state of its connection stays."""
    key, certificate = samples.provider_seal("PPL999999")
    wrong = Provider(company.PROVIDER, Identity(certificate, key))
    point = company.pef_point_at(service.url, given=wrong)
    outcome = opened(point, {"token": authority.issue_token(company.SELLER)})

    assert isinstance(outcome, NotChecked)
    assert "provider of Peppol services" in outcome.reason


def test_a_full_login_needs_no_person(move, pef_point, pef_connection, service):
    move(days=6, hours=12)
    before = len(service.named(LOGIN))
    outcome = pef_point.check(pef_connection)

    assert isinstance(outcome, Works)
    assert len(service.named(LOGIN)) == before + 1
    assert outcome.credentials[REFRESH] != pef_connection.credentials[REFRESH]


# -- duplicates ------------------------------------------------------------------------------------


def resent(bound, one):
    """The outcome of a document that is sent again although KSeF has it."""
    return company.settled(bound, one, bound.submit(one, bound.prepare(one)))


def test_the_same_document_sent_twice_is_delivered_with_its_first_number(pef_bound):
    one = company.pef_envelope()
    first, second = company.sent(pef_bound, one), resent(pef_bound, one)

    assert isinstance(second, Delivered), second
    assert second.evidence[0].authority_reference == first.evidence[0].authority_reference


def test_a_used_number_of_another_document_is_a_duplicate(pef_bound):
    company.sent(pef_bound, company.pef_envelope("P/1"))
    other = samples.pef("P/1").replace(b">Item<", b">Other<")
    outcome = company.sent(pef_bound, company.pef_envelope("P/1", document=other))

    assert isinstance(outcome, Rejected)
    assert outcome.reason_code == "duplicate-document"


def test_a_number_used_by_another_provider_is_a_duplicate(authority, service, pef_bound):
    """Its invoice cannot be read, and was not sent from here."""
    authority.grant(("Nip", company.SELLER), ("PeppolId", "PPL999999"), "PefInvoicing")
    other = Client(service, ("PeppolId", "PPL999999")).sign_in(samples.provider_seal("PPL999999"))
    code = {"systemCode": "PEF (3)", "schemaVersion": "2-1", "value": "PEF"}
    document = samples.pef("P/1")
    taken = other.sent(other.opened(formCode=code), document)["ksefNumber"]
    outcome = company.sent(pef_bound, company.pef_envelope("P/1", document=document))

    assert isinstance(outcome, Rejected), outcome
    assert outcome.reason_code == "duplicate-document"
    assert taken in outcome.reason


# -- received --------------------------------------------------------------------------------------


class TestMail(MailboxContract):
    """Received PEF are fetched by the account of the buyer at the network `ksef`."""

    @pytest.fixture
    def access_point(self, point):
        return point

    @pytest.fixture
    def connection(self, point, authority):
        given = {"token": authority.issue_token(company.BUYER)}
        return company.connected(point, given, company.BUYER, "c2")

    @pytest.fixture
    def arrive(self, authority, service, permitted):
        """A function that lets a provider send so many documents to the buyer."""
        unlimited = dict.fromkeys(PRODUCTION, (10**6,) * 3)
        authority.limits.own[f"PeppolId:{company.PROVIDER}"] = unlimited
        client = Client(service, ("PeppolId", company.PROVIDER))
        client.sign_in(samples.provider_seal(company.PROVIDER))
        code = {"systemCode": "PEF (3)", "schemaVersion": "2-1", "value": "PEF"}
        session = client.opened(formCode=code)
        numbers = itertools.count(1)

        def arrived(count):
            sent = (client.sent(session, samples.pef(f"R/{next(numbers)}")) for _ in range(count))
            return [each["ksefNumber"] for each in sent]

        return arrived

    def wait(self, seconds):
        """The stand-in has no quota of seconds."""


def test_a_form_names_what_is_given_for_the_proof_only(pef_point):
    fields = {each.name: each for each in pef_point.describe().fields}

    assert set(fields) == {"token", "certificate", "key", "password"}
    assert "not stored" in fields["token"].hint
