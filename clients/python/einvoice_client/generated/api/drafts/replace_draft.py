from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.draft_changes import DraftChanges
from ...models.draft_response import DraftResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    draft_id: str,
    *,
    body: DraftChanges,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    if_match: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant

    if not isinstance(if_match, Unset):
        headers["If-Match"] = if_match







    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/api/drafts/{draft_id}".format(draft_id=quote(str(draft_id), safe=""),),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> DraftResponse | None:
    if response.status_code == 200:
        response_200 = DraftResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[DraftResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    draft_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: DraftChanges,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    if_match: str | Unset = UNSET,

) -> Response[DraftResponse]:
    """ Replace all that a draft holds. Send If-Match: a page may be changing it at the same time.

     For programs (API key or access token) and people with the role member or a higher one.

    Args:
        draft_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        if_match (str | Unset):
        body (DraftChanges): The content of a draft. It replaces all that the draft held before,
            its attachments too.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DraftResponse]
     """


    kwargs = _get_kwargs(
        draft_id=draft_id,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
if_match=if_match,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    draft_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: DraftChanges,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    if_match: str | Unset = UNSET,

) -> DraftResponse | None:
    """ Replace all that a draft holds. Send If-Match: a page may be changing it at the same time.

     For programs (API key or access token) and people with the role member or a higher one.

    Args:
        draft_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        if_match (str | Unset):
        body (DraftChanges): The content of a draft. It replaces all that the draft held before,
            its attachments too.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DraftResponse
     """


    return sync_detailed(
        draft_id=draft_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
if_match=if_match,

    ).parsed

async def asyncio_detailed(
    draft_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: DraftChanges,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    if_match: str | Unset = UNSET,

) -> Response[DraftResponse]:
    """ Replace all that a draft holds. Send If-Match: a page may be changing it at the same time.

     For programs (API key or access token) and people with the role member or a higher one.

    Args:
        draft_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        if_match (str | Unset):
        body (DraftChanges): The content of a draft. It replaces all that the draft held before,
            its attachments too.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DraftResponse]
     """


    kwargs = _get_kwargs(
        draft_id=draft_id,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
if_match=if_match,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    draft_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: DraftChanges,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    if_match: str | Unset = UNSET,

) -> DraftResponse | None:
    """ Replace all that a draft holds. Send If-Match: a page may be changing it at the same time.

     For programs (API key or access token) and people with the role member or a higher one.

    Args:
        draft_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        if_match (str | Unset):
        body (DraftChanges): The content of a draft. It replaces all that the draft held before,
            its attachments too.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DraftResponse
     """


    return (await asyncio_detailed(
        draft_id=draft_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
if_match=if_match,

    )).parsed
