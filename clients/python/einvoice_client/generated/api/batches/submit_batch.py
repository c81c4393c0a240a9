from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.batch_request import BatchRequest
from ...models.batch_response import BatchResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: BatchRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant

    if not isinstance(accept_language, Unset):
        headers["Accept-Language"] = accept_language

    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key







    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/invoices/batch",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> BatchResponse | None:
    if response.status_code == 200:
        response_200 = BatchResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[BatchResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: BatchRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[BatchResponse]:
    """ Submit up to 500 documents.

     Each document is validated and accepted or refused independently, as by POST /v1/invoices
    without waiting; the response is 200. Each document has its own idempotencyKey; the header is
    ignored. At most 20 MiB.

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        idempotency_key (str | Unset):
        body (BatchRequest): The body of POST /v1/invoices/batch.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[BatchResponse]
     """


    kwargs = _get_kwargs(
        body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,
idempotency_key=idempotency_key,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    *,
    client: AuthenticatedClient | Client,
    body: BatchRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> BatchResponse | None:
    """ Submit up to 500 documents.

     Each document is validated and accepted or refused independently, as by POST /v1/invoices
    without waiting; the response is 200. Each document has its own idempotencyKey; the header is
    ignored. At most 20 MiB.

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        idempotency_key (str | Unset):
        body (BatchRequest): The body of POST /v1/invoices/batch.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        BatchResponse
     """


    return sync_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: BatchRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[BatchResponse]:
    """ Submit up to 500 documents.

     Each document is validated and accepted or refused independently, as by POST /v1/invoices
    without waiting; the response is 200. Each document has its own idempotencyKey; the header is
    ignored. At most 20 MiB.

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        idempotency_key (str | Unset):
        body (BatchRequest): The body of POST /v1/invoices/batch.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[BatchResponse]
     """


    kwargs = _get_kwargs(
        body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,
idempotency_key=idempotency_key,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    body: BatchRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> BatchResponse | None:
    """ Submit up to 500 documents.

     Each document is validated and accepted or refused independently, as by POST /v1/invoices
    without waiting; the response is 200. Each document has its own idempotencyKey; the header is
    ignored. At most 20 MiB.

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        idempotency_key (str | Unset):
        body (BatchRequest): The body of POST /v1/invoices/batch.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        BatchResponse
     """


    return (await asyncio_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,
idempotency_key=idempotency_key,

    )).parsed
