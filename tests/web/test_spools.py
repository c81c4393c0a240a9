"""Bodies of endpoints that arrive in files: their limits, their bound, and that they are closed."""

from __future__ import annotations

import io
from typing import Any

import pytest

from einvoice.network.endpoints import MIB, Endpoint, Response
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import INTERFACE_VERSION
from einvoice.web import largest_body
from einvoice.web.admission import spools
from einvoice.web.admission.arrivals import SMALL_BYTES
from einvoice.web.admission.spools import MEMORY_BYTES
from einvoice.web.serving import intake
from einvoice.web.serving.intake import Intake

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

SPOOLED, PLAIN = "/networks/spooled/", "/networks/plain/"
MOST, MOST_IN_MEMORY = 4 * MIB, 2 * MIB


class Plugin:
    """An endpoint with files and one without; both answer with what they got."""

    EINVOICE_INTERFACE = INTERFACE_VERSION

    def __init__(self) -> None:
        self.files: list[Any] = []
        self.during = None  # called while a request is answered

    @hookimpl
    def einvoice_endpoints(self):
        yield Endpoint("spooled", self.answer, max_bytes=MOST, spooled=True, at_once=1)
        yield Endpoint("plain", self.answer, max_bytes=MOST_IN_MEMORY)

    def answer(self, request):
        self.files.append(request.file)
        body = request.file.read() if request.file else request.body
        if self.during:
            during, self.during = self.during, None
            during()
        return Response(200, f"{len(body)} {body[:3].decode()}".encode(), "text/plain")


@pytest.fixture
def plugin():
    return Plugin()


@pytest.fixture
def app(make_app, plugin):
    return make_app(plugins=[plugin])


@pytest.fixture
def post(app):
    """Status and text of a request; `chunked` has no Content-Length."""

    def _post(body, path=SPOOLED, chunked=False):
        client = app.test_client()
        if chunked:
            answer = client.post(
                path,
                input_stream=io.BytesIO(body),
                headers={"Transfer-Encoding": "chunked"},  # else it gets a length
                environ_overrides={"wsgi.input_terminated": True},
            )
        else:
            answer = client.post(path, data=body)
        return answer.status_code, answer.text

    return _post


@pytest.mark.parametrize("length", [3, MEMORY_BYTES, MEMORY_BYTES + 1, MOST])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_arrives_in_a_file_that_is_closed_afterwards(post, plugin, length, chunked):
    assert post(b"abc" + bytes(length - 3), chunked=chunked) == (200, f"{length} abc")
    assert plugin.files[0].closed


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(("path", "most"), [(SPOOLED, MOST), (PLAIN, MOST_IN_MEMORY)])
def test_a_body_that_is_too_large_is_refused(post, plugin, path, most, chunked):
    """With and without its length in the head."""
    status, text = post(bytes(most + 1), path, chunked)

    assert status == 413
    assert f"{most // MIB} MiB" in text
    assert plugin.files == []


@pytest.mark.parametrize("length", [3, MOST_IN_MEMORY])
@pytest.mark.parametrize("chunked", [False, True])
def test_other_endpoints_have_their_body_in_memory(post, plugin, length, chunked):
    assert post(b"abc" + bytes(length - 3), PLAIN, chunked) == (200, f"{length} abc")
    assert plugin.files == [None]


def test_few_large_bodies_are_on_disk_at_once_and_small_ones_go_on(post, plugin):
    """The second large body is refused while the first is answered, and taken afterwards."""
    meanwhile = []

    def during():
        meanwhile.extend([post(bytes(MEMORY_BYTES + 1)), post(b"abc")])

    plugin.during = during
    first = post(b"abc" + bytes(MEMORY_BYTES))

    assert first[0] == 200
    assert [status for status, _ in meanwhile] == [503, 200]
    assert post(b"abc" + bytes(MEMORY_BYTES))[0] == 200
    assert spools._on_disk["spooled", 1].used == 0


def test_a_full_disk_is_too_busy(post, monkeypatch):
    monkeypatch.setattr(spools.tempfile, "SpooledTemporaryFile", lambda _: _Full())

    assert post(b"abc")[0] == 503


class _Full(io.BytesIO):
    def write(self, part):
        raise OSError("no space left on device")


# -- the server that receives bodies itself --------------------------------------------------------


class Parts:
    """A request as granian hands it over: a head, and a body in parts."""

    query_string, http_version, method, scheme = "", "1.1", "POST", "http"
    server, authority, client = "127.0.0.1:8000", None, "10.0.0.1:4711"

    def __init__(self, parts, path=SPOOLED, declared=None):
        self.parts, self.path = [*parts, b""], path
        chunked = {"transfer-encoding": "chunked"}
        length = chunked if declared is None else {"content-length": str(declared)}
        self.headers = Headers({"host": "localhost"} | length)
        self.scope = self.proto = self
        self.status = self.text = self.fault = None

    def __aiter__(self):
        return self

    def __anext__(self):
        self.part = self.parts.pop(0)
        return self

    def __call__(self):
        self.part = b"".join(self.parts)
        return self

    def add_done_callback(self, then):
        then(self)

    def cancelled(self):
        return False

    def cancel(self):
        pass

    def result(self):
        return self.part

    def response_bytes(self, status, headers, body):
        self.status, self.text = status, body.decode()

    def response_stream(self, status, headers):
        self.status = status
        return self

    def send_bytes(self, body):
        self.text = body.decode()

    def err(self, fault):
        self.fault = fault


class Headers(dict):
    def get_all(self, name):
        return [self[name]] if name in self else []


@pytest.fixture
def begun(app):
    """A function that lets an intake answer a request."""
    receiving = Intake(app, 8, group=False)

    def _begun(*given, **named):
        request = Parts(*given, **named)
        receiving.begin(request)
        assert request.fault is None
        return request

    _begun.arrivals = receiving.arrivals
    return _begun


def test_parts_are_kept_in_the_file_as_they_arrive(begun, plugin):
    """Memory that counts is at most that of the file's beginning."""
    held = []
    plugin.during = lambda: held.append(begun.arrivals._bytes.used)
    request = begun([b"abc", *[bytes(MIB)] * 3])

    assert (request.status, request.text) == (200, f"{3 + 3 * MIB} abc")
    assert held == [MEMORY_BYTES]
    assert plugin.files[0].closed
    assert (begun.arrivals._bytes.used, spools._on_disk["spooled", 1].used) == (0, 0)


def test_a_small_body_of_known_length_is_in_the_file_too(begun):
    assert begun([b"abc"], declared=3).text == "3 abc"
    assert SMALL_BYTES > 3


def test_a_body_beyond_the_limit_is_not_received_further(begun):
    """After the first part too many, whatever is still to come."""
    request = begun([bytes(MIB)] * 9)

    assert request.status == 413
    assert len(request.parts) == 5
    assert spools._on_disk["spooled", 1].used == 0


def test_a_declared_length_beyond_the_limit_is_refused_unread(begun):
    request = begun([bytes(MIB)] * 9, declared=9 * MIB)

    assert request.status == 413
    assert len(request.parts) == 10


def test_a_body_that_ends_early_is_refused(begun):
    request = begun([bytes(2 * MIB)], declared=3 * MIB)

    assert request.status == 400
    assert spools._on_disk["spooled", 1].used == 0


def test_a_second_large_body_is_refused_while_it_arrives(begun, plugin):
    second = []
    plugin.during = lambda: second.append(begun([bytes(MIB)] * 3))
    begun([b"abc", bytes(2 * MIB)])

    assert second[0].status == 503
    assert second[0].parts
    assert spools._on_disk["spooled", 1].used == 0


def test_the_limit_of_an_endpoint_with_files_is_not_that_of_other_routes(app, begun, plugin):
    """A body for another route is in memory."""
    assert largest_body(app) < 100 * MIB
    assert begun([b"abc", bytes(MIB)], PLAIN).text == f"{3 + MIB} abc"
    assert plugin.files == [None]
    assert intake.MEMORY_BYTES == MEMORY_BYTES
