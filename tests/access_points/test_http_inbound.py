"""Documents pushed over real HTTP, through a plugin's endpoint, into the service."""

from __future__ import annotations

import io
import os
import threading
from types import SimpleNamespace
from urllib.parse import quote

import pytest
import sqlalchemy as sa
import urllib3
from werkzeug.serving import make_server

from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.trace import Trace
from einvoice.network import samples
from einvoice.network.endpoints import MIB, Endpoint, Request, Response
from einvoice.network.hookspec import hookimpl
from einvoice.network.testing import InboundContract
from einvoice.network.types import INTERFACE_VERSION
from einvoice.services.account import tenants
from einvoice.store.core import db
from einvoice.store.core.resources import resources_of
from einvoice.store.tables import Event, Invoice, Received, Transmission
from tests import databases
from tests.access_points import http_access_point
from tests.access_points.http_access_point import Receiver

TOKEN = "a-shared-secret"
ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def headers_of(inbound):
    return {
        "authorization": f"Bearer {TOKEN}",
        "x-sender": str(inbound.sender),
        "x-receiver": str(inbound.receiver),
        "x-document-type": str(inbound.document_type),
        "content-type": "application/xml",
    }


class TestReceiver(InboundContract):
    @pytest.fixture
    def hand_over(self):
        def _hand_over(inbox, message):
            inbound = samples.inbound()
            asked = Request(
                "POST", f"/messages/{message}", inbound.document, {}, headers_of(inbound)
            )
            try:
                answer = Receiver(inbox, TOKEN).answer(asked)
            except OSError:
                return None
            return answer.body if answer.status == 200 else None

        return _hand_over


@pytest.fixture
def gateway(database_url, tmp_path):
    """The service behind a real socket, with an inbox; a tenant owns the samples' receiver."""
    settings = Settings(database_url=database_url, data_dir=str(tmp_path), log_level="CRITICAL")
    environ = os.environ | {
        "HTTP_ACCESS_POINT_URL": "http://127.0.0.1:9",
        "HTTP_ACCESS_POINT_TOKEN": TOKEN,
    }
    app = create_app(settings, plugins=[http_access_point], environ=environ)
    with app.app_context():
        tenant = tenants.create("Acme")
        tenants.own_participant(tenant, Environment.TEST, samples.RECEIVER)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    pool = urllib3.PoolManager(retries=False, timeout=30)

    def push(inbound=None, message=None, body=None, **changes):
        inbound = inbound or samples.inbound()
        name = quote(message or inbound.instance_id, safe="")
        url = f"http://127.0.0.1:{server.port}/networks/http-test/messages/{name}"
        given = headers_of(inbound) | {k.replace("_", "-"): v for k, v in changes.items()}
        content = inbound.document if body is None else body
        return pool.request("POST", url, body=content, headers=given)

    yield SimpleNamespace(app=app, push=push, tenant=tenant)
    server.shutdown()
    thread.join(10)
    server.server_close()
    databases.let_go(app)


def rows(app, *columns):
    with app.app_context(), db.reading() as connection:
        return [tuple(row) for row in connection.execute(sa.select(*columns))]


def test_a_pushed_document_is_stored_before_it_is_acknowledged(gateway):
    """Its bytes, under the network's own id; a repeat gets the same receipt."""
    inbound = samples.inbound()
    first = gateway.push(inbound)
    again = gateway.push(inbound)

    assert (first.status, again.status) == (200, 200)
    assert first.data == again.data != b""
    assert rows(gateway.app, Received.tenant_id, Received.instance_id, Received.receipt) == [
        (gateway.tenant, inbound.instance_id, first.data)
    ]
    assert rows(gateway.app, Event.type) == [("transaction.received",)]


@ONE_DATABASE
def test_a_pushed_document_has_the_id_of_its_request(gateway):
    """Not a later push of the same document."""
    inbound = samples.inbound()
    gateway.push(inbound, X_Request_Id="from-the-network")
    gateway.push(inbound, X_Request_Id="repeated")

    assert rows(gateway.app, Transmission.trace) == [(Trace("from-the-network"),)]


@ONE_DATABASE
def test_a_receiver_without_a_tenant_is_refused(gateway):
    answer = gateway.push(x_receiver="0088:9520000000011")

    assert answer.status == 422
    assert b"no tenant owns" in answer.data
    assert rows(gateway.app, Received.invoice_id) == []


@ONE_DATABASE
def test_the_plugin_authenticates_its_callers(gateway):
    """The service does not; a session token or API key has no meaning there."""
    assert gateway.push(authorization="Bearer another").status == 401
    assert gateway.push(authorization="").status == 401
    assert rows(gateway.app, Received.invoice_id) == []


@ONE_DATABASE
@pytest.mark.parametrize(("size", "status"), [(MIB, 200), (MIB + 1, 413)])
def test_a_body_over_the_limit_never_reaches_the_plugin(gateway, size, status):
    """The limit of the endpoint, with and without Content-Length."""
    inbound, body = samples.inbound(), b"x" * size
    declared = gateway.push(inbound, body=body)
    streamed = gateway.app.test_client().post(
        "/networks/http-test/messages/streamed",
        input_stream=io.BytesIO(body),
        headers=headers_of(inbound),
        environ_overrides={"wsgi.input_terminated": True},
    )

    assert (declared.status, streamed.status_code) == (status, status)
    assert all(len(kept) == MIB for (kept,) in rows(gateway.app, Invoice.original))


@ONE_DATABASE
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/networks/http-test/messages/1", 401),
        ("POST", "/networks/http-test/", 401),
        ("POST", "/networks/http-test", 401),
        ("POST", "/networks/unknown/", 404),
        ("POST", "/networks/", 404),
        ("PATCH", "/networks/http-test/", 405),
    ],
)
def test_every_path_below_the_endpoint_reaches_the_plugin(gateway, method, path, status):
    """Paths beside it are 404."""
    answer = gateway.app.test_client().open(path, method=method)

    assert answer.status_code == status


@ONE_DATABASE
def test_an_exception_in_a_plugin_is_a_500_without_its_message(make_app):
    """The network repeats the push; the log has the exception."""

    class Plugin:
        EINVOICE_INTERFACE = INTERFACE_VERSION

        @hookimpl
        def einvoice_endpoints(self):
            yield Endpoint("broken", self.answer)
            yield Endpoint("echo", lambda request: Response(201, repr(request).encode()))

        def answer(self, request):
            raise RuntimeError("a secret")

    client = make_app(plugins=[Plugin()]).test_client()
    broken = client.post("/networks/broken/")
    echo = client.post("/networks/echo/a/b%2Fc?x=1", data=b"body", headers={"X-Y": "z"})

    assert (broken.status_code, b"a secret" in broken.data) == (500, False)
    assert echo.status_code == 201
    for reported in ("path='/a/b/c'", "body=b'body'", "{'x': '1'}", "'x-y': 'z'"):
        assert reported in echo.text


@ONE_DATABASE
def test_endpoints_of_plugins_are_not_in_the_openapi_document(gateway):
    """Their format is the network's."""
    document = gateway.app.test_client().get("/openapi.json").json

    assert not any(path.startswith("/networks") for path in document["paths"])


@ONE_DATABASE
def test_pushes_of_one_address_are_limited(make_app, redis_url):
    """With the time of the next attempt in Retry-After."""

    class Plugin:
        EINVOICE_INTERFACE = INTERFACE_VERSION

        @hookimpl
        def einvoice_endpoints(self):
            yield Endpoint("slow", lambda request: Response(204), per_minute=2)
            yield Endpoint("other", lambda request: Response(204), per_minute=2)

    app = make_app(plugins=[Plugin()], redis_url=redis_url)
    answers = [app.test_client().post("/networks/slow/") for _ in range(3)]
    beside = [
        app.test_client().post("/networks/other/"),
        app.test_client().post("/networks/slow/", environ_base={"REMOTE_ADDR": "192.0.2.7"}),
    ]
    with app.app_context():
        resources_of(app).close()

    assert [answer.status_code for answer in answers] == [204, 204, 429]
    assert 0 < int(answers[2].headers["Retry-After"]) <= 60
    assert [answer.status_code for answer in beside] == [204, 204]
