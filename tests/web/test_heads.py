"""Addresses, headers and hosts that the service does not read are refused by problem documents."""

from __future__ import annotations

import pytest

from einvoice.web.admission import heads

NOTHING = "/api/nothing"
QUERY = f"/api/invoices?cursor={'c' * (heads.MAX_ADDRESS_BYTES - 100)}"


def header_lines(number, length=1):
    return {f"X-Other-{at}": "x" * length for at in range(number)}


# Path, headers, and the status and slug of the refusal; None: another answer.
REQUESTS = {
    "an address just within": (QUERY, {}, 401, "api-key-required"),
    "a query too long": (QUERY + "c" * 200, {}, 414, "address-too-long"),
    "a path too long": ("/" + "p" * (heads.MAX_ADDRESS_BYTES + 1), {}, 414, "address-too-long"),
    "headers just within": (NOTHING, header_lines(heads.MAX_HEADERS - 5), 404, "not-found"),
    "too many headers": (NOTHING, header_lines(heads.MAX_HEADERS), 431, "headers-too-large"),
    "large headers": (NOTHING, header_lines(4, 7_900), 404, "not-found"),
    "headers too large": (NOTHING, header_lines(4, 8_192), 431, "headers-too-large"),
    "no host": (NOTHING, {"Host": ""}, 400, "malformed-request"),
    "two hosts": (NOTHING, {"Host": "a.example,b.example"}, 400, "malformed-request"),
    "a host with a path": (NOTHING, {"Host": "a.example/b"}, 400, "malformed-request"),
    "a host with a port": (NOTHING, {"Host": "[::1]:8000"}, 404, "not-found"),
    "a check without a host": ("/healthz", {"Host": ""}, 200, None),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_head_beyond_the_limits_is_a_problem(service, name):
    """It says what to do, closes the connection, and does not repeat a long address."""
    path, given, status, slug = REQUESTS[name]
    answer = service.test_client().get(path, headers=given)

    assert answer.status_code == status
    if slug is None:
        return
    assert answer.content_type == "application/problem+json"
    assert slug in answer.json["type"]
    assert len(answer.data) < 3_000
    refused_here = slug in ("address-too-long", "headers-too-large", "malformed-request")
    assert (answer.headers.get("Connection") == "close") is refused_here
