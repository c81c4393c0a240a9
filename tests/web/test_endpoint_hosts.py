"""An endpoint with a host name of its own answers there, and nothing else does."""

from __future__ import annotations

from typing import ClassVar

import pytest

from einvoice.network.access_points import PluginFault
from einvoice.network.endpoints import Endpoint, Response
from einvoice.network.hookspec import hookimpl
from einvoice.network.registry import load_all


class Publisher:
    EINVOICE_INTERFACE = 2
    asked: ClassVar[list[tuple[str, str]]] = []

    @hookimpl
    def einvoice_endpoints(self):
        yield Endpoint("smp", self.answer, host="SMP.example.com")

    def answer(self, request):
        self.asked.append((request.method, request.path))
        return Response(200, b"mine", "text/plain")


@pytest.fixture(scope="module")
def service(build):
    return build([Publisher()])


PATHS = {
    "/": "/",
    "/iso6523-actorid-upis%3A%3A0208%3A1/services/a%3A%3Ab%23%23c": (
        "/iso6523-actorid-upis::0208:1/services/a::b##c"
    ),
    f"/{'x' * 1000}": f"/{'x' * 1000}",
    "/%C3%A9": "/é",
    "/api/keys": "/api/keys",
    "/healthz": "/healthz",
    "/networks/other/": "/networks/other/",
}


def test_every_path_of_its_host_is_the_endpoints(service):
    client = service.test_client()
    for path, seen in PATHS.items():
        answer = client.get(path, headers={"host": "smp.example.com"})
        assert (answer.status_code, answer.data) == (200, b"mine"), path
        assert Publisher.asked[-1] == ("GET", seen)


@pytest.mark.parametrize("host", ["example.com", "smp.example.com:8443", "x.smp.example.com"])
def test_other_hosts_are_those_of_the_service(service, host):
    client, before = service.test_client(), len(Publisher.asked)

    assert client.get("/healthz", headers={"host": host}).data != b"mine"
    assert len(Publisher.asked) == before
    assert client.get("/networks/smp/x", headers={"host": host}).data == b"mine"


def test_two_endpoints_of_one_host_stop_the_start():
    class Second(Publisher):
        @hookimpl
        def einvoice_endpoints(self):
            yield Endpoint("other", self.answer, host="SMP.example.com")

    with pytest.raises(PluginFault, match="two endpoints have the host"):
        load_all({}, [Publisher(), Second()])
