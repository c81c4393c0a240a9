from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.invoice_response import InvoiceResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    invoice_id: str,
    *,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant

    if not isinstance(accept_language, Unset):
        headers["Accept-Language"] = accept_language







    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/invoices/{invoice_id}".format(invoice_id=quote(str(invoice_id), safe=""),),
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> InvoiceResponse | None:
    if response.status_code == 200:
        response_200 = InvoiceResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[InvoiceResponse]:
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
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> Response[InvoiceResponse]:
    """ An invoice with its status and history.

     For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[InvoiceResponse]
     """


    kwargs = _get_kwargs(
        invoice_id=invoice_id,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> InvoiceResponse | None:
    """ An invoice with its status and history.

     For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        InvoiceResponse
     """


    return sync_detailed(
        invoice_id=invoice_id,
client=client,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,

    ).parsed

async def asyncio_detailed(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> Response[InvoiceResponse]:
    """ An invoice with its status and history.

     For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[InvoiceResponse]
     """


    kwargs = _get_kwargs(
        invoice_id=invoice_id,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> InvoiceResponse | None:
    """ An invoice with its status and history.

     For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        invoice_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        InvoiceResponse
     """


    return (await asyncio_detailed(
        invoice_id=invoice_id,
client=client,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,

    )).parsed
