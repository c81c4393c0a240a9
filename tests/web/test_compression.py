"""Answers are compressed for callers that accept gzip (decisions 21.2)."""

from __future__ import annotations

import gzip
import json

import pytest
from flask import Flask, Response, request

from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.web import compression
from tests import databases
from tests.web.dashboard import Dashboard

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
LONG, SHORT = "a" * 1024, "a" * 1023


@pytest.fixture(scope="module")
def client():
    """An application with one route, whose answer is that of its query."""
    app = Flask(__name__)
    compression.init_app(app)

    @app.route("/")
    def answer() -> Response:
        response = Response(request.args["text"], mimetype=request.args.get("media", "text/plain"))
        if "tag" in request.args:
            response.set_etag(request.args["tag"])
            response.make_conditional(request)
        return response

    @app.route("/stream")
    def stream() -> Response:
        return Response(iter([LONG, LONG]), mimetype="text/plain")

    return app.test_client()


def asked(client, text=LONG, headers=GZIP, **more) -> Response:
    return client.get("/", query_string={"text": text, **more}, headers=headers)


def test_an_answer_of_a_kibibyte_is_compressed_when_asked(client):
    answer = asked(client)

    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.data).decode() == LONG
    assert int(answer.headers["Content-Length"]) == len(answer.data) < 100


def test_a_shorter_answer_is_not(client):
    answer = asked(client, SHORT)

    assert "Content-Encoding" not in answer.headers
    assert "Vary" not in answer.headers
    assert answer.text == SHORT


@pytest.mark.parametrize("accepted", ["", "identity", "br", "gzip;q=0", "*;q=0"])
def test_who_does_not_accept_gzip_gets_the_plain_answer(client, accepted):
    """Caches learn that the answer depends on what was accepted."""
    answer = asked(client, headers={"Accept-Encoding": accepted} if accepted else {})

    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.text == LONG


@pytest.mark.parametrize("accepted", ["GZIP", "*", "br;q=1.0, gzip;q=0.1"])
def test_gzip_is_accepted_by_name_and_by_star(client, accepted):
    assert (
        asked(client, headers={"Accept-Encoding": accepted}).headers["Content-Encoding"] == "gzip"
    )


@pytest.mark.parametrize(
    ("media", "compressed"),
    [
        ("application/json", True),
        ("application/problem+json", True),
        ("application/xml", True),
        ("text/csv", True),
        ("text/html", True),
        ("application/pdf", False),
        ("application/zip", False),
        ("application/gzip", False),
        ("application/octet-stream", False),
        ("image/png", False),
    ],
)
def test_text_is_compressed_and_what_is_compressed_already_is_not(client, media, compressed):
    assert ("Content-Encoding" in asked(client, media=media).headers) is compressed


def test_a_stream_stays_a_stream(client):
    answer = client.get("/stream", headers=GZIP)

    assert "Content-Encoding" not in answer.headers
    assert answer.text == LONG * 2


def test_the_tag_of_a_compressed_answer_is_its_own(client):
    """A strong tag names one sequence of bytes (RFC 9110, section 8.8.3)."""
    assert asked(client, tag="v1").headers["ETag"] == '"v1-gzip"'
    assert asked(client, tag="v1", headers={}).headers["ETag"] == '"v1"'


@pytest.mark.parametrize("tag", ['"v1"', '"v1-gzip"', 'W/"v1-gzip"', '"v0", "v1-gzip"'])
def test_a_copy_is_confirmed_by_the_tag_it_came_with(client, tag):
    answer = asked(client, tag="v1", headers=GZIP | {"If-None-Match": tag})

    assert (answer.status_code, answer.data) == (304, b"")
    assert answer.headers["ETag"] == ('"v1-gzip"' if "gzip" in tag else '"v1"')
    assert "Content-Encoding" not in answer.headers


def test_another_tag_is_answered_in_full(client):
    answer = asked(client, tag="v2", headers=GZIP | {"If-None-Match": '"v1-gzip"'})

    assert answer.status_code == 200
    assert gzip.decompress(answer.data).decode() == LONG


# -- the service -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def documented(tmp_path_factory):
    settings = Settings(data_dir=str(tmp_path_factory.mktemp("compression")))
    app = create_app(settings, plugins=[])
    yield app.test_client()
    databases.let_go(app)


def test_the_document_is_cached_and_compressed(documented):
    """A tenth of its size; the same tag until the service changes."""
    plain, packed = documented.get("/openapi.json"), documented.get("/openapi.json", headers=GZIP)
    tags = [plain.headers["ETag"], packed.headers["ETag"]]

    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 8
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert packed.headers["Cache-Control"] == "public, max-age=3600"
    for tag in tags:
        again = documented.get("/openapi.json", headers=GZIP | {"If-None-Match": tag})
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)


@pytest.mark.parametrize("name", ["swagger-ui-bundle.js", "swagger-ui.css"])
def test_the_files_of_the_documentation_are_compressed_once(documented, name):
    packed = documented.get(f"/docs/{name}", headers=GZIP)

    assert gzip.decompress(packed.data) == documented.get(f"/docs/{name}").data
    assert packed.headers["ETag"].endswith('-gzip"')


def test_problems_are_compressed_too(documented):
    """404 of a long path: its `instance` makes the problem longer than a kibibyte."""
    answer = documented.get("/errors/" + "a" * 1200, headers=GZIP)

    assert answer.status_code == 404
    assert json.loads(gzip.decompress(answer.data))["status"] == 404


@pytest.mark.parametrize("build", ["sqlite"], indirect=True)
def test_a_record_read_compressed_can_be_changed_if_it_matches(service):
    """The tag of the compressed answer holds for If-Match."""
    ann = Dashboard(service)
    entry = {"name": "N" * 190, "address": {"line1": "L" * 500, "line2": "M" * 500}}
    made = ann.post("/api/customers", entry)
    path = made.headers["Location"]
    read = ann.get(path, Accept_Encoding="gzip")
    tag = read.headers["ETag"]
    changed = ann.patch(path, {"phone": "1"}, If_Match=tag)
    refused = ann.patch(path, {"phone": "2"}, If_Match=tag)

    assert read.headers["Content-Encoding"] == "gzip"
    assert tag == '"1-gzip"'
    assert (changed.status_code, refused.status_code) == (200, 412)
