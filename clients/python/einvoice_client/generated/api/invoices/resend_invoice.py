from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.resend_request import ResendRequest
from ...models.send_response import SendResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    invoice_id: str,
    *,
    body: ResendRequest | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

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







    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/invoices/{invoice_id}/resend".format(invoice_id=quote(str(invoice_id), safe=""),),
    }


    if not isinstance(body, Unset):
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
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: ResendRequest | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> Response[SendResponse]:
    """ Send a failed invoice again.

     The same document is sent with a new transactionId; the invoiceId stays. Only a Failed invoice
    can be resent: 409 conflict otherwise, also for the second of two concurrent requests. One that
    went by e-mail and came back (its response is undeliverable) can be sent to another address: the
    body names it, else it is empty. The headers Idempotency-Key and Prefer work as for a send; keys
    are shared with it. People need the role member.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (ResendRequest | Unset): Where an invoice goes that went by e-mail; without: to the
            same receiver.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[SendResponse]
     """


    kwargs = _get_kwargs(
        invoice_id=invoice_id,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,
prefer=prefer,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: ResendRequest | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> SendResponse | None:
    """ Send a failed invoice again.

     The same document is sent with a new transactionId; the invoiceId stays. Only a Failed invoice
    can be resent: 409 conflict otherwise, also for the second of two concurrent requests. One that
    went by e-mail and came back (its response is undeliverable) can be sent to another address: the
    body names it, else it is empty. The headers Idempotency-Key and Prefer work as for a send; keys
    are shared with it. People need the role member.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (ResendRequest | Unset): Where an invoice goes that went by e-mail; without: to the
            same receiver.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        SendResponse
     """


    return sync_detailed(
        invoice_id=invoice_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,
prefer=prefer,

    ).parsed

async def asyncio_detailed(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: ResendRequest | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> Response[SendResponse]:
    """ Send a failed invoice again.

     The same document is sent with a new transactionId; the invoiceId stays. Only a Failed invoice
    can be resent: 409 conflict otherwise, also for the second of two concurrent requests. One that
    went by e-mail and came back (its response is undeliverable) can be sent to another address: the
    body names it, else it is empty. The headers Idempotency-Key and Prefer work as for a send; keys
    are shared with it. People need the role member.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (ResendRequest | Unset): Where an invoice goes that went by e-mail; without: to the
            same receiver.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[SendResponse]
     """


    kwargs = _get_kwargs(
        invoice_id=invoice_id,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,
prefer=prefer,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: ResendRequest | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> SendResponse | None:
    """ Send a failed invoice again.

     The same document is sent with a new transactionId; the invoiceId stays. Only a Failed invoice
    can be resent: 409 conflict otherwise, also for the second of two concurrent requests. One that
    went by e-mail and came back (its response is undeliverable) can be sent to another address: the
    body names it, else it is empty. The headers Idempotency-Key and Prefer work as for a send; keys
    are shared with it. People need the role member.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        prefer (str | Unset):
        body (ResendRequest | Unset): Where an invoice goes that went by e-mail; without: to the
            same receiver.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        SendResponse
     """


    return (await asyncio_detailed(
        invoice_id=invoice_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,
prefer=prefer,

    )).parsed
