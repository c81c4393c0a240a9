from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.submit_request import SubmitRequest
from ...models.submit_response import SubmitResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: SubmitRequest,
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
        "url": "/v1/invoices",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> SubmitResponse | None:
    if response.status_code == 200:
        response_200 = SubmitResponse.from_dict(response.json())



        return response_200

    if response.status_code == 202:
        response_202 = SubmitResponse.from_dict(response.json())



        return response_202

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[SubmitResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: SubmitRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> Response[SubmitResponse]:
    """ Submit a UBL or CII document, or a PDF with one attached, for delivery.

     Answers 200 if the network delivers it within the wait (header Prefer), else 202 with the
    Location for its status. CII is sent to receivers that accept it, else converted to UBL.

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        accept_language (str | Unset):
        body (SubmitRequest): The body of POST /v1/invoices.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[SubmitResponse]
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
    body: SubmitRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> SubmitResponse | None:
    """ Submit a UBL or CII document, or a PDF with one attached, for delivery.

     Answers 200 if the network delivers it within the wait (header Prefer), else 202 with the
    Location for its status. CII is sent to receivers that accept it, else converted to UBL.

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        accept_language (str | Unset):
        body (SubmitRequest): The body of POST /v1/invoices.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        SubmitResponse
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
    body: SubmitRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> Response[SubmitResponse]:
    """ Submit a UBL or CII document, or a PDF with one attached, for delivery.

     Answers 200 if the network delivers it within the wait (header Prefer), else 202 with the
    Location for its status. CII is sent to receivers that accept it, else converted to UBL.

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        accept_language (str | Unset):
        body (SubmitRequest): The body of POST /v1/invoices.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[SubmitResponse]
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
    body: SubmitRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> SubmitResponse | None:
    """ Submit a UBL or CII document, or a PDF with one attached, for delivery.

     Answers 200 if the network delivers it within the wait (header Prefer), else 202 with the
    Location for its status. CII is sent to receivers that accept it, else converted to UBL.

    For programs (API key or access token).

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        accept_language (str | Unset):
        body (SubmitRequest): The body of POST /v1/invoices.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        SubmitResponse
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
