from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.payment_request import PaymentRequest
from ...models.payment_response import PaymentResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    invoice_id: str,
    *,
    body: PaymentRequest,
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
        "url": "/api/invoices/{invoice_id}/payments".format(invoice_id=quote(str(invoice_id), safe=""),),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> PaymentResponse | None:
    if response.status_code == 200:
        response_200 = PaymentResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[PaymentResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: PaymentRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[PaymentResponse]:
    """ Say that an invoice that you sent was paid, in whole or in part.

     `amountPaid` and `paid` of the invoice change, and the event is invoice.paid. A network whose
    law asks for it is told (France: status 212). Each call is a payment of its own: use an
    Idempotency-Key. 409 conflict for a bill, and after 100 payments. An API key needs the scope
    invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (PaymentRequest): A payment that you have got for an invoice that you sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PaymentResponse]
     """


    kwargs = _get_kwargs(
        invoice_id=invoice_id,
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
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: PaymentRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> PaymentResponse | None:
    """ Say that an invoice that you sent was paid, in whole or in part.

     `amountPaid` and `paid` of the invoice change, and the event is invoice.paid. A network whose
    law asks for it is told (France: status 212). Each call is a payment of its own: use an
    Idempotency-Key. 409 conflict for a bill, and after 100 payments. An API key needs the scope
    invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (PaymentRequest): A payment that you have got for an invoice that you sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PaymentResponse
     """


    return sync_detailed(
        invoice_id=invoice_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: PaymentRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[PaymentResponse]:
    """ Say that an invoice that you sent was paid, in whole or in part.

     `amountPaid` and `paid` of the invoice change, and the event is invoice.paid. A network whose
    law asks for it is told (France: status 212). Each call is a payment of its own: use an
    Idempotency-Key. 409 conflict for a bill, and after 100 payments. An API key needs the scope
    invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (PaymentRequest): A payment that you have got for an invoice that you sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PaymentResponse]
     """


    kwargs = _get_kwargs(
        invoice_id=invoice_id,
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
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: PaymentRequest,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> PaymentResponse | None:
    """ Say that an invoice that you sent was paid, in whole or in part.

     `amountPaid` and `paid` of the invoice change, and the event is invoice.paid. A network whose
    law asks for it is told (France: status 212). Each call is a payment of its own: use an
    Idempotency-Key. 409 conflict for a bill, and after 100 payments. An API key needs the scope
    invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (PaymentRequest): A payment that you have got for an invoice that you sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PaymentResponse
     """


    return (await asyncio_detailed(
        invoice_id=invoice_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,

    )).parsed
