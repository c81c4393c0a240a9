from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.send_request import SendRequest
from ...models.send_response import SendResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: SendRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant

    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    if not isinstance(prefer, Unset):
        headers["Prefer"] = prefer

    if not isinstance(accept_language, Unset):
        headers["Accept-Language"] = accept_language







    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/invoices/send",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> SendResponse | None:
    if response.status_code == 200:
        response_200 = SendResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[SendResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: SendRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> Response[SendResponse]:
    """ Send an invoice over Peppol or another network.

     Answers when the first outcome is known or the wait is over (header Prefer).

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        accept_language (str | Unset):
        body (SendRequest): The body of POST /api/invoices/send.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[SendResponse]
     """


    kwargs = _get_kwargs(
        body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,
prefer=prefer,
accept_language=accept_language,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    *,
    client: AuthenticatedClient | Client,
    body: SendRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> SendResponse | None:
    """ Send an invoice over Peppol or another network.

     Answers when the first outcome is known or the wait is over (header Prefer).

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        accept_language (str | Unset):
        body (SendRequest): The body of POST /api/invoices/send.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        SendResponse
     """


    return sync_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,
prefer=prefer,
accept_language=accept_language,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: SendRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> Response[SendResponse]:
    """ Send an invoice over Peppol or another network.

     Answers when the first outcome is known or the wait is over (header Prefer).

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        accept_language (str | Unset):
        body (SendRequest): The body of POST /api/invoices/send.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[SendResponse]
     """


    kwargs = _get_kwargs(
        body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,
prefer=prefer,
accept_language=accept_language,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    body: SendRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> SendResponse | None:
    """ Send an invoice over Peppol or another network.

     Answers when the first outcome is known or the wait is over (header Prefer).

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        accept_language (str | Unset):
        body (SendRequest): The body of POST /api/invoices/send.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        SendResponse
     """


    return (await asyncio_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,
prefer=prefer,
accept_language=accept_language,

    )).parsed
