"""A client generated from /openapi.json sends an invoice."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from tests.browser import serving
from tests.builders import RECEIVER, send_body

# What answers is the same code on both databases.
pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)

PACKAGE = "einvoice_generated_client"
# The one answer that is no JSON; types the generator does not know are bytes to it.
CONFIG = {
    "post_hooks": [],
    "content_type_overrides": {
        "application/pdf": "application/octet-stream",
        "application/xml": "application/octet-stream",
        "image/png": "application/octet-stream",
        "image/jpeg": "application/octet-stream",
        "text/csv": "application/octet-stream",
    },
}


@pytest.fixture(scope="module")
def generated(service, tmp_path_factory) -> Iterator[ModuleType]:
    """The client's package, made by openapi-python-client without a word of help."""
    directory = tmp_path_factory.mktemp("client")
    document = directory / "openapi.json"
    document.write_bytes(service.test_client().get("/openapi.json").data)
    config = directory / "config.json"
    config.write_text(json.dumps(CONFIG))
    made = subprocess.run(
        [
            sys.executable, "-m", "openapi_python_client", "generate", "--path", document,
            "--config", config, "--meta", "none", "--output-path", directory / PACKAGE,
        ],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout + made.stderr
    sys.path.insert(0, str(directory))
    yield importlib.import_module(PACKAGE)
    sys.path.remove(str(directory))
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]


@pytest.fixture
def part(generated):
    """`part("models", "Send")`, `part("api.public.send_invoice", "sync")`."""
    return lambda module, name: getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)


@pytest.fixture
def connected(service, caller, part) -> Iterator[Any]:
    """The client with the tenant's key, at a running server."""
    with serving(service) as origin:
        yield part("client", "AuthenticatedClient")(
            base_url=origin, token=caller.key, auth_header_name="x-api-key", prefix=""
        )


def test_it_looks_up_sends_follows_and_downloads(caller, connected, part):
    """Typed all the way: no dictionary of ours is in between."""
    found = part("api.public.lookup_participant", "sync")(client=connected, participant_id=RECEIVER)
    body = part("models", "Send").from_dict(send_body(str(found.access_point_ref)))
    sent = part("api.public.send_invoice", "sync")(
        client=connected, body=body, idempotency_key="one", prefer="respond-async"
    )
    caller.work()
    reported = part("api.invoices.get_invoice", "sync")(str(sent.invoice_id), client=connected)
    listed = part("api.invoices.list_artefacts", "sync")(str(sent.invoice_id), client=connected)
    ubl = next(item for item in listed.items if item.type_ == "UBL")
    content = part("api.invoices.download_artefact", "sync_detailed")(
        str(sent.invoice_id), ubl.artefact_id, client=connected
    )

    assert isinstance(sent, part("models", "SendResponse"))
    assert (sent.network_status, sent.idempotency_key_echo) == ("Processing", "one")
    assert reported.grand_total == 121.0
    assert reported.history[0].event == "received"
    assert content.content.startswith(b"<?xml")


def test_a_refusal_is_a_type_of_its_own(connected, part):
    """What integrators match on, with the members of that problem."""
    body = send_body("no-reference")
    body["routing"]["accessPointRef"] = "x"
    refused = part("api.public.send_invoice", "sync")(
        client=connected, body=part("models", "Send").from_dict(body)
    )

    assert isinstance(refused, part("models", "UnknownAccessPointRefProblem"))
    assert refused.detail


def test_fields_at_fault_are_objects(connected, part):
    body = send_body("x", currency="eur")
    refused = part("api.public.send_invoice", "sync")(
        client=connected, body=part("models", "Send").from_dict(body)
    )

    assert isinstance(refused, part("models", "InvalidFieldProblem"))
    assert [error.pointer for error in refused.errors] == ["/invoice/currency"]
