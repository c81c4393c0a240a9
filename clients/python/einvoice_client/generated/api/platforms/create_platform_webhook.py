from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.new_webhook import NewWebhook
from ...models.webhook_with_secrets import WebhookWithSecrets
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: NewWebhook,
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
        "url": "/api/platform/webhooks",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> WebhookWithSecrets | None:
    if response.status_code == 201:
        response_201 = WebhookWithSecrets.from_dict(response.json())



        return response_201

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[WebhookWithSecrets]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: NewWebhook,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[WebhookWithSecrets]:
    """ Register a webhook, at most 20 per environment. Only this response contains the secrets.

     For platforms.

    Args:
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (NewWebhook): A URL to which events are posted.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[WebhookWithSecrets]
     """


    kwargs = _get_kwargs(
        body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    *,
    client: AuthenticatedClient | Client,
    body: NewWebhook,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> WebhookWithSecrets | None:
    """ Register a webhook, at most 20 per environment. Only this response contains the secrets.

     For platforms.

    Args:
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (NewWebhook): A URL to which events are posted.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        WebhookWithSecrets
     """


    return sync_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: NewWebhook,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[WebhookWithSecrets]:
    """ Register a webhook, at most 20 per environment. Only this response contains the secrets.

     For platforms.

    Args:
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (NewWebhook): A URL to which events are posted.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[WebhookWithSecrets]
     """


    kwargs = _get_kwargs(
        body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    body: NewWebhook,
    x_request_id: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> WebhookWithSecrets | None:
    """ Register a webhook, at most 20 per environment. Only this response contains the secrets.

     For platforms.

    Args:
        x_request_id (str | Unset):
        idempotency_key (str | Unset):
        body (NewWebhook): A URL to which events are posted.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        WebhookWithSecrets
     """


    return (await asyncio_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
idempotency_key=idempotency_key,

    )).parsed
