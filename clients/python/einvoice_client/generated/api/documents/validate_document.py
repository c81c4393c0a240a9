from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.send_request import SendRequest
from ...models.validate_request import ValidateRequest
from ...models.validate_response import ValidateResponse
from ...types import File, FileTypes
from ...types import UNSET, Unset
from io import BytesIO
from typing import cast
import datetime



def _get_kwargs(
    *,
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    on: datetime.date | Unset = UNSET,
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





    params: dict[str, Any] = {}

    json_on: str | Unset = UNSET
    if not isinstance(on, Unset):
        json_on = on.isoformat()
    params["on"] = json_on


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/invoices/validate",
        "params": params,
    }

    if isinstance(body, SendRequest | ValidateRequest):

        if isinstance(body, ValidateRequest):
            _kwargs["json"] = body.to_dict()
        else:
            _kwargs["json"] = body.to_dict()


        headers["Content-Type"] = "application/json"
    if isinstance(body, File):
        _kwargs["content"] = body.payload
        headers["Content-Type"] = "application/xml"
    if isinstance(body, File):
        _kwargs["content"] = body.payload
        headers["Content-Type"] = "application/pdf"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> ValidateResponse | None:
    if response.status_code == 200:
        response_200 = ValidateResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[ValidateResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    on: datetime.date | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> Response[ValidateResponse]:
    """ Validate a document without sending it.

     Accepts a UBL or CII document as XML (application/xml), a PDF that has one attached (Factur-X,
    ZUGFeRD; application/pdf), either in base64 inside JSON, and the JSON body of a send
    (accessPointRef is optional). A document is judged by the rules of its own kind; with `network`
    or `profile`, as what the network is sent. Answers 200 for every traffic light, red included;
    400 only for a body without a document. Nothing is stored. Findings are in the first language
    of Accept-Language that the service has. `on`, in the query or beside a document in JSON, is the
    day whose rules apply. With `Accept: text/html` the report is a page to read and to print, with
    the findings and the invoice.

    For programs (API key or access token).

    Args:
        on (datetime.date | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        body (SendRequest | ValidateRequest):
        body (File):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ValidateResponse]
     """


    kwargs = _get_kwargs(
        body=body,
on=on,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    *,
    client: AuthenticatedClient | Client,
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    on: datetime.date | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> ValidateResponse | None:
    """ Validate a document without sending it.

     Accepts a UBL or CII document as XML (application/xml), a PDF that has one attached (Factur-X,
    ZUGFeRD; application/pdf), either in base64 inside JSON, and the JSON body of a send
    (accessPointRef is optional). A document is judged by the rules of its own kind; with `network`
    or `profile`, as what the network is sent. Answers 200 for every traffic light, red included;
    400 only for a body without a document. Nothing is stored. Findings are in the first language
    of Accept-Language that the service has. `on`, in the query or beside a document in JSON, is the
    day whose rules apply. With `Accept: text/html` the report is a page to read and to print, with
    the findings and the invoice.

    For programs (API key or access token).

    Args:
        on (datetime.date | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        body (SendRequest | ValidateRequest):
        body (File):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ValidateResponse
     """


    return sync_detailed(
        client=client,
body=body,
on=on,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    on: datetime.date | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> Response[ValidateResponse]:
    """ Validate a document without sending it.

     Accepts a UBL or CII document as XML (application/xml), a PDF that has one attached (Factur-X,
    ZUGFeRD; application/pdf), either in base64 inside JSON, and the JSON body of a send
    (accessPointRef is optional). A document is judged by the rules of its own kind; with `network`
    or `profile`, as what the network is sent. Answers 200 for every traffic light, red included;
    400 only for a body without a document. Nothing is stored. Findings are in the first language
    of Accept-Language that the service has. `on`, in the query or beside a document in JSON, is the
    day whose rules apply. With `Accept: text/html` the report is a page to read and to print, with
    the findings and the invoice.

    For programs (API key or access token).

    Args:
        on (datetime.date | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        body (SendRequest | ValidateRequest):
        body (File):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ValidateResponse]
     """


    kwargs = _get_kwargs(
        body=body,
on=on,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    on: datetime.date | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> ValidateResponse | None:
    """ Validate a document without sending it.

     Accepts a UBL or CII document as XML (application/xml), a PDF that has one attached (Factur-X,
    ZUGFeRD; application/pdf), either in base64 inside JSON, and the JSON body of a send
    (accessPointRef is optional). A document is judged by the rules of its own kind; with `network`
    or `profile`, as what the network is sent. Answers 200 for every traffic light, red included;
    400 only for a body without a document. Nothing is stored. Findings are in the first language
    of Accept-Language that the service has. `on`, in the query or beside a document in JSON, is the
    day whose rules apply. With `Accept: text/html` the report is a page to read and to print, with
    the findings and the invoice.

    For programs (API key or access token).

    Args:
        on (datetime.date | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        body (SendRequest | ValidateRequest):
        body (File):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ValidateResponse
     """


    return (await asyncio_detailed(
        client=client,
body=body,
on=on,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,

    )).parsed
