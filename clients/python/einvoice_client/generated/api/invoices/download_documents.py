from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.download_documents_attention import DownloadDocumentsAttention
from ...models.download_documents_direction import DownloadDocumentsDirection
from ...models.download_documents_environment import DownloadDocumentsEnvironment
from ...models.download_documents_failure_done import DownloadDocumentsFailureDone
from ...models.download_documents_metadata import DownloadDocumentsMetadata
from ...models.download_documents_network_status import DownloadDocumentsNetworkStatus
from ...models.download_documents_paid import DownloadDocumentsPaid
from ...models.download_documents_processed import DownloadDocumentsProcessed
from ...models.download_documents_response import DownloadDocumentsResponse
from ...models.download_documents_sort import DownloadDocumentsSort
from ...types import File, FileTypes
from ...types import UNSET, Unset
from io import BytesIO
from typing import cast
import datetime



def _get_kwargs(
    *,
    sort: DownloadDocumentsSort | Unset = UNSET,
    environment: DownloadDocumentsEnvironment | Unset = UNSET,
    direction: DownloadDocumentsDirection | Unset = UNSET,
    network_status: DownloadDocumentsNetworkStatus | Unset = UNSET,
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
    processed: DownloadDocumentsProcessed | Unset = UNSET,
    response: DownloadDocumentsResponse | Unset = UNSET,
    attention: DownloadDocumentsAttention | Unset = UNSET,
    failure_done: DownloadDocumentsFailureDone | Unset = UNSET,
    paid: DownloadDocumentsPaid | Unset = UNSET,
    q: str | Unset = UNSET,
    metadata: DownloadDocumentsMetadata | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(x_request_id, Unset):
        headers["X-Request-Id"] = x_request_id

    if not isinstance(x_tenant, Unset):
        headers["X-Tenant"] = x_tenant





    params: dict[str, Any] = {}

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
        "url": "/api/invoices/documents",
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> File | None:
    if response.status_code == 200:
        response_200 = File(
             payload = BytesIO(response.content)
        )



        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[File]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient | Client,
    sort: DownloadDocumentsSort | Unset = UNSET,
    environment: DownloadDocumentsEnvironment | Unset = UNSET,
    direction: DownloadDocumentsDirection | Unset = UNSET,
    network_status: DownloadDocumentsNetworkStatus | Unset = UNSET,
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
    processed: DownloadDocumentsProcessed | Unset = UNSET,
    response: DownloadDocumentsResponse | Unset = UNSET,
    attention: DownloadDocumentsAttention | Unset = UNSET,
    failure_done: DownloadDocumentsFailureDone | Unset = UNSET,
    paid: DownloadDocumentsPaid | Unset = UNSET,
    q: str | Unset = UNSET,
    metadata: DownloadDocumentsMetadata | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[File]:
    """ Download the documents of the invoices with these filters as a ZIP, for the books.

     It has the original and the PDF of each, and invoices.csv, which names the files, their digests
    and what is missing. At most 200 invoices and 64 MiB: more is 409 conflict, as are invoices
    that are not found within 20 seconds. PDFs are kept as they are made, for 45 seconds: after 503
    computing-unavailable, repeat the request.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        sort (DownloadDocumentsSort | Unset):
        environment (DownloadDocumentsEnvironment | Unset):
        direction (DownloadDocumentsDirection | Unset):
        network_status (DownloadDocumentsNetworkStatus | Unset):
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
        processed (DownloadDocumentsProcessed | Unset):
        response (DownloadDocumentsResponse | Unset):
        attention (DownloadDocumentsAttention | Unset):
        failure_done (DownloadDocumentsFailureDone | Unset):
        paid (DownloadDocumentsPaid | Unset):
        q (str | Unset):
        metadata (DownloadDocumentsMetadata | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[File]
     """


    kwargs = _get_kwargs(
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
    sort: DownloadDocumentsSort | Unset = UNSET,
    environment: DownloadDocumentsEnvironment | Unset = UNSET,
    direction: DownloadDocumentsDirection | Unset = UNSET,
    network_status: DownloadDocumentsNetworkStatus | Unset = UNSET,
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
    processed: DownloadDocumentsProcessed | Unset = UNSET,
    response: DownloadDocumentsResponse | Unset = UNSET,
    attention: DownloadDocumentsAttention | Unset = UNSET,
    failure_done: DownloadDocumentsFailureDone | Unset = UNSET,
    paid: DownloadDocumentsPaid | Unset = UNSET,
    q: str | Unset = UNSET,
    metadata: DownloadDocumentsMetadata | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> File | None:
    """ Download the documents of the invoices with these filters as a ZIP, for the books.

     It has the original and the PDF of each, and invoices.csv, which names the files, their digests
    and what is missing. At most 200 invoices and 64 MiB: more is 409 conflict, as are invoices
    that are not found within 20 seconds. PDFs are kept as they are made, for 45 seconds: after 503
    computing-unavailable, repeat the request.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        sort (DownloadDocumentsSort | Unset):
        environment (DownloadDocumentsEnvironment | Unset):
        direction (DownloadDocumentsDirection | Unset):
        network_status (DownloadDocumentsNetworkStatus | Unset):
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
        processed (DownloadDocumentsProcessed | Unset):
        response (DownloadDocumentsResponse | Unset):
        attention (DownloadDocumentsAttention | Unset):
        failure_done (DownloadDocumentsFailureDone | Unset):
        paid (DownloadDocumentsPaid | Unset):
        q (str | Unset):
        metadata (DownloadDocumentsMetadata | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        File
     """


    return sync_detailed(
        client=client,
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
    sort: DownloadDocumentsSort | Unset = UNSET,
    environment: DownloadDocumentsEnvironment | Unset = UNSET,
    direction: DownloadDocumentsDirection | Unset = UNSET,
    network_status: DownloadDocumentsNetworkStatus | Unset = UNSET,
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
    processed: DownloadDocumentsProcessed | Unset = UNSET,
    response: DownloadDocumentsResponse | Unset = UNSET,
    attention: DownloadDocumentsAttention | Unset = UNSET,
    failure_done: DownloadDocumentsFailureDone | Unset = UNSET,
    paid: DownloadDocumentsPaid | Unset = UNSET,
    q: str | Unset = UNSET,
    metadata: DownloadDocumentsMetadata | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> Response[File]:
    """ Download the documents of the invoices with these filters as a ZIP, for the books.

     It has the original and the PDF of each, and invoices.csv, which names the files, their digests
    and what is missing. At most 200 invoices and 64 MiB: more is 409 conflict, as are invoices
    that are not found within 20 seconds. PDFs are kept as they are made, for 45 seconds: after 503
    computing-unavailable, repeat the request.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        sort (DownloadDocumentsSort | Unset):
        environment (DownloadDocumentsEnvironment | Unset):
        direction (DownloadDocumentsDirection | Unset):
        network_status (DownloadDocumentsNetworkStatus | Unset):
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
        processed (DownloadDocumentsProcessed | Unset):
        response (DownloadDocumentsResponse | Unset):
        attention (DownloadDocumentsAttention | Unset):
        failure_done (DownloadDocumentsFailureDone | Unset):
        paid (DownloadDocumentsPaid | Unset):
        q (str | Unset):
        metadata (DownloadDocumentsMetadata | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[File]
     """


    kwargs = _get_kwargs(
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
    sort: DownloadDocumentsSort | Unset = UNSET,
    environment: DownloadDocumentsEnvironment | Unset = UNSET,
    direction: DownloadDocumentsDirection | Unset = UNSET,
    network_status: DownloadDocumentsNetworkStatus | Unset = UNSET,
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
    processed: DownloadDocumentsProcessed | Unset = UNSET,
    response: DownloadDocumentsResponse | Unset = UNSET,
    attention: DownloadDocumentsAttention | Unset = UNSET,
    failure_done: DownloadDocumentsFailureDone | Unset = UNSET,
    paid: DownloadDocumentsPaid | Unset = UNSET,
    q: str | Unset = UNSET,
    metadata: DownloadDocumentsMetadata | Unset = UNSET,
    x_request_id: str | Unset = UNSET,
    x_tenant: str | Unset = UNSET,

) -> File | None:
    """ Download the documents of the invoices with these filters as a ZIP, for the books.

     It has the original and the PDF of each, and invoices.csv, which names the files, their digests
    and what is missing. At most 200 invoices and 64 MiB: more is 409 conflict, as are invoices
    that are not found within 20 seconds. PDFs are kept as they are made, for 45 seconds: after 503
    computing-unavailable, repeat the request.

    For programs (API key or access token) and people with the role viewer or a higher one.

    Args:
        sort (DownloadDocumentsSort | Unset):
        environment (DownloadDocumentsEnvironment | Unset):
        direction (DownloadDocumentsDirection | Unset):
        network_status (DownloadDocumentsNetworkStatus | Unset):
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
        processed (DownloadDocumentsProcessed | Unset):
        response (DownloadDocumentsResponse | Unset):
        attention (DownloadDocumentsAttention | Unset):
        failure_done (DownloadDocumentsFailureDone | Unset):
        paid (DownloadDocumentsPaid | Unset):
        q (str | Unset):
        metadata (DownloadDocumentsMetadata | Unset):
        x_request_id (str | Unset):
        x_tenant (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        File
     """


    return (await asyncio_detailed(
        client=client,
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
