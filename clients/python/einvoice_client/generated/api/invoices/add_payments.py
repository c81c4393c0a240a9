from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.payments_request import PaymentsRequest
from ...models.payments_response import PaymentsResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: PaymentsRequest,
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
        "url": "/api/payments",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> PaymentsResponse | None:
    if response.status_code == 200:
        response_200 = PaymentsResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[PaymentsResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: PaymentsRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[PaymentsResponse]:
    """ Say of several invoices that they were paid: all payments are stored, or none.

     At most 100. Of invoices that are unknown, bills or wrong, each is named in `errors`. An API key
    needs the scope invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (PaymentsRequest): Payments of several invoices, which are stored all or none.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PaymentsResponse]
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
    body: PaymentsRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> PaymentsResponse | None:
    """ Say of several invoices that they were paid: all payments are stored, or none.

     At most 100. Of invoices that are unknown, bills or wrong, each is named in `errors`. An API key
    needs the scope invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (PaymentsRequest): Payments of several invoices, which are stored all or none.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PaymentsResponse
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
    body: PaymentsRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[PaymentsResponse]:
    """ Say of several invoices that they were paid: all payments are stored, or none.

     At most 100. Of invoices that are unknown, bills or wrong, each is named in `errors`. An API key
    needs the scope invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (PaymentsRequest): Payments of several invoices, which are stored all or none.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PaymentsResponse]
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
    body: PaymentsRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> PaymentsResponse | None:
    """ Say of several invoices that they were paid: all payments are stored, or none.

     At most 100. Of invoices that are unknown, bills or wrong, each is named in `errors`. An API key
    needs the scope invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (PaymentsRequest): Payments of several invoices, which are stored all or none.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PaymentsResponse
     """


    return (await asyncio_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,

    )).parsed
