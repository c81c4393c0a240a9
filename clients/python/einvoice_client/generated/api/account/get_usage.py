from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.get_usage_environment import GetUsageEnvironment
from ...models.usage_list import UsageList
from ...types import UNSET, Unset
from typing import cast
import datetime



def _get_kwargs(
    *,
    environment: GetUsageEnvironment | Unset = UNSET,
    to: datetime.date | Unset = UNSET,
    from_: datetime.date | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant





    params: dict[str, Any] = {}

    json_environment: str | Unset = UNSET
    if not isinstance(environment, Unset):
        json_environment = environment.value

    params["environment"] = json_environment

    json_to: str | Unset = UNSET
    if not isinstance(to, Unset):
        json_to = to.isoformat()
    params["to"] = json_to

    json_from_: str | Unset = UNSET
    if not isinstance(from_, Unset):
        json_from_ = from_.isoformat()
    params["from"] = json_from_


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/usage",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> UsageList | None:
    if response.status_code == 200:
        response_200 = UsageList.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[UsageList]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    environment: GetUsageEnvironment | Unset = UNSET,
    to: datetime.date | Unset = UNSET,
    from_: datetime.date | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[UsageList]:
    """ Get the number of documents per day of acceptance by their status, and times of delivery.

     For platforms and people with the role viewer or a higher one.

    Args:
        environment (GetUsageEnvironment | Unset):
        to (datetime.date | Unset):
        from_ (datetime.date | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[UsageList]
     """


    kwargs = _get_kwargs(
        environment=environment,
to=to,
from_=from_,
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
    environment: GetUsageEnvironment | Unset = UNSET,
    to: datetime.date | Unset = UNSET,
    from_: datetime.date | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> UsageList | None:
    """ Get the number of documents per day of acceptance by their status, and times of delivery.

     For platforms and people with the role viewer or a higher one.

    Args:
        environment (GetUsageEnvironment | Unset):
        to (datetime.date | Unset):
        from_ (datetime.date | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        UsageList
     """


    return sync_detailed(
        client=client,
environment=environment,
to=to,
from_=from_,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    environment: GetUsageEnvironment | Unset = UNSET,
    to: datetime.date | Unset = UNSET,
    from_: datetime.date | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[UsageList]:
    """ Get the number of documents per day of acceptance by their status, and times of delivery.

     For platforms and people with the role viewer or a higher one.

    Args:
        environment (GetUsageEnvironment | Unset):
        to (datetime.date | Unset):
        from_ (datetime.date | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[UsageList]
     """


    kwargs = _get_kwargs(
        environment=environment,
to=to,
from_=from_,
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
    environment: GetUsageEnvironment | Unset = UNSET,
    to: datetime.date | Unset = UNSET,
    from_: datetime.date | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> UsageList | None:
    """ Get the number of documents per day of acceptance by their status, and times of delivery.

     For platforms and people with the role viewer or a higher one.

    Args:
        environment (GetUsageEnvironment | Unset):
        to (datetime.date | Unset):
        from_ (datetime.date | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        UsageList
     """


    return (await asyncio_detailed(
        client=client,
environment=environment,
to=to,
from_=from_,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
