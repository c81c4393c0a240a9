from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.participant_registrations import ParticipantRegistrations
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    environment: str,
    participant_id: str,
    *,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant







    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/participants/{environment}/{participant_id}/registrations".format(environment=quote(str(environment), safe=""),participant_id=quote(str(participant_id), safe=""),),
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> ParticipantRegistrations | None:
    if response.status_code == 200:
        response_200 = ParticipantRegistrations.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[ParticipantRegistrations]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    environment: str,
    participant_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[ParticipantRegistrations]:
    """ Ask the networks where a participant id or claim of the account is registered.

     Each network has 10 seconds for each of its two answers; complete answers are kept for a minute.
    `items` is empty where no network of the environment registers ids.

    For platforms and people with the role viewer or a higher one.

    Args:
        environment (str):
        participant_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ParticipantRegistrations]
     """


    kwargs = _get_kwargs(
        environment=environment,
participant_id=participant_id,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    environment: str,
    participant_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> ParticipantRegistrations | None:
    """ Ask the networks where a participant id or claim of the account is registered.

     Each network has 10 seconds for each of its two answers; complete answers are kept for a minute.
    `items` is empty where no network of the environment registers ids.

    For platforms and people with the role viewer or a higher one.

    Args:
        environment (str):
        participant_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ParticipantRegistrations
     """


    return sync_detailed(
        environment=environment,
participant_id=participant_id,
client=client,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    environment: str,
    participant_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[ParticipantRegistrations]:
    """ Ask the networks where a participant id or claim of the account is registered.

     Each network has 10 seconds for each of its two answers; complete answers are kept for a minute.
    `items` is empty where no network of the environment registers ids.

    For platforms and people with the role viewer or a higher one.

    Args:
        environment (str):
        participant_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ParticipantRegistrations]
     """


    kwargs = _get_kwargs(
        environment=environment,
participant_id=participant_id,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    environment: str,
    participant_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> ParticipantRegistrations | None:
    """ Ask the networks where a participant id or claim of the account is registered.

     Each network has 10 seconds for each of its two answers; complete answers are kept for a minute.
    `items` is empty where no network of the environment registers ids.

    For platforms and people with the role viewer or a higher one.

    Args:
        environment (str):
        participant_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ParticipantRegistrations
     """


    return (await asyncio_detailed(
        environment=environment,
participant_id=participant_id,
client=client,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
