from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.participant_search_response import ParticipantSearchResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    name: str | Unset = UNSET,
    tax_id: str | Unset = UNSET,
    country: str | Unset = UNSET,
    limit: int | Unset = 20,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant





    params: dict[str, Any] = {}

    params["name"] = name

    params["taxId"] = tax_id

    params["country"] = country

    params["limit"] = limit


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/participants/search",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> ParticipantSearchResponse | None:
    if response.status_code == 200:
        response_200 = ParticipantSearchResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[ParticipantSearchResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    name: str | Unset = UNSET,
    tax_id: str | Unset = UNSET,
    country: str | Unset = UNSET,
    limit: int | Unset = 20,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[ParticipantSearchResponse]:
    """ Search participants by name or number: customers, suppliers, and directories of networks.

     Of customers and suppliers, those with a participant id are found. Networks are searched where
    they offer it; one that does not answer is `unavailable` beside the hits of the others. Each
    source has at most `limit` hits, and `hasMore` where a longer name would find others.

    By `taxId`, a VAT or company number, networks are asked for the ids that companies of its
    country are registered by; each that is registered is a hit with its document types.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        name (str | Unset):
        tax_id (str | Unset):
        country (str | Unset):
        limit (int | Unset):  Default: 20.
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ParticipantSearchResponse]
     """


    kwargs = _get_kwargs(
        name=name,
tax_id=tax_id,
country=country,
limit=limit,
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
    name: str | Unset = UNSET,
    tax_id: str | Unset = UNSET,
    country: str | Unset = UNSET,
    limit: int | Unset = 20,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> ParticipantSearchResponse | None:
    """ Search participants by name or number: customers, suppliers, and directories of networks.

     Of customers and suppliers, those with a participant id are found. Networks are searched where
    they offer it; one that does not answer is `unavailable` beside the hits of the others. Each
    source has at most `limit` hits, and `hasMore` where a longer name would find others.

    By `taxId`, a VAT or company number, networks are asked for the ids that companies of its
    country are registered by; each that is registered is a hit with its document types.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        name (str | Unset):
        tax_id (str | Unset):
        country (str | Unset):
        limit (int | Unset):  Default: 20.
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ParticipantSearchResponse
     """


    return sync_detailed(
        client=client,
name=name,
tax_id=tax_id,
country=country,
limit=limit,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    name: str | Unset = UNSET,
    tax_id: str | Unset = UNSET,
    country: str | Unset = UNSET,
    limit: int | Unset = 20,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[ParticipantSearchResponse]:
    """ Search participants by name or number: customers, suppliers, and directories of networks.

     Of customers and suppliers, those with a participant id are found. Networks are searched where
    they offer it; one that does not answer is `unavailable` beside the hits of the others. Each
    source has at most `limit` hits, and `hasMore` where a longer name would find others.

    By `taxId`, a VAT or company number, networks are asked for the ids that companies of its
    country are registered by; each that is registered is a hit with its document types.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        name (str | Unset):
        tax_id (str | Unset):
        country (str | Unset):
        limit (int | Unset):  Default: 20.
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ParticipantSearchResponse]
     """


    kwargs = _get_kwargs(
        name=name,
tax_id=tax_id,
country=country,
limit=limit,
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
    name: str | Unset = UNSET,
    tax_id: str | Unset = UNSET,
    country: str | Unset = UNSET,
    limit: int | Unset = 20,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> ParticipantSearchResponse | None:
    """ Search participants by name or number: customers, suppliers, and directories of networks.

     Of customers and suppliers, those with a participant id are found. Networks are searched where
    they offer it; one that does not answer is `unavailable` beside the hits of the others. Each
    source has at most `limit` hits, and `hasMore` where a longer name would find others.

    By `taxId`, a VAT or company number, networks are asked for the ids that companies of its
    country are registered by; each that is registered is a hit with its document types.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        name (str | Unset):
        tax_id (str | Unset):
        country (str | Unset):
        limit (int | Unset):  Default: 20.
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ParticipantSearchResponse
     """


    return (await asyncio_detailed(
        client=client,
name=name,
tax_id=tax_id,
country=country,
limit=limit,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
