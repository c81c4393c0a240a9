"""A platform brings customers onto the network by the Python client."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from einvoice_client import Client, Conflict, InvalidRequest, NotFound
from einvoice_client.generated.api.connections import create_connection_link
from einvoice_client.generated.api.keys import create_key
from einvoice_client.generated.api.platforms import (
    add_tenant_identification,
    claim_tenant_participant,
    create_platform_tenant,
    get_platform_tenant,
)
from einvoice_client.generated.models import (
    NewApiKey,
    NewClaim,
    NewConnectionLink,
    NewIdentification,
    NewPlatformTenant,
)

from tests.builders import RECEIVER, send_body
from tests.web.platform import Platform

pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)
SAID = {
    "method": "register-extract",
    "numbers": ["BE0403019261"],
    "identifiedAt": "2026-11-20",
    "identifiedBy": "ERP",
}


@pytest.fixture
def platform(origin, service) -> Iterator[Client]:
    with Client(origin, Platform(service).key) as client:
        yield client


def enrolled(platform: Client, me: str) -> tuple[str, str, str]:
    """The ids of tenant and identification, and the status of the participant id."""
    new = NewPlatformTenant(external_id=me, name="Brewery")
    made = create_platform_tenant.sync(client=platform.api, body=new)
    said = add_tenant_identification.sync(
        me, client=platform.api, body=NewIdentification.from_dict(SAID)
    )
    claim = NewClaim(participant_id=f"9915:{me}")
    claimed = claim_tenant_participant.sync(me, client=platform.api, body=claim)
    assert made is not None
    assert said is not None
    assert claimed is not None
    return str(made.tenant_id), str(said.identification_id), claimed.status


def test_a_customer_is_enrolled_once_and_sends_with_its_own_key(origin, platform):
    first = enrolled(platform, "client-1")
    new = NewApiKey.from_dict({"name": "ERP", "environment": "test"})
    key = create_key.sync(client=platform.api, body=new, x_tenant="client-1")

    assert enrolled(platform, "client-1") == first
    assert first[2] == "verified"
    assert key
    with Client(origin, str(key.key)) as own:
        reference = str(own.look_up(RECEIVER).access_point_ref)
        sent = own.send(send_body(reference, number="C-1"), idempotency_key="C-1", wait=0)
        assert sent.network_status == "Processing"


def test_what_is_refused_has_its_class(platform):
    enrolled(platform, "client-2")
    with pytest.raises(Conflict):
        create_platform_tenant.sync(
            client=platform.api, body=NewPlatformTenant(external_id="client-2", name="Another")
        )
    with pytest.raises(NotFound):
        get_platform_tenant.sync("nobody", client=platform.api)


def test_a_link_for_a_network_that_is_not_there_names_the_field(platform):
    enrolled(platform, "client-3")
    body = NewConnectionLink.from_dict({"network": "nowhere"})
    with pytest.raises(InvalidRequest, match="network"):
        create_connection_link.sync(client=platform.api, body=body, x_tenant="client-3")
