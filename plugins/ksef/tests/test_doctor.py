"""`einvoice doctor` on KSeF."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.http import Response
from einvoice.network.checks import Level
from einvoice_ksef import doctor
from einvoice_ksef.configuration import Provider
from einvoice_ksef.identity import Identity
from einvoice_ksef.limits import Group, LimitsOf
from einvoice_ksef.mailbox_faults import MailboxFaults
from einvoice_ksef.warnings import Warnings
from plugins.ksef.tests import company
from tests.networks.ksef import samples


@pytest.fixture
def check(point):
    """A function that runs one check, with the store of the access point."""

    def _check(name, **changes):
        side = replace(point.side, **changes)
        (found,) = [c for c in doctor.checks(side, point.store) if c.name == f"test-{name}"]
        return found.run()

    return _check


@pytest.mark.parametrize(
    ("off", "level"), [(0, Level.GOOD), (60, Level.WARNING), (600, Level.ERROR)]
)
def test_the_clock_is_compared_with_that_of_the_network(check, monkeypatch, off, level):
    now = clock.now() + timedelta(seconds=off)
    monkeypatch.setattr(clock, "now", lambda: now)

    assert check("clock").level is level


def test_a_network_that_does_not_answer_is_an_error(check):
    assert check("clock", url="http://127.0.0.1:9/v2").level is Level.ERROR


def test_accounts_are_counted_by_their_way_of_logging_in(check, point, authority):
    company.connected(point, {"token": authority.issue_token(company.SELLER)})
    company.connected(point, company.in_pem(*samples.seal_of("1111111111")), nip="1111111111")
    found = check("accounts")

    assert found.level is Level.GOOD
    assert "accounts: 1 by certificate, 1 by token" in found.sentence


def test_a_certificate_that_soon_ends_is_a_warning_with_its_days(check, point):
    until = clock.now() + timedelta(days=10, hours=1)
    company.connected(point, company.in_pem(*samples.seal_of(until=until)))
    found = check("accounts")

    assert found.level is Level.WARNING
    assert f"that of {company.SELLER} in 10 days" in found.sentence


@pytest.mark.parametrize(("days", "level"), [(29, Level.WARNING), (31, Level.GOOD)])
def test_the_end_of_an_offline_certificate_is_shown(check, point, authority, days, level):
    given = company.offline_credentials(until=clock.now() + timedelta(days=days))
    company.connected(point, {"token": authority.issue_token(company.SELLER)} | given)
    found = check("offline")

    assert found.level is level
    assert "Offline certificates: 1" in found.sentence


@pytest.mark.parametrize(("percent", "level"), [(79, Level.GOOD), (81, Level.WARNING)])
def test_the_calls_of_an_hour_are_compared_with_the_limits(check, point, authority, percent, level):
    company.connected(point, {"token": authority.issue_token(company.SELLER)})
    limits = LimitsOf(point.store, point.name, company.SELLER)
    most = limits.rate(Group.SEND).hour
    now = int(clock.now().timestamp() * 1000) - 60_000
    times = ",".join(str(now) for _ in range(most * percent // 100 + 1))
    point.store.values[f"limits-{point.name}-{company.SELLER}-invoiceSend"] = f"0;{times}"
    found = check("limits")

    assert found.level is level
    assert f"of {most} invoiceSend" in found.sentence


def test_a_newer_version_of_the_api_is_a_warning(check, monkeypatch):
    def answer(version):
        body = f'{{"description": "**Wersja API:** {version} (build 1)'.encode()
        monkeypatch.setattr(doctor.Client, "send", lambda *_, **__: Response(200, {}, body))
        return check("version")

    assert answer("2.7.0").level is Level.GOOD
    assert answer("2.7.3").level is Level.GOOD
    assert answer("2.6.1").level is Level.GOOD
    assert answer("2.10.0").level is Level.WARNING
    assert "API 3.0.0, the plugin is written for 2.7.0" in answer("3.0.0").sentence


def test_a_network_that_does_not_say_its_version_is_a_warning(check):
    assert check("version").level is Level.WARNING


def test_what_cannot_be_fetched_is_shown_until_it_was(check, point, monkeypatch):
    """For a week, with the account and the reason of the last one."""
    assert check("mailboxes").level is Level.GOOD
    faults = MailboxFaults(point.store, point.name, company.BUYER)
    faults.note(company.NUMBER, "not  there")
    faults.note("package of Subject2", "not built")
    faults.solved("package of Subject2")
    found = check("mailboxes")

    assert found.level is Level.WARNING
    assert f"NIP {company.BUYER}: {company.NUMBER}: not there" in found.sentence
    later = clock.now() + timedelta(days=8)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert check("mailboxes").level is Level.GOOD


def test_warnings_of_the_system_are_shown_for_a_month(check, point, monkeypatch):
    assert check("warnings").level is Level.GOOD
    Warnings(point.store, point.name).note("Przerwa  techniczna")
    found = check("warnings")

    assert found.level is Level.WARNING
    assert "warnings of KSeF: 1" in found.sentence
    assert "Przerwa techniczna" in found.sentence
    later = clock.now() + timedelta(days=31)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert check("warnings").level is Level.GOOD


@pytest.mark.parametrize(
    ("days", "level"), [(None, Level.WARNING), (29, Level.WARNING), (31, Level.GOOD)]
)
def test_the_certificates_of_signers_are_known_and_valid(check, days, level):
    until = None if days is None else clock.now() + timedelta(days=days)
    signers = () if until is None else (samples.seal_of(until=until)[1],)

    assert check("signers", signers=signers).level is level


@pytest.mark.parametrize(
    ("days", "level"), [(-1, Level.ERROR), (20, Level.WARNING), (100, Level.GOOD)]
)
def test_the_certificate_of_the_provider_is_watched(check, days, level):
    key, _ = samples.provider_seal(company.PROVIDER)
    _, certificate = samples.seal_of(key=key, until=clock.now() + timedelta(days=days, hours=1))
    found = check("provider", provider=Provider(company.PROVIDER, Identity(certificate, key)))

    assert found.level is level
    assert "0 of 180 PEF" in found.sentence


def test_without_a_provider_none_is_watched(point):
    names = {each.name for each in doctor.checks(point.side, point.store)}

    assert "test-provider" not in names
