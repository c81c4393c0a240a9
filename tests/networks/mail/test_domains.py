"""A tenant's domain sends mails while DNS has its records, and never otherwise."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from einvoice.domain.errors import Conflict, InvalidField, NotFound
from einvoice.mail import Mailbox, Outgoing, smarthosts
from einvoice.mail.dns_records import NoDnsAnswer, Purpose, RecordState
from einvoice.services.account import mail_domains
from einvoice.services.account.mail_domains import DomainState
from einvoice.store.core import db
from einvoice.store.tables import Event
from tests.tables import each_row

OUTGOING = Outgoing(
    smarthosts("smtp://127.0.0.1:1"),
    Mailbox("invoices@operator.example"),
    "bounces@mx.operator.example",
)


@pytest.fixture
def runtime(service):
    return replace(service.runtime, outgoing=OUTGOING)


@pytest.fixture
def domain(service, runtime):
    return mail_domains.add(service.tenant, "Muster.Example", runtime)


class Dns:
    """TXT records by name; None: no answer."""

    def __init__(self, records=()):
        self.records = dict(records)

    def __call__(self, name):
        found = self.records.get(name, ())
        if found is None:
            raise NoDnsAnswer("Timeout")
        return (found,) if isinstance(found, str) else found


def complete(domain):
    return Dns({each.name: each.value for each in domain.records})


def test_a_new_domain_says_what_to_put_into_dns(domain):
    """One record that proves the owner, the public key, an SPF record, and a policy."""
    values = {each.purpose: (each.name, each.value) for each in domain.records}

    assert domain.state is DomainState.PENDING
    assert values[Purpose.VERIFICATION][0] == "_einvoice.muster.example"
    assert values[Purpose.DKIM][1].startswith("v=DKIM1; k=rsa; p=MIIB")
    assert values[Purpose.SPF] == ("muster.example", "v=spf1 include:mx.operator.example ~all")
    assert values[Purpose.DMARC][0] == "_dmarc.muster.example"


def test_mails_are_sent_from_it_once_all_records_are_there(service, runtime, domain):
    """Until then, and for a domain of somebody else, from the operator's address."""
    before = mail_domains.sender_of(service.tenant, "ar@muster.example", runtime)
    verified = mail_domains.check(service.tenant, domain.id, runtime, complete(domain))
    after = mail_domains.sender_of(service.tenant, "ar@muster.example", runtime)
    other = mail_domains.sender_of("another", "ar@muster.example", runtime)

    assert (before, other) == (None, None)
    assert verified.state is DomainState.VERIFIED
    assert after.mailbox.address == "ar@muster.example"
    assert b"d=muster.example" in after.signer.signed(b"From: ar@muster.example\r\n\r\nx\r\n")


@each_row(
    "purpose, found, state",
    [
        (Purpose.VERIFICATION, (), RecordState.MISSING),
        (Purpose.VERIFICATION, "einvoice-verification=another", RecordState.WRONG),
        (Purpose.DKIM, "v=DKIM1; k=rsa; p=MIIBother", RecordState.WRONG),
        (Purpose.SPF, "v=spf1 mx -all", RecordState.WRONG),
        (Purpose.SPF, ("v=spf1 include:mx.operator.example", "v=spf1 mx"), RecordState.WRONG),
        (Purpose.SPF, "v=spf1 include:mx.operator.example.evil.example", RecordState.WRONG),
    ],
)
def test_one_record_that_is_missing_keeps_it_pending(
    service, runtime, domain, purpose, found, state
):
    dns = complete(domain)
    dns.records[next(e.name for e in domain.records if e.purpose is purpose)] = found
    checked = mail_domains.check(service.tenant, domain.id, runtime, dns)

    assert checked.state is DomainState.PENDING
    assert [e.state for e in checked.records if e.purpose is purpose] == [state]


def test_a_policy_is_asked_for_and_not_needed(service, runtime, domain):
    dns = complete(domain)
    del dns.records["_dmarc.muster.example"]

    assert mail_domains.check(service.tenant, domain.id, runtime, dns).state == "verified"


def test_a_domain_whose_records_are_gone_is_lost_and_sends_no_more(service, runtime, domain):
    """A DNS server that does not answer changes nothing."""
    mail_domains.check(service.tenant, domain.id, runtime, complete(domain))
    away = mail_domains.check(
        service.tenant, domain.id, runtime, Dns({e.name: None for e in domain.records})
    )
    gone = mail_domains.check(service.tenant, domain.id, runtime, Dns())

    assert (away.state, gone.state) == (DomainState.VERIFIED, DomainState.LOST)
    assert mail_domains.sender_of(service.tenant, "ar@muster.example", runtime) is None


def test_the_tenant_is_told_once_when_a_domain_is_lost(service, runtime, domain):
    """With the records that are gone; one that was never there tells nobody."""
    mail_domains.check(service.tenant, domain.id, runtime, Dns())
    before = events_of("mail.domainLost")
    for records in (complete(domain), Dns(), Dns()):
        mail_domains.check(service.tenant, domain.id, runtime, records)
    [told] = events_of("mail.domainLost")

    assert before == []
    assert (told["domainId"], told["domain"]) == (domain.id, "muster.example")
    assert told["missing"] == [e.name for e in domain.records if e.purpose is not Purpose.DMARC]


def test_the_tenant_is_told_when_a_lost_domain_is_back(service, runtime, domain):
    """A domain that is verified for the first time was never lost."""
    mail_domains.check(service.tenant, domain.id, runtime, complete(domain))
    before = events_of("mail.domainRestored")
    for records in (Dns(), complete(domain), complete(domain)):
        mail_domains.check(service.tenant, domain.id, runtime, records)

    assert before == []
    told = {"domainId": domain.id, "domain": "muster.example"}
    assert [told.items() <= each.items() for each in events_of("mail.domainRestored")] == [True]


def events_of(event_type):
    query = sa.select(Event.payload).where(Event.type == event_type)
    with db.reading() as connection:
        return list(connection.execute(query).scalars())


@pytest.mark.parametrize(
    "name",
    ["no domain", "", "gmail.com", "x.web.de", "a@b.example", "x" * 300],
)
def test_what_is_no_own_domain_is_refused(service, runtime, name):
    with pytest.raises(InvalidField):
        mail_domains.add(service.tenant, name, runtime)


def test_a_domain_is_in_the_list_once_and_of_its_tenant(service, runtime, domain):
    with pytest.raises(Conflict):
        mail_domains.add(service.tenant, "muster.example", runtime)
    with pytest.raises(NotFound):
        mail_domains.check("another", domain.id, runtime, Dns())
    mail_domains.remove(service.tenant, domain.id)
    assert mail_domains.all_of(service.tenant, runtime) == []
