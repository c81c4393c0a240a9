from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.empty_body import EmptyBody
from ...models.webhook_delivery_response import WebhookDeliveryResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    webhook_id: str,
    delivery_id: str,
    *,
    body: EmptyBody | Unset = UNSET,
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
        "url": "/api/platform/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver".format(webhook_id=quote(str(webhook_id), safe=""),delivery_id=quote(str(delivery_id), safe=""),),
    }


    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> WebhookDeliveryResponse | None:
    if response.status_code == 202:
        response_202 = WebhookDeliveryResponse.from_dict(response.json())



        return response_202

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[WebhookDeliveryResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    webhook_id: str,
    delivery_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[WebhookDeliveryResponse]:
    """ Deliver the event again, with the same webhook-id; 409 if the webhook is disabled.

     For platforms.

    Args:
        webhook_id (str):
        delivery_id (str):
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[WebhookDeliveryResponse]
     """


    kwargs = _get_kwargs(
        webhook_id=webhook_id,
delivery_id=delivery_id,
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
    delivery_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> WebhookDeliveryResponse | None:
    """ Deliver the event again, with the same webhook-id; 409 if the webhook is disabled.

     For platforms.

    Args:
        webhook_id (str):
        delivery_id (str):
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        WebhookDeliveryResponse
     """


    return sync_detailed(
        webhook_id=webhook_id,
delivery_id=delivery_id,
client=client,
body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    webhook_id: str,
    delivery_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[WebhookDeliveryResponse]:
    """ Deliver the event again, with the same webhook-id; 409 if the webhook is disabled.

     For platforms.

    Args:
        webhook_id (str):
        delivery_id (str):
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[WebhookDeliveryResponse]
     """


    kwargs = _get_kwargs(
        webhook_id=webhook_id,
delivery_id=delivery_id,
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
    delivery_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> WebhookDeliveryResponse | None:
    """ Deliver the event again, with the same webhook-id; 409 if the webhook is disabled.

     For platforms.

    Args:
        webhook_id (str):
        delivery_id (str):
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        WebhookDeliveryResponse
     """


    return (await asyncio_detailed(
        webhook_id=webhook_id,
delivery_id=delivery_id,
client=client,
body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    )).parsed
