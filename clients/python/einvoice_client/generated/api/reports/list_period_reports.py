from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.period_report_list import PeriodReportList
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
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


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/period-reports",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> PeriodReportList | None:
    if response.status_code == 200:
        response_200 = PeriodReportList.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[PeriodReportList]:
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
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[PeriodReportList]:
    """ List what was reported to the tax authority of each period, and what is due.

     The newest period first. A period that is open says what would be reported now, and which
    documents are left out and why. France: e-reporting of sales to consumers and abroad, purchases
    abroad, and payments of services. An API key needs the scope invoices:read.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PeriodReportList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
x_request_id=x_request_id,
x_tenant=x_tenant,

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
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> PeriodReportList | None:
    """ List what was reported to the tax authority of each period, and what is due.

     The newest period first. A period that is open says what would be reported now, and which
    documents are left out and why. France: e-reporting of sales to consumers and abroad, purchases
    abroad, and payments of services. An API key needs the scope invoices:read.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PeriodReportList
     """


    return sync_detailed(
        client=client,
limit=limit,
cursor=cursor,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[PeriodReportList]:
    """ List what was reported to the tax authority of each period, and what is due.

     The newest period first. A period that is open says what would be reported now, and which
    documents are left out and why. France: e-reporting of sales to consumers and abroad, purchases
    abroad, and payments of services. An API key needs the scope invoices:read.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PeriodReportList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
x_request_id=x_request_id,
x_tenant=x_tenant,

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
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> PeriodReportList | None:
    """ List what was reported to the tax authority of each period, and what is due.

     The newest period first. A period that is open says what would be reported now, and which
    documents are left out and why. France: e-reporting of sales to consumers and abroad, purchases
    abroad, and payments of services. An API key needs the scope invoices:read.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PeriodReportList
     """


    return (await asyncio_detailed(
        client=client,
limit=limit,
cursor=cursor,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
