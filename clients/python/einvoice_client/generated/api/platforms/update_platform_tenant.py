from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.platform_tenant_changes import PlatformTenantChanges
from ...models.platform_tenant_response import PlatformTenantResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    tenant: str,
    *,
    body: PlatformTenantChanges,
    x_request_id: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id







    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/api/platform/tenants/{tenant}".format(tenant=quote(str(tenant), safe=""),),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> PlatformTenantResponse | None:
    if response.status_code == 200:
        response_200 = PlatformTenantResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[PlatformTenantResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    tenant: str,
    *,
    client: AuthenticatedClient | Client,
    body: PlatformTenantChanges,
    x_request_id: str | Unset = UNSET,

) -> Response[PlatformTenantResponse]:
    """ Change name, externalId, limits or plan of a tenant. Requests notice it within a second.

     For platforms.

    Args:
        tenant (str):
        x_request_id (str | Unset):
        body (PlatformTenantChanges): Omitted fields stay unchanged; null restores the default.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PlatformTenantResponse]
     """


    kwargs = _get_kwargs(
        tenant=tenant,
body=body,
x_request_id=x_request_id,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    tenant: str,
    *,
    client: AuthenticatedClient | Client,
    body: PlatformTenantChanges,
    x_request_id: str | Unset = UNSET,

) -> PlatformTenantResponse | None:
    """ Change name, externalId, limits or plan of a tenant. Requests notice it within a second.

     For platforms.

    Args:
        tenant (str):
        x_request_id (str | Unset):
        body (PlatformTenantChanges): Omitted fields stay unchanged; null restores the default.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PlatformTenantResponse
     """


    return sync_detailed(
        tenant=tenant,
client=client,
body=body,
x_request_id=x_request_id,

    ).parsed

async def asyncio_detailed(
    tenant: str,
    *,
    client: AuthenticatedClient | Client,
    body: PlatformTenantChanges,
    x_request_id: str | Unset = UNSET,

) -> Response[PlatformTenantResponse]:
    """ Change name, externalId, limits or plan of a tenant. Requests notice it within a second.

     For platforms.

    Args:
        tenant (str):
        x_request_id (str | Unset):
        body (PlatformTenantChanges): Omitted fields stay unchanged; null restores the default.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PlatformTenantResponse]
     """


    kwargs = _get_kwargs(
        tenant=tenant,
body=body,
x_request_id=x_request_id,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    tenant: str,
    *,
    client: AuthenticatedClient | Client,
    body: PlatformTenantChanges,
    x_request_id: str | Unset = UNSET,

) -> PlatformTenantResponse | None:
    """ Change name, externalId, limits or plan of a tenant. Requests notice it within a second.

     For platforms.

    Args:
        tenant (str):
        x_request_id (str | Unset):
        body (PlatformTenantChanges): Omitted fields stay unchanged; null restores the default.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PlatformTenantResponse
     """


    return (await asyncio_detailed(
        tenant=tenant,
client=client,
body=body,
x_request_id=x_request_id,

    )).parsed
