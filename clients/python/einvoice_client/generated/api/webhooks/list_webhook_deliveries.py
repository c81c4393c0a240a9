from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.list_webhook_deliveries_status import ListWebhookDeliveriesStatus
from ...models.webhook_delivery_list import WebhookDeliveryList
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    webhook_id: str,
    *,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    status: ListWebhookDeliveriesStatus | Unset = UNSET,
    event_id: str | Unset = UNSET,
    invoice_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant





    params: dict[str, Any] = {}

    params["limit"] = limit

    params["cursor"] = cursor

    json_status: str | Unset = UNSET
    if not isinstance(status, Unset):
        json_status = status.value

    params["status"] = json_status

    params["eventId"] = event_id

    params["invoiceId"] = invoice_id


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/webhooks/{webhook_id}/deliveries".format(webhook_id=quote(str(webhook_id), safe=""),),
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> WebhookDeliveryList | None:
    if response.status_code == 200:
        response_200 = WebhookDeliveryList.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[WebhookDeliveryList]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    webhook_id: str,
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    status: ListWebhookDeliveriesStatus | Unset = UNSET,
    event_id: str | Unset = UNSET,
    invoice_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[WebhookDeliveryList]:
    """ List the deliveries of the last 30 days, newest first, with the receiver's responses.

     For programs (API key or access token) and people with the role admin or a higher one.

    Args:
        webhook_id (str):
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        status (ListWebhookDeliveriesStatus | Unset):
        event_id (str | Unset):
        invoice_id (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[WebhookDeliveryList]
     """


    kwargs = _get_kwargs(
        webhook_id=webhook_id,
limit=limit,
cursor=cursor,
status=status,
event_id=event_id,
invoice_id=invoice_id,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    webhook_id: str,
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    status: ListWebhookDeliveriesStatus | Unset = UNSET,
    event_id: str | Unset = UNSET,
    invoice_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> WebhookDeliveryList | None:
    """ List the deliveries of the last 30 days, newest first, with the receiver's responses.

     For programs (API key or access token) and people with the role admin or a higher one.

    Args:
        webhook_id (str):
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        status (ListWebhookDeliveriesStatus | Unset):
        event_id (str | Unset):
        invoice_id (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        WebhookDeliveryList
     """


    return sync_detailed(
        webhook_id=webhook_id,
client=client,
limit=limit,
cursor=cursor,
status=status,
event_id=event_id,
invoice_id=invoice_id,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    webhook_id: str,
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    status: ListWebhookDeliveriesStatus | Unset = UNSET,
    event_id: str | Unset = UNSET,
    invoice_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[WebhookDeliveryList]:
    """ List the deliveries of the last 30 days, newest first, with the receiver's responses.

     For programs (API key or access token) and people with the role admin or a higher one.

    Args:
        webhook_id (str):
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        status (ListWebhookDeliveriesStatus | Unset):
        event_id (str | Unset):
        invoice_id (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[WebhookDeliveryList]
     """


    kwargs = _get_kwargs(
        webhook_id=webhook_id,
limit=limit,
cursor=cursor,
status=status,
event_id=event_id,
invoice_id=invoice_id,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    webhook_id: str,
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    status: ListWebhookDeliveriesStatus | Unset = UNSET,
    event_id: str | Unset = UNSET,
    invoice_id: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> WebhookDeliveryList | None:
    """ List the deliveries of the last 30 days, newest first, with the receiver's responses.

     For programs (API key or access token) and people with the role admin or a higher one.

    Args:
        webhook_id (str):
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        status (ListWebhookDeliveriesStatus | Unset):
        event_id (str | Unset):
        invoice_id (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        WebhookDeliveryList
     """


    return (await asyncio_detailed(
        webhook_id=webhook_id,
client=client,
limit=limit,
cursor=cursor,
status=status,
event_id=event_id,
invoice_id=invoice_id,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
