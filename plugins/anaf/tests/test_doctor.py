"""`einvoice doctor` on RO e-Factura."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.network.checks import Level
from einvoice_anaf import doctor, polling
from plugins.anaf.tests import company
from tests.memory_store import MemoryStore
from tests.networks.anaf import seal


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def check(service, store):
    """A function that runs one check."""

    def _check(name, **changes):
        side = replace(company.side_at(service.url), **changes)
        (found,) = [c for c in doctor.checks(side, store) if c.name == f"test-{name}"]
        return found.run()

    return _check


@pytest.mark.parametrize(
    ("off", "level"), [(0, Level.GOOD), (60, Level.WARNING), (600, Level.ERROR)]
)
def test_the_clock_is_compared_with_that_of_the_authority(check, monkeypatch, off, level):
    now = clock.now() + timedelta(seconds=off)
    monkeypatch.setattr(clock, "now", lambda: now)
    found = check("clock")

    assert found.level is level
    assert "client client-1" in found.sentence


def test_an_authority_that_does_not_answer_is_an_error(check):
    assert check("clock", url="http://127.0.0.1:9").level is Level.ERROR


def test_unknown_signers_are_a_warning(check):
    assert check("signers").level is Level.WARNING
    assert check("signers", signers=(seal.ministry().certificate,)).level is Level.GOOD


def test_signers_that_soon_end_are_a_warning(check, monkeypatch):
    certificate = seal.ministry().certificate
    soon = certificate.not_valid_after_utc - timedelta(days=10)
    monkeypatch.setattr(clock, "now", lambda: soon)

    assert check("signers", signers=(certificate,)).level is Level.WARNING


def test_calls_of_today_are_counted(check, service, store):
    company.point_at(service, store).budget.take()

    assert "at most 20 calls" in check("calls").sentence


def test_files_that_are_not_trusted_are_an_error_for_a_month(check, store, monkeypatch):
    assert check("files").level is Level.GOOD
    store.append(polling.untrusted_series("anaf-test"), "77 the content was changed")
    found = check("files")

    assert found.level is Level.ERROR
    assert "77 the content was changed" in found.sentence
    later = clock.now() + timedelta(days=31)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert check("files").level is Level.GOOD
