from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.event_list import EventList
from ...models.list_platform_events_environment import ListPlatformEventsEnvironment
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    environment: ListPlatformEventsEnvironment | Unset = UNSET,
    event_type: str | Unset = UNSET,
    invoice_id: str | Unset = UNSET,
    since: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id





    params: dict[str, Any] = {}

    params["limit"] = limit

    params["cursor"] = cursor

    json_environment: str | Unset = UNSET
    if not isinstance(environment, Unset):
        json_environment = environment.value

    params["environment"] = json_environment

    params["eventType"] = event_type

    params["invoiceId"] = invoice_id

    params["since"] = since


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/platform/events",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> EventList | None:
    if response.status_code == 200:
        response_200 = EventList.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[EventList]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    environment: ListPlatformEventsEnvironment | Unset = UNSET,
    event_type: str | Unset = UNSET,
    invoice_id: str | Unset = UNSET,
    since: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> Response[EventList]:
    """ List the events of the last 30 days, oldest first, with the bodies of webhooks.

     Store nextCursor and pass it to the next request, with the same filters: the last page has one
    too. Events are listed within 5 seconds. With since, or the type transaction.sent, a page may be
    short, even empty, while hasMore is true.

    For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        environment (ListPlatformEventsEnvironment | Unset):
        event_type (str | Unset):
        invoice_id (str | Unset):
        since (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[EventList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
environment=environment,
event_type=event_type,
invoice_id=invoice_id,
since=since,
x_request_id=x_request_id,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    environment: ListPlatformEventsEnvironment | Unset = UNSET,
    event_type: str | Unset = UNSET,
    invoice_id: str | Unset = UNSET,
    since: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> EventList | None:
    """ List the events of the last 30 days, oldest first, with the bodies of webhooks.

     Store nextCursor and pass it to the next request, with the same filters: the last page has one
    too. Events are listed within 5 seconds. With since, or the type transaction.sent, a page may be
    short, even empty, while hasMore is true.

    For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        environment (ListPlatformEventsEnvironment | Unset):
        event_type (str | Unset):
        invoice_id (str | Unset):
        since (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        EventList
     """


    return sync_detailed(
        client=client,
limit=limit,
cursor=cursor,
environment=environment,
event_type=event_type,
invoice_id=invoice_id,
since=since,
x_request_id=x_request_id,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    environment: ListPlatformEventsEnvironment | Unset = UNSET,
    event_type: str | Unset = UNSET,
    invoice_id: str | Unset = UNSET,
    since: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> Response[EventList]:
    """ List the events of the last 30 days, oldest first, with the bodies of webhooks.

     Store nextCursor and pass it to the next request, with the same filters: the last page has one
    too. Events are listed within 5 seconds. With since, or the type transaction.sent, a page may be
    short, even empty, while hasMore is true.

    For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        environment (ListPlatformEventsEnvironment | Unset):
        event_type (str | Unset):
        invoice_id (str | Unset):
        since (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[EventList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
environment=environment,
event_type=event_type,
invoice_id=invoice_id,
since=since,
x_request_id=x_request_id,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    environment: ListPlatformEventsEnvironment | Unset = UNSET,
    event_type: str | Unset = UNSET,
    invoice_id: str | Unset = UNSET,
    since: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,

) -> EventList | None:
    """ List the events of the last 30 days, oldest first, with the bodies of webhooks.

     Store nextCursor and pass it to the next request, with the same filters: the last page has one
    too. Events are listed within 5 seconds. With since, or the type transaction.sent, a page may be
    short, even empty, while hasMore is true.

    For platforms.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        environment (ListPlatformEventsEnvironment | Unset):
        event_type (str | Unset):
        invoice_id (str | Unset):
        since (str | Unset):
        x_request_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        EventList
     """


    return (await asyncio_detailed(
        client=client,
limit=limit,
cursor=cursor,
environment=environment,
event_type=event_type,
invoice_id=invoice_id,
since=since,
x_request_id=x_request_id,

    )).parsed
