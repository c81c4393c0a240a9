from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.mail_address_changes import MailAddressChanges
from ...models.mail_address_response import MailAddressResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    mail_address_id: str,
    *,
    body: MailAddressChanges,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant







    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/api/mail/addresses/{mail_address_id}".format(mail_address_id=quote(str(mail_address_id), safe=""),),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> MailAddressResponse | None:
    if response.status_code == 200:
        response_200 = MailAddressResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[MailAddressResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    mail_address_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: MailAddressChanges,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[MailAddressResponse]:
    """ Change the name, or the account of bills.

     For platforms and people with the role admin or a higher one.

    Args:
        mail_address_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        body (MailAddressChanges): A merge patch (RFC 7396): omitted members stay unchanged, null
            removes.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[MailAddressResponse]
     """


    kwargs = _get_kwargs(
        mail_address_id=mail_address_id,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    mail_address_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: MailAddressChanges,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> MailAddressResponse | None:
    """ Change the name, or the account of bills.

     For platforms and people with the role admin or a higher one.

    Args:
        mail_address_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        body (MailAddressChanges): A merge patch (RFC 7396): omitted members stay unchanged, null
            removes.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        MailAddressResponse
     """


    return sync_detailed(
        mail_address_id=mail_address_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    mail_address_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: MailAddressChanges,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[MailAddressResponse]:
    """ Change the name, or the account of bills.

     For platforms and people with the role admin or a higher one.

    Args:
        mail_address_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        body (MailAddressChanges): A merge patch (RFC 7396): omitted members stay unchanged, null
            removes.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[MailAddressResponse]
     """


    kwargs = _get_kwargs(
        mail_address_id=mail_address_id,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    mail_address_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: MailAddressChanges,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> MailAddressResponse | None:
    """ Change the name, or the account of bills.

     For platforms and people with the role admin or a higher one.

    Args:
        mail_address_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        body (MailAddressChanges): A merge patch (RFC 7396): omitted members stay unchanged, null
            removes.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        MailAddressResponse
     """


    return (await asyncio_detailed(
        mail_address_id=mail_address_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
