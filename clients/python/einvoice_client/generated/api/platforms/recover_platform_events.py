from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.recovery_request import RecoveryRequest
from ...models.recovery_result import RecoveryResult
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    webhook_id: str,
    *,
    body: RecoveryRequest,
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
        "url": "/api/platform/webhooks/{webhook_id}/recover".format(webhook_id=quote(str(webhook_id), safe=""),),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> RecoveryResult | None:
    if response.status_code == 202:
        response_202 = RecoveryResult.from_dict(response.json())



        return response_202

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[RecoveryResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    webhook_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: RecoveryRequest,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[RecoveryResult]:
    """ Deliver the events of a period that this webhook missed. A repeated request sends none twice.

     Events from before the webhook was registered are left out; GET /api/events lists them.

    For platforms.

    Args:
        webhook_id (str):
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (RecoveryRequest): The period whose undelivered events are sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[RecoveryResult]
     """


    kwargs = _get_kwargs(
        webhook_id=webhook_id,
body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    webhook_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: RecoveryRequest,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> RecoveryResult | None:
    """ Deliver the events of a period that this webhook missed. A repeated request sends none twice.

     Events from before the webhook was registered are left out; GET /api/events lists them.

    For platforms.

    Args:
        webhook_id (str):
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (RecoveryRequest): The period whose undelivered events are sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        RecoveryResult
     """


    return sync_detailed(
        webhook_id=webhook_id,
client=client,
body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    webhook_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: RecoveryRequest,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[RecoveryResult]:
    """ Deliver the events of a period that this webhook missed. A repeated request sends none twice.

     Events from before the webhook was registered are left out; GET /api/events lists them.

    For platforms.

    Args:
        webhook_id (str):
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (RecoveryRequest): The period whose undelivered events are sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[RecoveryResult]
     """


    kwargs = _get_kwargs(
        webhook_id=webhook_id,
body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    webhook_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: RecoveryRequest,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> RecoveryResult | None:
    """ Deliver the events of a period that this webhook missed. A repeated request sends none twice.

     Events from before the webhook was registered are left out; GET /api/events lists them.

    For platforms.

    Args:
        webhook_id (str):
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (RecoveryRequest): The period whose undelivered events are sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        RecoveryResult
     """


    return (await asyncio_detailed(
        webhook_id=webhook_id,
client=client,
body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    )).parsed
