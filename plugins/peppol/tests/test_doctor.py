"""What the doctor says of a Peppol network."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from as4_server import FixedDirectory, network, serving

from einvoice import clock
from einvoice.network.checks import Level
from einvoice.network.endpoints import Request, Response
from einvoice.network.testing import MemoryInbox
from einvoice.network.types import NotRegistered
from einvoice_peppol import doctor
from einvoice_peppol.identity import Identity
from einvoice_peppol.receiving import Receiver
from plugins.peppol.tests import smp_servers


@pytest.fixture
def directory(c3):
    return FixedDirectory("http://127.0.0.1:9/as4", c3)


@pytest.fixture
def own(c3, trusted, directory):
    return network(c3, trusted=trusted, directory=directory)


def check(own, name):
    (found,) = (each for each in doctor.checks(own) if each.name == f"peppol-test-{name}")
    result = found.run()
    return result.level, result.sentence


def identity(leaf):
    return Identity(leaf.certificate, leaf.key)


def test_the_certificate_is_shown_with_its_network_and_days_left(own):
    level, sentence = check(own, "certificate")

    assert level is Level.GOOD
    assert "CN=POP000002" in sentence
    assert "test network" in sentence
    assert "days left" in sentence


@pytest.mark.parametrize(
    ("end", "level", "words"),
    [
        (timedelta(days=61, hours=1), Level.GOOD, "61 days left"),
        (timedelta(days=59, hours=1), Level.WARNING, "59 days left. Apply for a new one"),
        (timedelta(hours=-1), Level.ERROR, "it is refused by all others"),
    ],
)
def test_a_certificate_near_its_end_is_a_warning_and_after_it_an_error(pki, own, end, level, words):
    leaf = pki.access_points.leaf(
        "POP000002", start=clock.now() - timedelta(days=9), end=clock.now() + end
    )
    found = check(replace(own, identities=(identity(leaf),)), "certificate")

    assert found[0] is level
    assert words in found[1]


def test_a_certificate_with_a_successor_is_good(pki, own):
    old = pki.access_points.leaf("POP000002", end=clock.now() + timedelta(days=10))
    found = check(replace(own, identities=(identity(old), *own.identities)), "certificate")

    assert found[0] is Level.GOOD
    assert "successor" in found[1]


def test_a_revoked_certificate_is_an_error(pki, own):
    found = check(replace(own, identities=(identity(pki.revoked),)), "certificate")

    assert found[0] is Level.ERROR
    assert "revoked" in found[1]


@pytest.mark.parametrize(("mode", "level"), [(0o600, Level.GOOD), (0o640, Level.WARNING)])
def test_key_files_that_others_may_read_are_a_warning(own, tmp_path, mode, level):
    path = tmp_path / "ap.p12"
    path.touch(mode)
    path.chmod(mode)

    assert check(replace(own, key_files=(path,)), "key-files")[0] is level


# -- the endpoint --------------------------------------------------------------------------------


def test_an_endpoint_that_answers_and_is_registered_is_good(c3, trusted):
    with smp_servers.serving() as server:
        address = f"{server.url}/as4"
        own = network(c3, trusted=trusted, directory=FixedDirectory(address, c3))
        answer = Receiver(own, MemoryInbox()).answer(Request("GET", "/"))
        server.put("/as4", answer.body, answer.status)

        assert check(own, "endpoint") == (
            Level.GOOD,
            f"{address} answers, and is registered with our certificate",
        )


def test_an_endpoint_that_does_not_answer_is_an_error(own):
    level, sentence = check(own, "endpoint")

    assert level is Level.ERROR
    assert "cannot be reached" in sentence


def test_another_server_at_the_address_is_an_error(c3, trusted):
    with smp_servers.serving() as server:
        server.put("/as4", b"Welcome")
        directory = FixedDirectory(f"{server.url}/as4", c3)
        found = check(network(c3, trusted=trusted, directory=directory), "endpoint")

    assert found[0] is Level.ERROR
    assert "another server: HTTP status 200" in found[1]


def test_a_certificate_without_a_key_at_the_smp_is_an_error(c2, own, directory):
    """After a renewal: others encrypt for a key that is not here."""
    directory.found = replace(directory.found, certificate=c2.certificate)
    level, sentence = check(own, "endpoint")

    assert level is Level.ERROR
    assert "CN=POP000001" in sentence
    assert "cannot be opened" in sentence


def test_another_address_at_the_smp_is_an_error(own):
    level, sentence = check(replace(own, own_address="https://ap.example/as4"), "endpoint")

    assert level is Level.ERROR
    assert "http://127.0.0.1:9/as4" in sentence


def test_an_unregistered_provider_is_a_warning(own, directory):
    directory.found = NotRegistered()
    level, sentence = check(own, "endpoint")

    assert level is Level.WARNING
    assert "0242:000002 is not registered" in sentence


def test_a_directory_that_does_not_answer_is_a_warning(own, directory):
    directory.available = False

    assert check(own, "endpoint")[0] is Level.WARNING


# -- the clock -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "level"),
    [(0, Level.GOOD), (-60, Level.WARNING), (60, Level.WARNING), (400, Level.ERROR)],
)
def test_the_clock_is_compared_with_that_of_another_server(own, monkeypatch, seconds, level):
    now = clock.now() + timedelta(seconds=seconds)
    monkeypatch.setattr(clock, "now", lambda: now)
    with serving(lambda _: Response(200)) as server:
        found = check(replace(own, own_address=server.url), "clock")

    assert found[0] is level


def test_a_clock_that_cannot_be_compared_is_a_warning(own):
    level, sentence = check(replace(own, own_address="http://127.0.0.1:9"), "clock")

    assert level is Level.WARNING
    assert "cannot be compared" in sentence
