from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.empty_body import EmptyBody
from ...models.period_report_response import PeriodReportResponse
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    report_id: str,
    *,
    body: EmptyBody | Unset = UNSET,
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
        "url": "/api/period-reports/{report_id}/repeat".format(report_id=quote(str(report_id), safe=""),),
    }


    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

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
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[PeriodReportResponse]:
    """ Send a report again that was refused, with what is known now.

     A report whose data change is sent again by itself. 409 conflict for one that was not refused.
    An API key needs the scope invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        report_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PeriodReportResponse]
     """


    kwargs = _get_kwargs(
        report_id=report_id,
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
    report_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> PeriodReportResponse | None:
    """ Send a report again that was refused, with what is known now.

     A report whose data change is sent again by itself. 409 conflict for one that was not refused.
    An API key needs the scope invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        report_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PeriodReportResponse
     """


    return sync_detailed(
        report_id=report_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    report_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[PeriodReportResponse]:
    """ Send a report again that was refused, with what is known now.

     A report whose data change is sent again by itself. 409 conflict for one that was not refused.
    An API key needs the scope invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        report_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[PeriodReportResponse]
     """


    kwargs = _get_kwargs(
        report_id=report_id,
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
    report_id: str,
    *,
    client: AuthenticatedClient | Client,
    body: EmptyBody | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> PeriodReportResponse | None:
    """ Send a report again that was refused, with what is known now.

     A report whose data change is sent again by itself. 409 conflict for one that was not refused.
    An API key needs the scope invoices:send.

    For programs (API key or access token) and people with the role member or a higher one.

    Args:
        report_id (str):
        x_request_id (str | Unset):
        x_tenant (str | Unset):
        idempotency_key (str | Unset):
        body (EmptyBody | Unset): A body without members.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        PeriodReportResponse
     """


    return (await asyncio_detailed(
        report_id=report_id,
client=client,
body=body,
x_request_id=x_request_id,
x_tenant=x_tenant,
idempotency_key=idempotency_key,

    )).parsed
