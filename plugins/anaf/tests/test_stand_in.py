"""The stand-in says what the authority says, and takes what its published interface has."""

from __future__ import annotations

import json
import re

from plugins.anaf.tests import company, official
from tests.networks.anaf import texts

OWN = {"DUPLICATE", "SENT", "FAILED", "MESSAGE", "PROLOG", "UPLOAD", "STATE", "ERRORS"}
# Of calls and cases that the stand-in does not have.
FOREIGN = ("executari silite", "eroare tehnica")


def templates() -> dict[str, re.Pattern[str]]:
    named = {name: text for name, text in vars(texts).items() if name.isupper()}
    return {
        name: re.compile(re.escape(text).replace(r"\{\}", ".+"))
        for name, text in named.items()
        if isinstance(text, str) and name not in OWN
    }


def said(row) -> list[str]:
    """The texts in an official answer."""
    value = row["value"]
    if isinstance(value, str) and value.startswith("{"):
        value = json.loads(value)
    if isinstance(value, dict):
        return [value[name] for name in ("eroare", "message") if name in value]
    return re.findall(r'errorMessage="([^"]*)"', value)


@official.needed
def test_its_texts_are_the_official_ones():
    published = [t for row in official.answers() for t in said(row)]

    for name, template in templates().items():
        assert any(template.fullmatch(" ".join(t.split())) for t in published), name


@official.needed
def test_the_forms_of_its_answers_are_the_official_ones():
    """Attributes and namespaces of headers, members of objects."""
    made = {
        "/stareMesaj": texts.header(texts.STATE, {"stare": "ok", "id_descarcare": "1234"}),
        "/upload": texts.header(texts.UPLOAD, {"dateResponse": "202108051140",
                                "ExecutionStatus": "0", "index_incarcare": "3828"}),
    }  # fmt: skip
    for path, answer in made.items():
        bodies = [official.body_of(row).replace(b"\r\n", b"\n") for row in official.answers()
                  if row["path"] == path]  # fmt: skip
        assert answer in bodies, path


@official.needed
def test_every_call_of_the_plugin_is_one_of_the_published_interface(bound, point, service):
    """Method, path, and every parameter: those that are required, and no other."""
    one = company.envelope()
    company.sent(bound, one)
    bound.find(one, bound.prepare(company.envelope()))
    published = official.operations()

    assert {call for _, call, _ in service.requests} >= {"upload", "stareMesaj", "descarcare"}
    for method, call, query in service.requests:
        required, optional = published[method, f"/{call}"]
        assert required <= set(query) <= required | optional, call


@official.needed
def test_its_lists_have_the_published_members(authority, connection):
    """Of the object, and of each message."""
    company.arrive(authority, 1)
    person, now = f"person of {company.SELLER}", authority.now()
    window = {"startTime": milliseconds(now, -3600), "endTime": milliseconds(now)}
    made = {
        "/listaMesajeFactura": authority.recent(person, {"zile": "1", "cif": company.SELLER}),
        "/listaMesajePaginatieFactura": authority.pages(
            person, window | {"cif": company.SELLER, "pagina": "1"}
        ),
    }
    for path, answer in made.items():
        (published,) = [row["value"] for row in official.answers()
                        if row["path"] == path and "mesaje" in row["value"]]  # fmt: skip
        found = json.loads(answer.body)

        assert set(found) == set(published), path
        assert set(found["mesaje"][0]) == set(published["mesaje"][0]), path


def milliseconds(moment, seconds=0) -> str:
    return str(int((moment.timestamp() + seconds) * 1000))
