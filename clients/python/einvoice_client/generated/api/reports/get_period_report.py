from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.period_report_response import PeriodReportResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    report_id: str,
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
        "method": "get",
        "url": "/api/period-reports/{report_id}".format(report_id=quote(str(report_id), safe=""),),
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> PeriodReportResponse | None:
    if response.status_code == 200:
        response_200 = PeriodReportResponse.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[PeriodReportResponse]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    report_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[PeriodReportResponse]:
    """ Get a report of a period. An API key needs the scope invoices:read.

     For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        report_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PeriodReportResponse]
     """


    kwargs = _get_kwargs(
        report_id=report_id,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=answer)

def sync(
    report_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> PeriodReportResponse | None:
    """ Get a report of a period. An API key needs the scope invoices:read.

     For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        report_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PeriodReportResponse
     """


    return sync_detailed(
        report_id=report_id,
client=client,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    report_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[PeriodReportResponse]:
    """ Get a report of a period. An API key needs the scope invoices:read.

     For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        report_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PeriodReportResponse]
     """


    kwargs = _get_kwargs(
        report_id=report_id,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )

    answer = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=answer)

async def asyncio(
    report_id: str,
    *,
    client: AuthenticatedClient | Client,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> PeriodReportResponse | None:
    """ Get a report of a period. An API key needs the scope invoices:read.

     For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        report_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PeriodReportResponse
     """


    return (await asyncio_detailed(
        report_id=report_id,
client=client,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
