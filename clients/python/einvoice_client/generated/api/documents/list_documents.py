from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.document_list import DocumentList
from ...models.list_documents_attention import ListDocumentsAttention
from ...models.list_documents_direction import ListDocumentsDirection
from ...models.list_documents_environment import ListDocumentsEnvironment
from ...models.list_documents_failure_done import ListDocumentsFailureDone
from ...models.list_documents_include import ListDocumentsInclude
from ...models.list_documents_metadata import ListDocumentsMetadata
from ...models.list_documents_network_status import ListDocumentsNetworkStatus
from ...models.list_documents_paid import ListDocumentsPaid
from ...models.list_documents_processed import ListDocumentsProcessed
from ...models.list_documents_response import ListDocumentsResponse
from ...models.list_documents_sort import ListDocumentsSort
from ...types import UNSET, Unset
from typing import cast
import datetime



def _get_kwargs(
    *,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    include: ListDocumentsInclude | Unset = UNSET,
    sort: ListDocumentsSort | Unset = UNSET,
    environment: ListDocumentsEnvironment | Unset = UNSET,
    direction: ListDocumentsDirection | Unset = UNSET,
    network_status: ListDocumentsNetworkStatus | Unset = UNSET,
    number: str | Unset = UNSET,
    receiver_participant_id: str | Unset = UNSET,
    sender_participant_id: str | Unset = UNSET,
    participant_id: str | Unset = UNSET,
    transaction_id: str | Unset = UNSET,
    supplier_id: str | Unset = UNSET,
    customer_id: str | Unset = UNSET,
    issue_date_from: datetime.date | Unset = UNSET,
    issue_date_to: datetime.date | Unset = UNSET,
    created_from: str | Unset = UNSET,
    created_to: str | Unset = UNSET,
    currency: str | Unset = UNSET,
    grand_total_from: str | Unset = UNSET,
    grand_total_to: str | Unset = UNSET,
    party: str | Unset = UNSET,
    processed: ListDocumentsProcessed | Unset = UNSET,
    response: ListDocumentsResponse | Unset = UNSET,
    attention: ListDocumentsAttention | Unset = UNSET,
    failure_done: ListDocumentsFailureDone | Unset = UNSET,
    paid: ListDocumentsPaid | Unset = UNSET,
    q: str | Unset = UNSET,
    metadata: ListDocumentsMetadata | Unset = UNSET,
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

    json_include: str | Unset = UNSET
    if not isinstance(include, Unset):
        json_include = include.value

    params["include"] = json_include

    json_sort: str | Unset = UNSET
    if not isinstance(sort, Unset):
        json_sort = sort.value

    params["sort"] = json_sort

    json_environment: str | Unset = UNSET
    if not isinstance(environment, Unset):
        json_environment = environment.value

    params["environment"] = json_environment

    json_direction: str | Unset = UNSET
    if not isinstance(direction, Unset):
        json_direction = direction.value

    params["direction"] = json_direction

    json_network_status: str | Unset = UNSET
    if not isinstance(network_status, Unset):
        json_network_status = network_status.value

    params["networkStatus"] = json_network_status

    params["number"] = number

    params["receiverParticipantId"] = receiver_participant_id

    params["senderParticipantId"] = sender_participant_id

    params["participantId"] = participant_id

    params["transactionId"] = transaction_id

    params["supplierId"] = supplier_id

    params["customerId"] = customer_id

    json_issue_date_from: str | Unset = UNSET
    if not isinstance(issue_date_from, Unset):
        json_issue_date_from = issue_date_from.isoformat()
    params["issueDateFrom"] = json_issue_date_from

    json_issue_date_to: str | Unset = UNSET
    if not isinstance(issue_date_to, Unset):
        json_issue_date_to = issue_date_to.isoformat()
    params["issueDateTo"] = json_issue_date_to

    params["createdFrom"] = created_from

    params["createdTo"] = created_to

    params["currency"] = currency

    params["grandTotalFrom"] = grand_total_from

    params["grandTotalTo"] = grand_total_to

    params["party"] = party

    json_processed: str | Unset = UNSET
    if not isinstance(processed, Unset):
        json_processed = processed.value

    params["processed"] = json_processed

    json_response: str | Unset = UNSET
    if not isinstance(response, Unset):
        json_response = response.value

    params["response"] = json_response

    json_attention: str | Unset = UNSET
    if not isinstance(attention, Unset):
        json_attention = attention.value

    params["attention"] = json_attention

    json_failure_done: str | Unset = UNSET
    if not isinstance(failure_done, Unset):
        json_failure_done = failure_done.value

    params["failureDone"] = json_failure_done

    json_paid: str | Unset = UNSET
    if not isinstance(paid, Unset):
        json_paid = paid.value

    params["paid"] = json_paid

    params["q"] = q

    json_metadata: dict[str, Any] | Unset = UNSET
    if not isinstance(metadata, Unset):
        json_metadata = metadata.to_dict()
    if not isinstance(json_metadata, Unset):
        params.update(json_metadata)



    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/invoices",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> DocumentList | None:
    if response.status_code == 200:
        response_200 = DocumentList.from_dict(response.json())



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[DocumentList]:
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
    include: ListDocumentsInclude | Unset = UNSET,
    sort: ListDocumentsSort | Unset = UNSET,
    environment: ListDocumentsEnvironment | Unset = UNSET,
    direction: ListDocumentsDirection | Unset = UNSET,
    network_status: ListDocumentsNetworkStatus | Unset = UNSET,
    number: str | Unset = UNSET,
    receiver_participant_id: str | Unset = UNSET,
    sender_participant_id: str | Unset = UNSET,
    participant_id: str | Unset = UNSET,
    transaction_id: str | Unset = UNSET,
    supplier_id: str | Unset = UNSET,
    customer_id: str | Unset = UNSET,
    issue_date_from: datetime.date | Unset = UNSET,
    issue_date_to: datetime.date | Unset = UNSET,
    created_from: str | Unset = UNSET,
    created_to: str | Unset = UNSET,
    currency: str | Unset = UNSET,
    grand_total_from: str | Unset = UNSET,
    grand_total_to: str | Unset = UNSET,
    party: str | Unset = UNSET,
    processed: ListDocumentsProcessed | Unset = UNSET,
    response: ListDocumentsResponse | Unset = UNSET,
    attention: ListDocumentsAttention | Unset = UNSET,
    failure_done: ListDocumentsFailureDone | Unset = UNSET,
    paid: ListDocumentsPaid | Unset = UNSET,
    q: str | Unset = UNSET,
    metadata: ListDocumentsMetadata | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[DocumentList]:
    """ List sent and received invoices in the form of /v1, newest first, page by page.

     Filters and pages are those of GET /api/invoices, as are the members, except that an invoice has
    `id`, `sender` and `receiver` as at GET /v1/invoices/{invoiceId}, and `status`, `format`,
    `network` and `documentType` in addition.

    For programs (API key or access token).

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        include (ListDocumentsInclude | Unset):
        sort (ListDocumentsSort | Unset):
        environment (ListDocumentsEnvironment | Unset):
        direction (ListDocumentsDirection | Unset):
        network_status (ListDocumentsNetworkStatus | Unset):
        number (str | Unset):
        receiver_participant_id (str | Unset):
        sender_participant_id (str | Unset):
        participant_id (str | Unset):
        transaction_id (str | Unset):
        supplier_id (str | Unset):
        customer_id (str | Unset):
        issue_date_from (datetime.date | Unset):
        issue_date_to (datetime.date | Unset):
        created_from (str | Unset):
        created_to (str | Unset):
        currency (str | Unset):
        grand_total_from (str | Unset):
        grand_total_to (str | Unset):
        party (str | Unset):
        processed (ListDocumentsProcessed | Unset):
        response (ListDocumentsResponse | Unset):
        attention (ListDocumentsAttention | Unset):
        failure_done (ListDocumentsFailureDone | Unset):
        paid (ListDocumentsPaid | Unset):
        q (str | Unset):
        metadata (ListDocumentsMetadata | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DocumentList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
include=include,
sort=sort,
environment=environment,
direction=direction,
network_status=network_status,
number=number,
receiver_participant_id=receiver_participant_id,
sender_participant_id=sender_participant_id,
participant_id=participant_id,
transaction_id=transaction_id,
supplier_id=supplier_id,
customer_id=customer_id,
issue_date_from=issue_date_from,
issue_date_to=issue_date_to,
created_from=created_from,
created_to=created_to,
currency=currency,
grand_total_from=grand_total_from,
grand_total_to=grand_total_to,
party=party,
processed=processed,
response=response,
attention=attention,
failure_done=failure_done,
paid=paid,
q=q,
metadata=metadata,
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
    include: ListDocumentsInclude | Unset = UNSET,
    sort: ListDocumentsSort | Unset = UNSET,
    environment: ListDocumentsEnvironment | Unset = UNSET,
    direction: ListDocumentsDirection | Unset = UNSET,
    network_status: ListDocumentsNetworkStatus | Unset = UNSET,
    number: str | Unset = UNSET,
    receiver_participant_id: str | Unset = UNSET,
    sender_participant_id: str | Unset = UNSET,
    participant_id: str | Unset = UNSET,
    transaction_id: str | Unset = UNSET,
    supplier_id: str | Unset = UNSET,
    customer_id: str | Unset = UNSET,
    issue_date_from: datetime.date | Unset = UNSET,
    issue_date_to: datetime.date | Unset = UNSET,
    created_from: str | Unset = UNSET,
    created_to: str | Unset = UNSET,
    currency: str | Unset = UNSET,
    grand_total_from: str | Unset = UNSET,
    grand_total_to: str | Unset = UNSET,
    party: str | Unset = UNSET,
    processed: ListDocumentsProcessed | Unset = UNSET,
    response: ListDocumentsResponse | Unset = UNSET,
    attention: ListDocumentsAttention | Unset = UNSET,
    failure_done: ListDocumentsFailureDone | Unset = UNSET,
    paid: ListDocumentsPaid | Unset = UNSET,
    q: str | Unset = UNSET,
    metadata: ListDocumentsMetadata | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> DocumentList | None:
    """ List sent and received invoices in the form of /v1, newest first, page by page.

     Filters and pages are those of GET /api/invoices, as are the members, except that an invoice has
    `id`, `sender` and `receiver` as at GET /v1/invoices/{invoiceId}, and `status`, `format`,
    `network` and `documentType` in addition.

    For programs (API key or access token).

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        include (ListDocumentsInclude | Unset):
        sort (ListDocumentsSort | Unset):
        environment (ListDocumentsEnvironment | Unset):
        direction (ListDocumentsDirection | Unset):
        network_status (ListDocumentsNetworkStatus | Unset):
        number (str | Unset):
        receiver_participant_id (str | Unset):
        sender_participant_id (str | Unset):
        participant_id (str | Unset):
        transaction_id (str | Unset):
        supplier_id (str | Unset):
        customer_id (str | Unset):
        issue_date_from (datetime.date | Unset):
        issue_date_to (datetime.date | Unset):
        created_from (str | Unset):
        created_to (str | Unset):
        currency (str | Unset):
        grand_total_from (str | Unset):
        grand_total_to (str | Unset):
        party (str | Unset):
        processed (ListDocumentsProcessed | Unset):
        response (ListDocumentsResponse | Unset):
        attention (ListDocumentsAttention | Unset):
        failure_done (ListDocumentsFailureDone | Unset):
        paid (ListDocumentsPaid | Unset):
        q (str | Unset):
        metadata (ListDocumentsMetadata | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DocumentList
     """


    return sync_detailed(
        client=client,
limit=limit,
cursor=cursor,
include=include,
sort=sort,
environment=environment,
direction=direction,
network_status=network_status,
number=number,
receiver_participant_id=receiver_participant_id,
sender_participant_id=sender_participant_id,
participant_id=participant_id,
transaction_id=transaction_id,
supplier_id=supplier_id,
customer_id=customer_id,
issue_date_from=issue_date_from,
issue_date_to=issue_date_to,
created_from=created_from,
created_to=created_to,
currency=currency,
grand_total_from=grand_total_from,
grand_total_to=grand_total_to,
party=party,
processed=processed,
response=response,
attention=attention,
failure_done=failure_done,
paid=paid,
q=q,
metadata=metadata,
x_request_id=x_request_id,
x_tenant=x_tenant,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient | Client,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,
    include: ListDocumentsInclude | Unset = UNSET,
    sort: ListDocumentsSort | Unset = UNSET,
    environment: ListDocumentsEnvironment | Unset = UNSET,
    direction: ListDocumentsDirection | Unset = UNSET,
    network_status: ListDocumentsNetworkStatus | Unset = UNSET,
    number: str | Unset = UNSET,
    receiver_participant_id: str | Unset = UNSET,
    sender_participant_id: str | Unset = UNSET,
    participant_id: str | Unset = UNSET,
    transaction_id: str | Unset = UNSET,
    supplier_id: str | Unset = UNSET,
    customer_id: str | Unset = UNSET,
    issue_date_from: datetime.date | Unset = UNSET,
    issue_date_to: datetime.date | Unset = UNSET,
    created_from: str | Unset = UNSET,
    created_to: str | Unset = UNSET,
    currency: str | Unset = UNSET,
    grand_total_from: str | Unset = UNSET,
    grand_total_to: str | Unset = UNSET,
    party: str | Unset = UNSET,
    processed: ListDocumentsProcessed | Unset = UNSET,
    response: ListDocumentsResponse | Unset = UNSET,
    attention: ListDocumentsAttention | Unset = UNSET,
    failure_done: ListDocumentsFailureDone | Unset = UNSET,
    paid: ListDocumentsPaid | Unset = UNSET,
    q: str | Unset = UNSET,
    metadata: ListDocumentsMetadata | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[DocumentList]:
    """ List sent and received invoices in the form of /v1, newest first, page by page.

     Filters and pages are those of GET /api/invoices, as are the members, except that an invoice has
    `id`, `sender` and `receiver` as at GET /v1/invoices/{invoiceId}, and `status`, `format`,
    `network` and `documentType` in addition.

    For programs (API key or access token).

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        include (ListDocumentsInclude | Unset):
        sort (ListDocumentsSort | Unset):
        environment (ListDocumentsEnvironment | Unset):
        direction (ListDocumentsDirection | Unset):
        network_status (ListDocumentsNetworkStatus | Unset):
        number (str | Unset):
        receiver_participant_id (str | Unset):
        sender_participant_id (str | Unset):
        participant_id (str | Unset):
        transaction_id (str | Unset):
        supplier_id (str | Unset):
        customer_id (str | Unset):
        issue_date_from (datetime.date | Unset):
        issue_date_to (datetime.date | Unset):
        created_from (str | Unset):
        created_to (str | Unset):
        currency (str | Unset):
        grand_total_from (str | Unset):
        grand_total_to (str | Unset):
        party (str | Unset):
        processed (ListDocumentsProcessed | Unset):
        response (ListDocumentsResponse | Unset):
        attention (ListDocumentsAttention | Unset):
        failure_done (ListDocumentsFailureDone | Unset):
        paid (ListDocumentsPaid | Unset):
        q (str | Unset):
        metadata (ListDocumentsMetadata | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[DocumentList]
     """


    kwargs = _get_kwargs(
        limit=limit,
cursor=cursor,
include=include,
sort=sort,
environment=environment,
direction=direction,
network_status=network_status,
number=number,
receiver_participant_id=receiver_participant_id,
sender_participant_id=sender_participant_id,
participant_id=participant_id,
transaction_id=transaction_id,
supplier_id=supplier_id,
customer_id=customer_id,
issue_date_from=issue_date_from,
issue_date_to=issue_date_to,
created_from=created_from,
created_to=created_to,
currency=currency,
grand_total_from=grand_total_from,
grand_total_to=grand_total_to,
party=party,
processed=processed,
response=response,
attention=attention,
failure_done=failure_done,
paid=paid,
q=q,
metadata=metadata,
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
    include: ListDocumentsInclude | Unset = UNSET,
    sort: ListDocumentsSort | Unset = UNSET,
    environment: ListDocumentsEnvironment | Unset = UNSET,
    direction: ListDocumentsDirection | Unset = UNSET,
    network_status: ListDocumentsNetworkStatus | Unset = UNSET,
    number: str | Unset = UNSET,
    receiver_participant_id: str | Unset = UNSET,
    sender_participant_id: str | Unset = UNSET,
    participant_id: str | Unset = UNSET,
    transaction_id: str | Unset = UNSET,
    supplier_id: str | Unset = UNSET,
    customer_id: str | Unset = UNSET,
    issue_date_from: datetime.date | Unset = UNSET,
    issue_date_to: datetime.date | Unset = UNSET,
    created_from: str | Unset = UNSET,
    created_to: str | Unset = UNSET,
    currency: str | Unset = UNSET,
    grand_total_from: str | Unset = UNSET,
    grand_total_to: str | Unset = UNSET,
    party: str | Unset = UNSET,
    processed: ListDocumentsProcessed | Unset = UNSET,
    response: ListDocumentsResponse | Unset = UNSET,
    attention: ListDocumentsAttention | Unset = UNSET,
    failure_done: ListDocumentsFailureDone | Unset = UNSET,
    paid: ListDocumentsPaid | Unset = UNSET,
    q: str | Unset = UNSET,
    metadata: ListDocumentsMetadata | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> DocumentList | None:
    """ List sent and received invoices in the form of /v1, newest first, page by page.

     Filters and pages are those of GET /api/invoices, as are the members, except that an invoice has
    `id`, `sender` and `receiver` as at GET /v1/invoices/{invoiceId}, and `status`, `format`,
    `network` and `documentType` in addition.

    For programs (API key or access token).

    Args:
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):
        include (ListDocumentsInclude | Unset):
        sort (ListDocumentsSort | Unset):
        environment (ListDocumentsEnvironment | Unset):
        direction (ListDocumentsDirection | Unset):
        network_status (ListDocumentsNetworkStatus | Unset):
        number (str | Unset):
        receiver_participant_id (str | Unset):
        sender_participant_id (str | Unset):
        participant_id (str | Unset):
        transaction_id (str | Unset):
        supplier_id (str | Unset):
        customer_id (str | Unset):
        issue_date_from (datetime.date | Unset):
        issue_date_to (datetime.date | Unset):
        created_from (str | Unset):
        created_to (str | Unset):
        currency (str | Unset):
        grand_total_from (str | Unset):
        grand_total_to (str | Unset):
        party (str | Unset):
        processed (ListDocumentsProcessed | Unset):
        response (ListDocumentsResponse | Unset):
        attention (ListDocumentsAttention | Unset):
        failure_done (ListDocumentsFailureDone | Unset):
        paid (ListDocumentsPaid | Unset):
        q (str | Unset):
        metadata (ListDocumentsMetadata | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        DocumentList
     """


    return (await asyncio_detailed(
        client=client,
limit=limit,
cursor=cursor,
include=include,
sort=sort,
environment=environment,
direction=direction,
network_status=network_status,
number=number,
receiver_participant_id=receiver_participant_id,
sender_participant_id=sender_participant_id,
participant_id=participant_id,
transaction_id=transaction_id,
supplier_id=supplier_id,
customer_id=customer_id,
issue_date_from=issue_date_from,
issue_date_to=issue_date_to,
created_from=created_from,
created_to=created_to,
currency=currency,
grand_total_from=grand_total_from,
grand_total_to=grand_total_to,
party=party,
processed=processed,
response=response,
attention=attention,
failure_done=failure_done,
paid=paid,
q=q,
metadata=metadata,
x_request_id=x_request_id,
x_tenant=x_tenant,

    )).parsed
