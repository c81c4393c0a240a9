from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.new_platform_tenant import NewPlatformTenant
from ...models.platform_tenant_response import PlatformTenantResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: NewPlatformTenant,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key







    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/platform/tenants",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> PlatformTenantResponse | None:
    if response.status_code == 200:
        response_200 = PlatformTenantResponse.from_dict(response.json())



        return response_200

    if response.status_code == 201:
        response_201 = PlatformTenantResponse.from_dict(response.json())



        return response_201

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
    *,
    client: AuthenticatedClient | Client,
    body: NewPlatformTenant,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[PlatformTenantResponse]:
    """ Create the tenant of an externalId, once: 200 with the same tenant if it exists.

     409 conflict if it exists with another name or other limits. A tenant that was created with a
    test credential works in the sandbox only, until the same request is made with a live one.

    For platforms.

    Args:
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (NewPlatformTenant): A tenant to create. The same request later returns the same
            tenant.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PlatformTenantResponse]
     """


    kwargs = _get_kwargs(
        body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    *,
    client: AuthenticatedClient | Client,
    body: NewPlatformTenant,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> PlatformTenantResponse | None:
    """ Create the tenant of an externalId, once: 200 with the same tenant if it exists.

     409 conflict if it exists with another name or other limits. A tenant that was created with a
    test credential works in the sandbox only, until the same request is made with a live one.

    For platforms.

    Args:
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (NewPlatformTenant): A tenant to create. The same request later returns the same
            tenant.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PlatformTenantResponse
     """


    return sync_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: NewPlatformTenant,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[PlatformTenantResponse]:
    """ Create the tenant of an externalId, once: 200 with the same tenant if it exists.

     409 conflict if it exists with another name or other limits. A tenant that was created with a
    test credential works in the sandbox only, until the same request is made with a live one.

    For platforms.

    Args:
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (NewPlatformTenant): A tenant to create. The same request later returns the same
            tenant.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PlatformTenantResponse]
     """


    kwargs = _get_kwargs(
        body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    body: NewPlatformTenant,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> PlatformTenantResponse | None:
    """ Create the tenant of an externalId, once: 200 with the same tenant if it exists.

     409 conflict if it exists with another name or other limits. A tenant that was created with a
    test credential works in the sandbox only, until the same request is made with a live one.

    For platforms.

    Args:
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (NewPlatformTenant): A tenant to create. The same request later returns the same
            tenant.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PlatformTenantResponse
     """


    return (await asyncio_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    )).parsed
