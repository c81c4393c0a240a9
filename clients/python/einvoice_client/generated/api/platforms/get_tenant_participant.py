from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.participant_response import ParticipantResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    tenant: str,
    participant_id: str,
    *,
    x_request_id: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id







    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/platform/tenants/{tenant}/participants/{participant_id}".format(tenant=quote(str(tenant), safe=""),participant_id=quote(str(participant_id), safe=""),),
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> ParticipantResponse | None:
    if response.status_code == 200:
        response_200 = ParticipantResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[ParticipantResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    tenant: str,
    participant_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,

) -> Response[ParticipantResponse]:
    """ Get a participant id of a tenant, with its publication.

     For platforms.

    Args:
        tenant (str):
        participant_id (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ParticipantResponse]
     """


    kwargs = _get_kwargs(
        tenant=tenant,
participant_id=participant_id,
x_request_id=x_request_id,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    tenant: str,
    participant_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,

) -> ParticipantResponse | None:
    """ Get a participant id of a tenant, with its publication.

     For platforms.

    Args:
        tenant (str):
        participant_id (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ParticipantResponse
     """


    return sync_detailed(
        tenant=tenant,
participant_id=participant_id,
client=client,
x_request_id=x_request_id,

    ).parsed

async def asyncio_detailed(
    tenant: str,
    participant_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,

) -> Response[ParticipantResponse]:
    """ Get a participant id of a tenant, with its publication.

     For platforms.

    Args:
        tenant (str):
        participant_id (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ParticipantResponse]
     """


    kwargs = _get_kwargs(
        tenant=tenant,
participant_id=participant_id,
x_request_id=x_request_id,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    tenant: str,
    participant_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,

) -> ParticipantResponse | None:
    """ Get a participant id of a tenant, with its publication.

     For platforms.

    Args:
        tenant (str):
        participant_id (str):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ParticipantResponse
     """


    return (await asyncio_detailed(
        tenant=tenant,
participant_id=participant_id,
client=client,
x_request_id=x_request_id,

    )).parsed
