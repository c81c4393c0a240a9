from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.connection_link_with_url import ConnectionLinkWithUrl
from ...models.new_connection_link import NewConnectionLink
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: NewConnectionLink,
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
        "url": "/api/connection-links",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> ConnectionLinkWithUrl | None:
    if response.status_code == 201:
        response_201 = ConnectionLinkWithUrl.from_dict(response.json())



        return response_201

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[ConnectionLinkWithUrl]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    body: NewConnectionLink,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[ConnectionLinkWithUrl]:
    """ Make a link by which a person opens a connection without a login, once.

     The person fills in the form of the network, or consents at its site. An earlier link for the
    same connection or account is revoked. The event connection.opened tells when it works. 409
    conflict if the account has a connection, which is named: send it as connectionId.

    For programs (API key or access token) and people with the role admin or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (NewConnectionLink): The network or the connection that a person is asked to open.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ConnectionLinkWithUrl]
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
    body: NewConnectionLink,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> ConnectionLinkWithUrl | None:
    """ Make a link by which a person opens a connection without a login, once.

     The person fills in the form of the network, or consents at its site. An earlier link for the
    same connection or account is revoked. The event connection.opened tells when it works. 409
    conflict if the account has a connection, which is named: send it as connectionId.

    For programs (API key or access token) and people with the role admin or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (NewConnectionLink): The network or the connection that a person is asked to open.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ConnectionLinkWithUrl
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
    body: NewConnectionLink,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[ConnectionLinkWithUrl]:
    """ Make a link by which a person opens a connection without a login, once.

     The person fills in the form of the network, or consents at its site. An earlier link for the
    same connection or account is revoked. The event connection.opened tells when it works. 409
    conflict if the account has a connection, which is named: send it as connectionId.

    For programs (API key or access token) and people with the role admin or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (NewConnectionLink): The network or the connection that a person is asked to open.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ConnectionLinkWithUrl]
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
    body: NewConnectionLink,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> ConnectionLinkWithUrl | None:
    """ Make a link by which a person opens a connection without a login, once.

     The person fills in the form of the network, or consents at its site. An earlier link for the
    same connection or account is revoked. The event connection.opened tells when it works. 409
    conflict if the account has a connection, which is named: send it as connectionId.

    For programs (API key or access token) and people with the role admin or a higher one.

    Args:
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (NewConnectionLink): The network or the connection that a person is asked to open.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ConnectionLinkWithUrl
     """


    return (await asyncio_detailed(
        client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,

    )).parsed
