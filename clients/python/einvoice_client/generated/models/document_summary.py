from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.document_party import DocumentParty
  from ..models.document_summary_metadata import DocumentSummaryMetadata
  from ..models.invoice_answered import InvoiceAnswered





T = TypeVar("T", bound="DocumentSummary")



@_attrs_define
class DocumentSummary:
    """ One invoice of a list in the form of /v1; GET /v1/invoices/{invoiceId} has the rest.

     """

    id: UUID
    """ The invoice """
    status: str
    """ queued, processing, delivered, failed; acknowledged or rejected by an authority; received """
    format_: None | str
    """ ubl or cii; null for a received document of another kind """
    network: str
    """ The network """
    document_type: str
    """ invoice, creditNote, selfBilledInvoice or selfBilledCreditNote """
    sender: DocumentParty
    """ The sender or receiver of a listed invoice. """
    receiver: DocumentParty
    """ The sender or receiver of a listed invoice. """
    environment: str
    """ test or live """
    transaction_id: str
    """ Its newest transmission """
    direction: str
    """ sent or received """
    number: None | str
    """ Invoice number; null if a received document has none """
    issue_date: datetime.date | None
    """ Date of issue """
    due_date: datetime.date | None
    """ Date payment is due """
    currency: None | str
    """ ISO 4217 """
    grand_total: float | None
    """ Total with tax, in its currency """
    supplier_name: None | str
    """ Who invoices """
    buyer_name: None | str
    """ Name of the buyer """
    network_status: str
    """ Processing, Delivered or Failed; Received for a received one """
    failure_reason: None | str
    """ Why it failed; null unless Failed """
    shared: bool
    """ Whether a link for the buyer exists """
    supplier_id: None | UUID
    """ The supplier that a bill is from """
    customer_id: None | UUID
    """ The customer that sent a received self-billed invoice """
    gl_account_code: None | str
    """ General ledger account of its supplier """
    processed_at: datetime.datetime | None
    """ When a bill was marked as processed """
    processed_by: None | str
    """ Person or key that marked it """
    response: InvoiceAnswered | None
    """ What the receiver of a sent invoice has said of it after delivery; your newest response to a bill """
    amount_paid: float | None
    """ What you have said was paid of what you sold; null before, and of a bill """
    paid: bool | None
    """ Whether that reaches the amount due; null for a bill """
    metadata: DocumentSummaryMetadata
    """ Metadata of the send; empty if it had none """
    created_at: datetime.datetime
    """ When it was accepted """
    updated_at: datetime.datetime
    """ When its status last changed """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.document_party import DocumentParty # noqa: PLC0415
        from ..models.document_summary_metadata import DocumentSummaryMetadata # noqa: PLC0415
        from ..models.invoice_answered import InvoiceAnswered # noqa: PLC0415
        id = str(self.id)

        status = self.status

        format_: None | str
        format_ = self.format_

        network = self.network

        document_type = self.document_type

        sender = self.sender.to_dict()

        receiver = self.receiver.to_dict()

        environment = self.environment

        transaction_id = self.transaction_id

        direction = self.direction

        number: None | str
        number = self.number

        issue_date: None | str
        if isinstance(self.issue_date, datetime.date):
            issue_date = self.issue_date.isoformat()
        else:
            issue_date = self.issue_date

        due_date: None | str
        if isinstance(self.due_date, datetime.date):
            due_date = self.due_date.isoformat()
        else:
            due_date = self.due_date

        currency: None | str
        currency = self.currency

        grand_total: float | None
        grand_total = self.grand_total

        supplier_name: None | str
        supplier_name = self.supplier_name

        buyer_name: None | str
        buyer_name = self.buyer_name

        network_status = self.network_status

        failure_reason: None | str
        failure_reason = self.failure_reason

        shared = self.shared

        supplier_id: None | str
        if isinstance(self.supplier_id, UUID):
            supplier_id = str(self.supplier_id)
        else:
            supplier_id = self.supplier_id

        customer_id: None | str
        if isinstance(self.customer_id, UUID):
            customer_id = str(self.customer_id)
        else:
            customer_id = self.customer_id

        gl_account_code: None | str
        gl_account_code = self.gl_account_code

        processed_at: None | str
        if isinstance(self.processed_at, datetime.datetime):
            processed_at = self.processed_at.isoformat()
        else:
            processed_at = self.processed_at

        processed_by: None | str
        processed_by = self.processed_by

        response: dict[str, Any] | None
        if isinstance(self.response, InvoiceAnswered):
            response = self.response.to_dict()
        else:
            response = self.response

        amount_paid: float | None
        amount_paid = self.amount_paid

        paid: bool | None
        paid = self.paid

        metadata = self.metadata.to_dict()

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "status": status,
            "format": format_,
            "network": network,
            "documentType": document_type,
            "sender": sender,
            "receiver": receiver,
            "environment": environment,
            "transactionId": transaction_id,
            "direction": direction,
            "number": number,
            "issueDate": issue_date,
            "dueDate": due_date,
            "currency": currency,
            "grandTotal": grand_total,
            "supplierName": supplier_name,
            "buyerName": buyer_name,
            "networkStatus": network_status,
            "failureReason": failure_reason,
            "shared": shared,
            "supplierId": supplier_id,
            "customerId": customer_id,
            "glAccountCode": gl_account_code,
            "processedAt": processed_at,
            "processedBy": processed_by,
            "response": response,
            "amountPaid": amount_paid,
            "paid": paid,
            "metadata": metadata,
            "createdAt": created_at,
            "updatedAt": updated_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.document_party import DocumentParty # noqa: PLC0415
        from ..models.document_summary_metadata import DocumentSummaryMetadata # noqa: PLC0415
        from ..models.invoice_answered import InvoiceAnswered # noqa: PLC0415
        d = dict(src_dict)
        id = UUID(d.pop("id"))




        status = d.pop("status")

        def _parse_format_(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        format_ = _parse_format_(d.pop("format"))


        network = d.pop("network")

        document_type = d.pop("documentType")

        sender = DocumentParty.from_dict(d.pop("sender"))




        receiver = DocumentParty.from_dict(d.pop("receiver"))




        environment = d.pop("environment")

        transaction_id = d.pop("transactionId")

        direction = d.pop("direction")

        def _parse_number(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        number = _parse_number(d.pop("number"))


        def _parse_issue_date(data: object) -> datetime.date | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                issue_date_type_0 = datetime.date.fromisoformat(data)



                return issue_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None, data)

        issue_date = _parse_issue_date(d.pop("issueDate"))


        def _parse_due_date(data: object) -> datetime.date | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                due_date_type_0 = datetime.date.fromisoformat(data)



                return due_date_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.date | None, data)

        due_date = _parse_due_date(d.pop("dueDate"))


        def _parse_currency(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        currency = _parse_currency(d.pop("currency"))


        def _parse_grand_total(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        grand_total = _parse_grand_total(d.pop("grandTotal"))


        def _parse_supplier_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        supplier_name = _parse_supplier_name(d.pop("supplierName"))


        def _parse_buyer_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        buyer_name = _parse_buyer_name(d.pop("buyerName"))


        network_status = d.pop("networkStatus")

        def _parse_failure_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        failure_reason = _parse_failure_reason(d.pop("failureReason"))


        shared = d.pop("shared")

        def _parse_supplier_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                supplier_id_type_0 = UUID(data)



                return supplier_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        supplier_id = _parse_supplier_id(d.pop("supplierId"))


        def _parse_customer_id(data: object) -> None | UUID:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                customer_id_type_0 = UUID(data)



                return customer_id_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | UUID, data)

        customer_id = _parse_customer_id(d.pop("customerId"))


        def _parse_gl_account_code(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        gl_account_code = _parse_gl_account_code(d.pop("glAccountCode"))


        def _parse_processed_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                processed_at_type_0 = datetime.datetime.fromisoformat(data)



                return processed_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        processed_at = _parse_processed_at(d.pop("processedAt"))


        def _parse_processed_by(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        processed_by = _parse_processed_by(d.pop("processedBy"))


        def _parse_response(data: object) -> InvoiceAnswered | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                response_type_0 = InvoiceAnswered.from_dict(data)



                return response_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(InvoiceAnswered | None, data)

        response = _parse_response(d.pop("response"))


        def _parse_amount_paid(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        amount_paid = _parse_amount_paid(d.pop("amountPaid"))


        def _parse_paid(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        paid = _parse_paid(d.pop("paid"))


        metadata = DocumentSummaryMetadata.from_dict(d.pop("metadata"))




        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))




        document_summary = cls(
            id=id,
            status=status,
            format_=format_,
            network=network,
            document_type=document_type,
            sender=sender,
            receiver=receiver,
            environment=environment,
            transaction_id=transaction_id,
            direction=direction,
            number=number,
            issue_date=issue_date,
            due_date=due_date,
            currency=currency,
            grand_total=grand_total,
            supplier_name=supplier_name,
            buyer_name=buyer_name,
            network_status=network_status,
            failure_reason=failure_reason,
            shared=shared,
            supplier_id=supplier_id,
            customer_id=customer_id,
            gl_account_code=gl_account_code,
            processed_at=processed_at,
            processed_by=processed_by,
            response=response,
            amount_paid=amount_paid,
            paid=paid,
            metadata=metadata,
            created_at=created_at,
            updated_at=updated_at,
        )


        document_summary.additional_properties = d
        return document_summary

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
