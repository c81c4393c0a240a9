"""Participants by name, in a Peppol Directory on the loopback address."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice.http import Policy
from einvoice.network.testing import SearchContract
from einvoice.network.types import DirectoryUnavailable, ListedParticipant
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.search import Search
from plugins.peppol.tests import smp_servers

LOCAL = Policy(https_only=False, allow_private=True)


def match(value, name="Acme NV", country="BE", scheme="iso6523-actorid-upis"):
    return {
        "participantID": {"scheme": scheme, "value": value},
        "docTypes": [],
        "entities": [{"name": [{"name": name}], "countryCode": country}],
    }


class Directory:
    """The search of a directory: by a part of the name and by country."""

    def __init__(self, *matches):
        self.matches, self.asked = matches, []

    def get(self, path, _default=None):
        query = {key: values[0] for key, values in parse_qs(urlsplit(path).query).items()}
        self.asked.append((urlsplit(path).path, query))
        found = [each for each in self.matches if self.fits(each, query)]
        body = json.dumps({"version": "1.0", "matches": found[: int(query["resultPageCount"])]})
        return 200, body.encode() if found else b"", {}

    def fits(self, each, query):
        entity = each["entities"][0]
        named = query["name"].lower() in str(entity["name"]).lower()
        return named and query.get("country", entity["countryCode"]) == entity["countryCode"]


@pytest.fixture
def server():
    with smp_servers.serving() as running:
        running.answers = Directory(
            match("0208:0123456749"), match("9915:b", "The ACME Company", "AT"), match("9915:c")
        )
        yield running


@pytest.fixture
def search(server):
    return Search(server.url, LOCAL)


class TestPeppolDirectory(SearchContract):
    @pytest.fixture
    def access_point(self, search):
        return _found(search)

    @pytest.fixture
    def offline(self):
        return _found(Search("http://127.0.0.1:9", LOCAL))

    @pytest.fixture
    def listed_name(self):
        return "Acme"


def _found(search):
    point = object.__new__(Peppol)
    point._own = type("Own", (), {"search": search})
    point.name = "peppol-test"
    return point


def test_a_search_asks_for_name_and_country(server, search):
    found = [*search.participants("acme", "AT", 10)]

    assert found == [ListedParticipant(ParticipantId("9915", "b"), "The ACME Company", "AT")]
    expected = {"name": "acme", "country": "AT", "resultPageCount": "22"}
    assert server.answers.asked == [("/search/1.0/json", expected)]


def test_one_more_than_the_limit_is_listed(search):
    assert len([*search.participants("acme", None, 1)]) == 2
    assert len([*search.participants("acme", None, 2)]) == 3


@pytest.mark.parametrize(
    "entry",
    [
        {},
        None,
        "text",
        match("nonsense"),
        match("9915:x", scheme="other"),
        match("9915:x", name=""),
        match("9915:x", name=None),
        {"participantID": {"scheme": "iso6523-actorid-upis", "value": "9915:x"}},
        match(5),
    ],
)
def test_an_entry_of_another_form_is_left_out(server, entry):
    body = json.dumps({"matches": [entry, match("9915:good")]}).encode()
    server.answers = type("Fixed", (), {"get": lambda *_: (200, body, {})})()
    found = [*Search(server.url, LOCAL).participants("acme", None, 10)]

    assert [str(each.participant) for each in found] == ["9915:good"]


def test_a_name_may_be_a_text_and_a_country_of_another_form_is_unknown(server):
    entry = match("9915:x", country="Austria")
    entry["entities"][0]["name"] = "Acme"
    body = json.dumps({"matches": [entry]}).encode()
    server.answers = type("Fixed", (), {"get": lambda *_: (200, body, {})})()

    (found,) = Search(server.url, LOCAL).participants("acme", None, 10)
    assert (found.name, found.country) == ("Acme", None)


@pytest.mark.parametrize(
    ("status", "body"),
    [(429, b""), (500, b""), (200, b"<html>"), (200, b"[]"), (200, b"{}"), (200, b"[" * 100_000)],
)
def test_an_error_is_an_outage(server, status, body):
    server.answers = type("Fixed", (), {"get": lambda *_: (status, body, {})})()

    with pytest.raises(DirectoryUnavailable):
        [*Search(server.url, LOCAL).participants("acme", None, 10)]


def test_no_result_is_an_empty_answer(search):
    assert [*search.participants("nothing like it", None, 10)] == []
