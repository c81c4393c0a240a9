from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.get_invoice_pdf_format import GetInvoicePdfFormat
from ...types import File, FileTypes
from ...types import UNSET, Unset
from io import BytesIO



def _get_kwargs(
    invoice_id: str,
    *,
    format_: GetInvoicePdfFormat | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant





    params: dict[str, Any] = {}

    json_format_: str | Unset = UNSET
    if not isinstance(format_, Unset):
        json_format_ = format_.value

    params["format"] = json_format_


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/invoices/{invoice_id}/pdf".format(invoice_id=quote(str(invoice_id), safe=""),),
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> File | None:
    if response.status_code == 200:
        response_200 = File(
             payload = BytesIO(response.content)
        )



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[File]:
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
    format_: GetInvoicePdfFormat | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[File]:
    """ Get a sent or received invoice as a PDF; a sent one with the branding of the account.

     The PDF embeds the document as sent, or with format=factur-x the invoice as CII. The pages of a
    sent invoice that is not Delivered are marked as not yet delivered.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        invoice_id (str):
        format_ (GetInvoicePdfFormat | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[File]
     """


    kwargs = _get_kwargs(
        invoice_id=invoice_id,
format_=format_,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    format_: GetInvoicePdfFormat | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> File | None:
    """ Get a sent or received invoice as a PDF; a sent one with the branding of the account.

     The PDF embeds the document as sent, or with format=factur-x the invoice as CII. The pages of a
    sent invoice that is not Delivered are marked as not yet delivered.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        invoice_id (str):
        format_ (GetInvoicePdfFormat | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        File
     """


    return sync_detailed(
        invoice_id=invoice_id,
client=client,
format_=format_,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    format_: GetInvoicePdfFormat | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[File]:
    """ Get a sent or received invoice as a PDF; a sent one with the branding of the account.

     The PDF embeds the document as sent, or with format=factur-x the invoice as CII. The pages of a
    sent invoice that is not Delivered are marked as not yet delivered.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        invoice_id (str):
        format_ (GetInvoicePdfFormat | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[File]
     """


    kwargs = _get_kwargs(
        invoice_id=invoice_id,
format_=format_,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    invoice_id: str,
    *,
    client: AuthenticatedClient | Client,
    format_: GetInvoicePdfFormat | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> File | None:
    """ Get a sent or received invoice as a PDF; a sent one with the branding of the account.

     The PDF embeds the document as sent, or with format=factur-x the invoice as CII. The pages of a
    sent invoice that is not Delivered are marked as not yet delivered.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        invoice_id (str):
        format_ (GetInvoicePdfFormat | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        File
     """


    return (await asyncio_detailed(
        invoice_id=invoice_id,
client=client,
format_=format_,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
