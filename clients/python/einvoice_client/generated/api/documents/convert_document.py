from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.convert_document_to import ConvertDocumentTo
from ...models.convert_response import ConvertResponse
from ...models.send_request import SendRequest
from ...models.validate_request import ValidateRequest
from ...types import File, FileTypes
from ...types import UNSET, Unset
from io import BytesIO
from typing import cast



def _get_kwargs(
    *,
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    to: ConvertDocumentTo | Unset = UNSET,
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

    json_to: str | Unset = UNSET
    if not isinstance(to, Unset):
        json_to = to.value

    params["to"] = json_to


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/invoices/convert",
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



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> ConvertResponse | None:
    if response.status_code == 200:
        response_200 = ConvertResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[ConvertResponse]:
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
    to: ConvertDocumentTo | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> Response[ConvertResponse]:
    """ Convert a document to the other syntax or to the body of a send, or that to UBL or CII.

     Accepts the bodies of POST /v1/invoices/validate, and stores nothing. The answer has the
    document, the verdict on it, and a warning for each term that the other syntax cannot express
    or that it requires in addition. With `Accept: application/xml` it is the document alone. A
    document that breaks rules is converted, and its verdict is red; one that cannot be read is 400.
    `to=json` makes the body of POST /api/invoices/send, without `accessPointRef`: its verdict is
    that on the document it becomes, and what it cannot say is a warning with place and value.

    For programs (API key or access token).

    Args:
        to (ConvertDocumentTo | Unset):
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
        Response[ConvertResponse]
     """


    kwargs = _get_kwargs(
        body=body,
to=to,
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
    to: ConvertDocumentTo | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> ConvertResponse | None:
    """ Convert a document to the other syntax or to the body of a send, or that to UBL or CII.

     Accepts the bodies of POST /v1/invoices/validate, and stores nothing. The answer has the
    document, the verdict on it, and a warning for each term that the other syntax cannot express
    or that it requires in addition. With `Accept: application/xml` it is the document alone. A
    document that breaks rules is converted, and its verdict is red; one that cannot be read is 400.
    `to=json` makes the body of POST /api/invoices/send, without `accessPointRef`: its verdict is
    that on the document it becomes, and what it cannot say is a warning with place and value.

    For programs (API key or access token).

    Args:
        to (ConvertDocumentTo | Unset):
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
        ConvertResponse
     """


    return sync_detailed(
        client=client,
body=body,
to=to,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    to: ConvertDocumentTo | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> Response[ConvertResponse]:
    """ Convert a document to the other syntax or to the body of a send, or that to UBL or CII.

     Accepts the bodies of POST /v1/invoices/validate, and stores nothing. The answer has the
    document, the verdict on it, and a warning for each term that the other syntax cannot express
    or that it requires in addition. With `Accept: application/xml` it is the document alone. A
    document that breaks rules is converted, and its verdict is red; one that cannot be read is 400.
    `to=json` makes the body of POST /api/invoices/send, without `accessPointRef`: its verdict is
    that on the document it becomes, and what it cannot say is a warning with place and value.

    For programs (API key or access token).

    Args:
        to (ConvertDocumentTo | Unset):
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
        Response[ConvertResponse]
     """


    kwargs = _get_kwargs(
        body=body,
to=to,
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
    to: ConvertDocumentTo | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,

) -> ConvertResponse | None:
    """ Convert a document to the other syntax or to the body of a send, or that to UBL or CII.

     Accepts the bodies of POST /v1/invoices/validate, and stores nothing. The answer has the
    document, the verdict on it, and a warning for each term that the other syntax cannot express
    or that it requires in addition. With `Accept: application/xml` it is the document alone. A
    document that breaks rules is converted, and its verdict is red; one that cannot be read is 400.
    `to=json` makes the body of POST /api/invoices/send, without `accessPointRef`: its verdict is
    that on the document it becomes, and what it cannot say is a warning with place and value.

    For programs (API key or access token).

    Args:
        to (ConvertDocumentTo | Unset):
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
        ConvertResponse
     """


    return (await asyncio_detailed(
        client=client,
body=body,
to=to,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,

    )).parsed
