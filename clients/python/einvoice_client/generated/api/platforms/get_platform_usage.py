from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.platform_usage_list import PlatformUsageList
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    month: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id





    params: dict[str, Any] = {}

    params["limit"] = limit

    params["cursor"] = cursor

    params["month"] = month


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/platform/usage",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> PlatformUsageList | None:
    if response.status_code == 200:
        response_200 = PlatformUsageList.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[PlatformUsageList]:
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
    month: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> Response[PlatformUsageList]:
    """ Get the documents of a month (UTC) of each tenant, by network, direction and outcome.

     In the environment of the credential. A document counts in the month of its acceptance.

    For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        month (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PlatformUsageList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
month=month,
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
    month: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> PlatformUsageList | None:
    """ Get the documents of a month (UTC) of each tenant, by network, direction and outcome.

     In the environment of the credential. A document counts in the month of its acceptance.

    For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        month (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PlatformUsageList
     """


    return sync_detailed(
        client=client,
limit=limit,
cursor=cursor,
month=month,
x_request_id=x_request_id,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    month: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> Response[PlatformUsageList]:
    """ Get the documents of a month (UTC) of each tenant, by network, direction and outcome.

     In the environment of the credential. A document counts in the month of its acceptance.

    For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        month (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PlatformUsageList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
month=month,
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
    month: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> PlatformUsageList | None:
    """ Get the documents of a month (UTC) of each tenant, by network, direction and outcome.

     In the environment of the credential. A document counts in the month of its acceptance.

    For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        month (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PlatformUsageList
     """


    return (await asyncio_detailed(
        client=client,
limit=limit,
cursor=cursor,
month=month,
x_request_id=x_request_id,

    )).parsed
