from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...types import UNSET, Unset



def _get_kwargs(
    held_address_id: str,
    *,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant







    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/api/mail/held-addresses/{held_address_id}".format(held_address_id=quote(str(held_address_id), safe=""),),
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | None:
    if response.status_code == 204:
        return None

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    held_address_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[Any]:
    """ Send mail to an address again, in both environments; a further failure holds it again.

     For platforms and people with the role admin or a higher one.

    Args:
        held_address_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any]
     """


    kwargs = _get_kwargs(
        held_address_id=held_address_id,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)


async def asyncio_detailed(
    held_address_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[Any]:
    """ Send mail to an address again, in both environments; a further failure holds it again.

     For platforms and people with the role admin or a higher one.

    Args:
        held_address_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any]
     """


    kwargs = _get_kwargs(
        held_address_id=held_address_id,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

