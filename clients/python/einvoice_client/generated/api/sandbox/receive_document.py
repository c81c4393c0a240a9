from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.inbound_result import InboundResult
from ...models.send_request import SendRequest
from ...models.validate_request import ValidateRequest
from ...types import File, FileTypes
from ...types import UNSET, Unset
from io import BytesIO
from typing import cast



def _get_kwargs(
    *,
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    sender_participant_id: str | Unset = UNSET,
    receiver_participant_id: str | Unset = UNSET,
    message_id: str | Unset = UNSET,
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





    params: dict[str, Any] = {}

    params["senderParticipantId"] = sender_participant_id

    params["receiverParticipantId"] = receiver_participant_id

    params["messageId"] = message_id


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/sandbox/inbound",
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



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> InboundResult | None:
    if response.status_code == 200:
        response_200 = InboundResult.from_dict(response.json())



        return response_200

    if response.status_code == 201:
        response_201 = InboundResult.from_dict(response.json())



        return response_201

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[InboundResult]:
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
    sender_participant_id: str | Unset = UNSET,
    receiver_participant_id: str | Unset = UNSET,
    message_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[InboundResult]:
    """ Let a document arrive as a bill, over the simulated network.

     Accepts the bodies of POST /v1/invoices/convert: UBL or CII (application/xml), a PDF with one
    attached (application/pdf), either in base64 inside JSON, and the body of a send, whose sender
    is the supplier, and of which UBL is made. The document takes the path of one from a network: it
    is judged and stored whatever is wrong with it, matched to your suppliers, and
    transaction.received is emitted. 409 conflict if a network would be told that such a document is
    not accepted; live keys get 404.

    For programs (API key or access token).

    Args:
        sender_participant_id (str | Unset):
        receiver_participant_id (str | Unset):
        message_id (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        idempotency_key (str | Unset):
        body (SendRequest | ValidateRequest):
        body (File):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[InboundResult]
     """


    kwargs = _get_kwargs(
        body=body,
sender_participant_id=sender_participant_id,
receiver_participant_id=receiver_participant_id,
message_id=message_id,
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
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    sender_participant_id: str | Unset = UNSET,
    receiver_participant_id: str | Unset = UNSET,
    message_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> InboundResult | None:
    """ Let a document arrive as a bill, over the simulated network.

     Accepts the bodies of POST /v1/invoices/convert: UBL or CII (application/xml), a PDF with one
    attached (application/pdf), either in base64 inside JSON, and the body of a send, whose sender
    is the supplier, and of which UBL is made. The document takes the path of one from a network: it
    is judged and stored whatever is wrong with it, matched to your suppliers, and
    transaction.received is emitted. 409 conflict if a network would be told that such a document is
    not accepted; live keys get 404.

    For programs (API key or access token).

    Args:
        sender_participant_id (str | Unset):
        receiver_participant_id (str | Unset):
        message_id (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        idempotency_key (str | Unset):
        body (SendRequest | ValidateRequest):
        body (File):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        InboundResult
     """


    return sync_detailed(
        client=client,
body=body,
sender_participant_id=sender_participant_id,
receiver_participant_id=receiver_participant_id,
message_id=message_id,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    sender_participant_id: str | Unset = UNSET,
    receiver_participant_id: str | Unset = UNSET,
    message_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[InboundResult]:
    """ Let a document arrive as a bill, over the simulated network.

     Accepts the bodies of POST /v1/invoices/convert: UBL or CII (application/xml), a PDF with one
    attached (application/pdf), either in base64 inside JSON, and the body of a send, whose sender
    is the supplier, and of which UBL is made. The document takes the path of one from a network: it
    is judged and stored whatever is wrong with it, matched to your suppliers, and
    transaction.received is emitted. 409 conflict if a network would be told that such a document is
    not accepted; live keys get 404.

    For programs (API key or access token).

    Args:
        sender_participant_id (str | Unset):
        receiver_participant_id (str | Unset):
        message_id (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        idempotency_key (str | Unset):
        body (SendRequest | ValidateRequest):
        body (File):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[InboundResult]
     """


    kwargs = _get_kwargs(
        body=body,
sender_participant_id=sender_participant_id,
receiver_participant_id=receiver_participant_id,
message_id=message_id,
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
    body:    SendRequest | ValidateRequest  |     File  |     File  | Unset = UNSET,
    sender_participant_id: str | Unset = UNSET,
    receiver_participant_id: str | Unset = UNSET,
    message_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    accept_language: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> InboundResult | None:
    """ Let a document arrive as a bill, over the simulated network.

     Accepts the bodies of POST /v1/invoices/convert: UBL or CII (application/xml), a PDF with one
    attached (application/pdf), either in base64 inside JSON, and the body of a send, whose sender
    is the supplier, and of which UBL is made. The document takes the path of one from a network: it
    is judged and stored whatever is wrong with it, matched to your suppliers, and
    transaction.received is emitted. 409 conflict if a network would be told that such a document is
    not accepted; live keys get 404.

    For programs (API key or access token).

    Args:
        sender_participant_id (str | Unset):
        receiver_participant_id (str | Unset):
        message_id (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        accept_language (str | Unset):
        idempotency_key (str | Unset):
        body (SendRequest | ValidateRequest):
        body (File):
        body (File):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        InboundResult
     """


    return (await asyncio_detailed(
        client=client,
body=body,
sender_participant_id=sender_participant_id,
receiver_participant_id=receiver_participant_id,
message_id=message_id,
x_request_id=x_request_id,
x_tenant=x_tenant,
accept_language=accept_language,
idempotency_key=idempotency_key,

    )).parsed
