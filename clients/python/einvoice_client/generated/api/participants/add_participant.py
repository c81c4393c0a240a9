from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.new_participant import NewParticipant
from ...models.participant_response import ParticipantResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: NewParticipant,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant

    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key







    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/participants",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> ParticipantResponse | None:
    if response.status_code == 201:
        response_201 = ParticipantResponse.from_dict(response.json())



        return response_201

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
    *,
    client: AuthenticatedClient | Client,
    body: NewParticipant,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[ParticipantResponse]:
    """ Claim a participant id, to send from in live and to receive documents.

     In the sandbox it is yours at once, unless another account has it: 409 conflict. In live the
    claim is `pending`, even if another tenant has the id, and works once it is `verified`: by the
    operator, by the network where the participant is registered, or at once if it is a number of
    yours that the operator has verified. A rejected id may be claimed again; one that you have or
    claim already is 409 conflict.

    For platforms and people with the role admin or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (NewParticipant): A participant id to add.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ParticipantResponse]
     """


    kwargs = _get_kwargs(
        body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    *,
    client: AuthenticatedClient | Client,
    body: NewParticipant,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> ParticipantResponse | None:
    """ Claim a participant id, to send from in live and to receive documents.

     In the sandbox it is yours at once, unless another account has it: 409 conflict. In live the
    claim is `pending`, even if another tenant has the id, and works once it is `verified`: by the
    operator, by the network where the participant is registered, or at once if it is a number of
    yours that the operator has verified. A rejected id may be claimed again; one that you have or
    claim already is 409 conflict.

    For platforms and people with the role admin or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (NewParticipant): A participant id to add.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ParticipantResponse
     """


    return sync_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: NewParticipant,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[ParticipantResponse]:
    """ Claim a participant id, to send from in live and to receive documents.

     In the sandbox it is yours at once, unless another account has it: 409 conflict. In live the
    claim is `pending`, even if another tenant has the id, and works once it is `verified`: by the
    operator, by the network where the participant is registered, or at once if it is a number of
    yours that the operator has verified. A rejected id may be claimed again; one that you have or
    claim already is 409 conflict.

    For platforms and people with the role admin or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (NewParticipant): A participant id to add.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ParticipantResponse]
     """


    kwargs = _get_kwargs(
        body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    body: NewParticipant,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> ParticipantResponse | None:
    """ Claim a participant id, to send from in live and to receive documents.

     In the sandbox it is yours at once, unless another account has it: 409 conflict. In live the
    claim is `pending`, even if another tenant has the id, and works once it is `verified`: by the
    operator, by the network where the participant is registered, or at once if it is a number of
    yours that the operator has verified. A rejected id may be claimed again; one that you have or
    claim already is 409 conflict.

    For platforms and people with the role admin or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (NewParticipant): A participant id to add.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ParticipantResponse
     """


    return (await asyncio_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,

    )).parsed
