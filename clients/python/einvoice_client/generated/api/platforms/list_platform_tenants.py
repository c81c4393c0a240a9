from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.list_platform_tenants_state import ListPlatformTenantsState
from ...models.platform_tenant_list import PlatformTenantList
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    state: ListPlatformTenantsState | Unset = UNSET,
    external_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id





    params: dict[str, Any] = {}

    params["limit"] = limit

    params["cursor"] = cursor

    json_state: str | Unset = UNSET
    if not isinstance(state, Unset):
        json_state = state.value

    params["state"] = json_state

    params["externalId"] = external_id


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/platform/tenants",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> PlatformTenantList | None:
    if response.status_code == 200:
        response_200 = PlatformTenantList.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[PlatformTenantList]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    state: ListPlatformTenantsState | Unset = UNSET,
    external_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> Response[PlatformTenantList]:
    """ List the tenants of the platform.

     For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        state (ListPlatformTenantsState | Unset):
        external_id (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PlatformTenantList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
state=state,
external_id=external_id,
x_request_id=x_request_id,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    state: ListPlatformTenantsState | Unset = UNSET,
    external_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> PlatformTenantList | None:
    """ List the tenants of the platform.

     For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        state (ListPlatformTenantsState | Unset):
        external_id (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PlatformTenantList
     """


    return sync_detailed(
        client=client,
limit=limit,
cursor=cursor,
state=state,
external_id=external_id,
x_request_id=x_request_id,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    state: ListPlatformTenantsState | Unset = UNSET,
    external_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> Response[PlatformTenantList]:
    """ List the tenants of the platform.

     For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        state (ListPlatformTenantsState | Unset):
        external_id (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PlatformTenantList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
state=state,
external_id=external_id,
x_request_id=x_request_id,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    state: ListPlatformTenantsState | Unset = UNSET,
    external_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> PlatformTenantList | None:
    """ List the tenants of the platform.

     For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        state (ListPlatformTenantsState | Unset):
        external_id (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PlatformTenantList
     """


    return (await asyncio_detailed(
        client=client,
limit=limit,
cursor=cursor,
state=state,
external_id=external_id,
x_request_id=x_request_id,

    )).parsed
