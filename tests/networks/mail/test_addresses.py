"""Addresses at which a tenant receives bills: made, changed and closed."""

from types import SimpleNamespace

import pytest

from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, InvalidField, NotFound
from einvoice.network import calls
from einvoice.services.connections import mail_addresses
from einvoice.services.inbound import mailboxes
from einvoice.store import outbox
from plugins.mail.tests.test_reading import UBL, a_mail
from tests.workers import await_calls, claimed

MAIL = a_mail(("i.xml", "text/xml", UBL))
pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def address(service):
    return mail_addresses.create(
        service.tenant, Environment.TEST, service.runtime, name="Vans", gl_account_code="6130"
    )


@pytest.fixture
def read(service, move):
    """Workers read what has arrived."""

    def _read():
        mailboxes.schedule(service.runtime)
        for _ in range(3):
            move(minutes=2)
            ids, token = claimed(outbox.PLUGINS, service.tenant)
            mailboxes.run(ids, token, service.runtime)
            await_calls()
        return service.get("/api/invoices?direction=received").json["items"]

    return _read


def test_an_address_is_made_of_a_name_that_nobody_guesses(service, address):
    other = mail_addresses.create(service.tenant, Environment.TEST, service.runtime)
    local, _, domain = address.address.partition("@")

    assert (len(local), domain) == (14, "in.example.com")
    assert address.address != other.address
    assert (address.state, address.name, other.name) == ("active", "Vans", "")
    assert mail_addresses.all_of(service.tenant, Environment.TEST, service.runtime) == [
        address,
        other,
    ]


def test_bills_of_an_address_are_booked_to_its_account(service, office, address, read):
    """Where their supplier has none."""
    assert office.answer_content("b@s.example", address.address, MAIL).startswith("250")
    [bill] = read()

    assert bill["glAccountCode"] == "6130"


def test_an_extension_of_an_address_belongs_to_it(office, address, read):
    """bills+vans@ is read with bills@: no mail is kept where nobody reads it."""
    extended = address.address.replace("@", "+vans@")
    assert office.answer_recipient(extended) is None
    assert office.answer_content("b@s.example", extended, MAIL).startswith("250")

    assert len(read()) == 1


def test_a_changed_address_takes_no_mail_and_what_it_had_is_read(service, office, address, read):
    office.answer_content("b@s.example", address.address, MAIL)
    new = mail_addresses.rotate(service.tenant, address.id, service.runtime)

    assert office.answer_recipient(address.address).startswith("550")
    assert office.answer_recipient(new.address) is None
    assert (new.name, new.gl_account_code) == ("Vans", "6130")
    assert len(read()) == 1


def test_an_address_that_cannot_be_closed_now_is_replaced_once(service, address, monkeypatch):
    """The caller gets the other one: told to repeat the request, it would make a third."""

    def busy(*_):
        raise calls.PluginBusy("no answer")

    away = SimpleNamespace(
        PluginBusy=calls.PluginBusy,
        CONNECTION_SECONDS=calls.CONNECTION_SECONDS,
        connections=SimpleNamespace(call=busy),
    )
    monkeypatch.setattr(mail_addresses, "calls", away)

    new = mail_addresses.rotate(service.tenant, address.id, service.runtime)

    there = mail_addresses.all_of(service.tenant, Environment.TEST, service.runtime)
    assert [each.id for each in there] == [address.id, new.id]


def test_an_address_is_closed_after_its_mails_are_read(service, office, address, read):
    """Until then it is refused, and no new mail is taken."""
    office.answer_content("b@s.example", address.address, MAIL)
    with pytest.raises(Conflict, match="1 mails"):
        mail_addresses.close(service.tenant, address.id, service.runtime)
    assert office.answer_recipient(address.address).startswith("550")
    read()
    mail_addresses.close(service.tenant, address.id, service.runtime)

    assert mail_addresses.all_of(service.tenant, Environment.TEST, service.runtime) == []


def test_mail_for_an_address_that_nobody_reads_waits_at_the_mail_server(office, address, move):
    """Workers that are away for hours lose nothing."""
    move(minutes=90)

    assert office.answer_recipient(address.address).startswith("451")


def test_name_and_account_of_an_address_change(service, address):
    changed = mail_addresses.change(
        service.tenant, address.id, service.runtime, name="Lorries", gl_account_code=""
    )

    assert (changed.name, changed.gl_account_code) == ("Lorries", None)
    assert changed.address == address.address


def test_the_address_of_another_tenant_is_not_found(service, address):
    for act in (mail_addresses.get, mail_addresses.rotate, mail_addresses.close):
        with pytest.raises(NotFound):
            act("another", address.id, service.runtime)


def test_texts_that_are_too_long_are_refused(service, address):
    with pytest.raises(InvalidField):
        mail_addresses.change(service.tenant, address.id, service.runtime, name="x" * 100_000)
    with pytest.raises(Conflict):
        mail_addresses.create(service.tenant, Environment.LIVE, service.runtime)
