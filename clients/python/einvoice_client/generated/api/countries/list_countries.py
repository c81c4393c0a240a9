from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.country_list import CountryList
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    country_code: str | Unset = UNSET,
    network: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant

    if not isinstance(if_none_match, Unset):
        headers["If-None-Match"] = if_none_match





    params: dict[str, Any] = {}

    params["countryCode"] = country_code

    params["network"] = network


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/compliance/countries",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> CountryList | None:
    if response.status_code == 200:
        response_200 = CountryList.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[CountryList]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    country_code: str | Unset = UNSET,
    network: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,

) -> Response[CountryList]:
    """ List countries with their mandates, formats and networks; may be cached for a day.

     Each fact has its source and the day on which it was checked. It is not legal advice.

    For programs (API key or access token).

    Args:
        country_code (str | Unset):
        network (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CountryList]
     """


    kwargs = _get_kwargs(
        country_code=country_code,
network=network,
x_request_id=x_request_id,
x_tenant=x_tenant,
if_none_match=if_none_match,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    *,
    client: AuthenticatedClient | Client,
    country_code: str | Unset = UNSET,
    network: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,

) -> CountryList | None:
    """ List countries with their mandates, formats and networks; may be cached for a day.

     Each fact has its source and the day on which it was checked. It is not legal advice.

    For programs (API key or access token).

    Args:
        country_code (str | Unset):
        network (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CountryList
     """


    return sync_detailed(
        client=client,
country_code=country_code,
network=network,
x_request_id=x_request_id,
x_tenant=x_tenant,
if_none_match=if_none_match,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    country_code: str | Unset = UNSET,
    network: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,

) -> Response[CountryList]:
    """ List countries with their mandates, formats and networks; may be cached for a day.

     Each fact has its source and the day on which it was checked. It is not legal advice.

    For programs (API key or access token).

    Args:
        country_code (str | Unset):
        network (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[CountryList]
     """


    kwargs = _get_kwargs(
        country_code=country_code,
network=network,
x_request_id=x_request_id,
x_tenant=x_tenant,
if_none_match=if_none_match,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    country_code: str | Unset = UNSET,
    network: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    if_none_match: str | Unset = UNSET,

) -> CountryList | None:
    """ List countries with their mandates, formats and networks; may be cached for a day.

     Each fact has its source and the day on which it was checked. It is not legal advice.

    For programs (API key or access token).

    Args:
        country_code (str | Unset):
        network (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        if_none_match (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        CountryList
     """


    return (await asyncio_detailed(
        client=client,
country_code=country_code,
network=network,
x_request_id=x_request_id,
x_tenant=x_tenant,
if_none_match=if_none_match,

    )).parsed
