from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.held_address_list import HeldAddressList
from ...models.list_held_addresses_environment import ListHeldAddressesEnvironment
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    environment: ListHeldAddressesEnvironment,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant





    params: dict[str, Any] = {}

    params["limit"] = limit

    params["cursor"] = cursor

    json_environment = environment.value
    params["environment"] = json_environment


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/mail/held-addresses",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> HeldAddressList | None:
    if response.status_code == 200:
        response_200 = HeldAddressList.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[HeldAddressList]:
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
    environment: ListHeldAddressesEnvironment,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[HeldAddressList]:
    """ List the addresses of buyers that get no mail of yours, because they do not exist, at most
    1,000; the newest first.

     For platforms and people with the role admin or a higher one.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        environment (ListHeldAddressesEnvironment):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[HeldAddressList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
environment=environment,
x_request_id=x_request_id,
x_tenant=x_tenant,

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
    environment: ListHeldAddressesEnvironment,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> HeldAddressList | None:
    """ List the addresses of buyers that get no mail of yours, because they do not exist, at most
    1,000; the newest first.

     For platforms and people with the role admin or a higher one.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        environment (ListHeldAddressesEnvironment):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        HeldAddressList
     """


    return sync_detailed(
        client=client,
limit=limit,
cursor=cursor,
environment=environment,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    environment: ListHeldAddressesEnvironment,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[HeldAddressList]:
    """ List the addresses of buyers that get no mail of yours, because they do not exist, at most
    1,000; the newest first.

     For platforms and people with the role admin or a higher one.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        environment (ListHeldAddressesEnvironment):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[HeldAddressList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
environment=environment,
x_request_id=x_request_id,
x_tenant=x_tenant,

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
    environment: ListHeldAddressesEnvironment,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> HeldAddressList | None:
    """ List the addresses of buyers that get no mail of yours, because they do not exist, at most
    1,000; the newest first.

     For platforms and people with the role admin or a higher one.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        environment (ListHeldAddressesEnvironment):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        HeldAddressList
     """


    return (await asyncio_detailed(
        client=client,
limit=limit,
cursor=cursor,
environment=environment,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
