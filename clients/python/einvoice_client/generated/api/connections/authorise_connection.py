from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.consent_response import ConsentResponse
from ...models.empty_body import EmptyBody
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    connection_id: str,
    *,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant







    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/connections/{connection_id}/authorise".format(connection_id=quote(str(connection_id), safe=""),),
    }


    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> ConsentResponse | None:
    if response.status_code == 200:
        response_200 = ConsentResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[ConsentResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    connection_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[ConsentResponse]:
    """ Begin consent in the browser: returns the network's URL, which can be used once.

     It has to be opened in the browser of this request, which gets a cookie: call it with
    credentials included where the dashboard is on another origin.

    For platforms and people with the role admin or a higher one.

    Args:
        connection_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ConsentResponse]
     """


    kwargs = _get_kwargs(
        connection_id=connection_id,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    connection_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> ConsentResponse | None:
    """ Begin consent in the browser: returns the network's URL, which can be used once.

     It has to be opened in the browser of this request, which gets a cookie: call it with
    credentials included where the dashboard is on another origin.

    For platforms and people with the role admin or a higher one.

    Args:
        connection_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ConsentResponse
     """


    return sync_detailed(
        connection_id=connection_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    connection_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[ConsentResponse]:
    """ Begin consent in the browser: returns the network's URL, which can be used once.

     It has to be opened in the browser of this request, which gets a cookie: call it with
    credentials included where the dashboard is on another origin.

    For platforms and people with the role admin or a higher one.

    Args:
        connection_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[ConsentResponse]
     """


    kwargs = _get_kwargs(
        connection_id=connection_id,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    connection_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> ConsentResponse | None:
    """ Begin consent in the browser: returns the network's URL, which can be used once.

     It has to be opened in the browser of this request, which gets a cookie: call it with
    credentials included where the dashboard is on another origin.

    For platforms and people with the role admin or a higher one.

    Args:
        connection_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        ConsentResponse
     """


    return (await asyncio_detailed(
        connection_id=connection_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
