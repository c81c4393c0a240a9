from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from uuid import UUID
import datetime

if TYPE_CHECKING:
  from ..models.bill_arrival import BillArrival
  from ..models.history_entry import HistoryEntry
  from ..models.invoice_answered import InvoiceAnswered
  from ..models.invoice_response_metadata import InvoiceResponseMetadata
  from ..models.invoice_totals import InvoiceTotals
  from ..models.network_finding import NetworkFinding
  from ..models.report_entry import ReportEntry
  from ..models.warning_record import WarningRecord





T = TypeVar("T", bound="InvoiceResponse")



@_attrs_define
class InvoiceResponse:
    """ An invoice, its status and its history.

     """

    invoice_id: UUID
    """ The invoice """
    transaction_id: str
    """ The newest transmission """
    direction: str
    """ sent or received """
    type_: str
    """ invoice, creditNote, selfBilledInvoice or selfBilledCreditNote """
    number: None | str
    """ Invoice number; null if a received document has none """
    issue_date: datetime.date | None
    """ Date of issue """
    due_date: datetime.date | None
    """ Date payment is due """
    currency: None | str
    """ ISO 4217 """
    tax_currency: None | str
    """ Currency in which VAT is accounted for; null if it is the invoice's """
    grand_total: float | None
    """ Total with tax, in the invoice's currency """
    totals: InvoiceTotals
    supplier_name: None | str
    """ Seller """
    buyer_name: None | str
    """ Buyer """
    sender_participant_id: str
    """ ISO 6523 id of the sender """
    receiver_participant_id: None | str
    """ ISO 6523 id of the receiver; null if it has none """
    environment: str
    """ test or live """
    network_status: str
    """ Processing, Delivered or Failed; Received for a received one """
    delivered_means: None | str
    """ Who has it once it is Delivered: receiver, platform (on which the receiver fetches it), authority (the
    receiver gets it from you), mail (a mail server on the way to the receiver) or reported (to an authority, and
    sent to nobody); null for a received one """
    attention: bool
    """ Whether it needs a person: its outcome is unknown (the provider investigates), or its receiver has refused
    it after delivery """
    waiting_reason: None | str
    """ Why it is not sent now: its connection cannot be used, another document is sent before it, or the network
    did not take it at the last attempt; null otherwise """
    shared: bool
    """ Whether a link for the buyer exists """
    failure_reason: None | str
    """ Why it failed; null unless Failed """
    reason_code: None | str
    """ Stable code of the failure """
    retryable: bool | None
    """ Whether sending it again may help """
    network_findings: list[NetworkFinding]
    """ Errors that the network named for its refusal; of a delivered document its warnings; at most 100 """
    supplier_id: None | UUID
    """ The supplier of your directory that a bill is from """
    customer_id: None | UUID
    """ The customer of your directory that sent a self-billed invoice """
    arrivals: list[BillArrival]
    """ Further messages with the same document, by other networks; empty for a sent invoice """
    gl_account_code: None | str
    """ General ledger account of its supplier """
    processed_at: datetime.datetime | None
    """ When a bill was marked as processed """
    processed_by: None | str
    """ Person or key that marked it """
    amount_paid: float | None
    """ What you have said was paid of what you sold; null before, and of a bill """
    paid: bool | None
    """ Whether that reaches the amount due; null for a bill """
    response: InvoiceAnswered | None
    """ What the receiver of a sent invoice has said of it after delivery; your newest response to a bill """
    document_type_id: None | str
    """ A bill's document type in the network """
    traffic_light: str
    """ Result of the validation: green, amber or red """
    history: list[HistoryEntry]
    """ Its history, oldest first """
    reports: list[ReportEntry]
    """ Its reports to tax authorities, oldest first; empty where the law asks for none """
    warnings: list[WarningRecord]
    """ Assumptions and warnings of rules """
    metadata: InvoiceResponseMetadata
    """ Metadata of the send; empty if it had none """
    created_at: datetime.datetime
    """ When it was accepted """
    updated_at: datetime.datetime
    """ When its status last changed """
    provider: str
    """ This service """
    truncated: bool | Unset = UNSET
    """ true if there are more than 1,000 warnings; absent otherwise """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.bill_arrival import BillArrival # noqa: PLC0415
        from ..models.history_entry import HistoryEntry # noqa: PLC0415
        from ..models.invoice_answered import InvoiceAnswered # noqa: PLC0415
        from ..models.invoice_response_metadata import InvoiceResponseMetadata # noqa: PLC0415
        from ..models.invoice_totals import InvoiceTotals # noqa: PLC0415
        from ..models.network_finding import NetworkFinding # noqa: PLC0415
        from ..models.report_entry import ReportEntry # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        invoice_id = str(self.invoice_id)

        transaction_id = self.transaction_id

        direction = self.direction

        type_ = self.type_

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

        tax_currency: None | str
        tax_currency = self.tax_currency

        grand_total: float | None
        grand_total = self.grand_total

        totals = self.totals.to_dict()

        supplier_name: None | str
        supplier_name = self.supplier_name

        buyer_name: None | str
        buyer_name = self.buyer_name

        sender_participant_id = self.sender_participant_id

        receiver_participant_id: None | str
        receiver_participant_id = self.receiver_participant_id

        environment = self.environment

        network_status = self.network_status

        delivered_means: None | str
        delivered_means = self.delivered_means

        attention = self.attention

        waiting_reason: None | str
        waiting_reason = self.waiting_reason

        shared = self.shared

        failure_reason: None | str
        failure_reason = self.failure_reason

        reason_code: None | str
        reason_code = self.reason_code

        retryable: bool | None
        retryable = self.retryable

        network_findings = []
        for network_findings_item_data in self.network_findings:
            network_findings_item = network_findings_item_data.to_dict()
            network_findings.append(network_findings_item)



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

        arrivals = []
        for arrivals_item_data in self.arrivals:
            arrivals_item = arrivals_item_data.to_dict()
            arrivals.append(arrivals_item)



        gl_account_code: None | str
        gl_account_code = self.gl_account_code

        processed_at: None | str
        if isinstance(self.processed_at, datetime.datetime):
            processed_at = self.processed_at.isoformat()
        else:
            processed_at = self.processed_at

        processed_by: None | str
        processed_by = self.processed_by

        amount_paid: float | None
        amount_paid = self.amount_paid

        paid: bool | None
        paid = self.paid

        response: dict[str, Any] | None
        if isinstance(self.response, InvoiceAnswered):
            response = self.response.to_dict()
        else:
            response = self.response

        document_type_id: None | str
        document_type_id = self.document_type_id

        traffic_light = self.traffic_light

        history = []
        for history_item_data in self.history:
            history_item = history_item_data.to_dict()
            history.append(history_item)



        reports = []
        for reports_item_data in self.reports:
            reports_item = reports_item_data.to_dict()
            reports.append(reports_item)



        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)



        metadata = self.metadata.to_dict()

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        provider = self.provider

        truncated = self.truncated


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "invoiceId": invoice_id,
            "transactionId": transaction_id,
            "direction": direction,
            "type": type_,
            "number": number,
            "issueDate": issue_date,
            "dueDate": due_date,
            "currency": currency,
            "taxCurrency": tax_currency,
            "grandTotal": grand_total,
            "totals": totals,
            "supplierName": supplier_name,
            "buyerName": buyer_name,
            "senderParticipantId": sender_participant_id,
            "receiverParticipantId": receiver_participant_id,
            "environment": environment,
            "networkStatus": network_status,
            "deliveredMeans": delivered_means,
            "attention": attention,
            "waitingReason": waiting_reason,
            "shared": shared,
            "failureReason": failure_reason,
            "reasonCode": reason_code,
            "retryable": retryable,
            "networkFindings": network_findings,
            "supplierId": supplier_id,
            "customerId": customer_id,
            "arrivals": arrivals,
            "glAccountCode": gl_account_code,
            "processedAt": processed_at,
            "processedBy": processed_by,
            "amountPaid": amount_paid,
            "paid": paid,
            "response": response,
            "documentTypeId": document_type_id,
            "trafficLight": traffic_light,
            "history": history,
            "reports": reports,
            "warnings": warnings,
            "metadata": metadata,
            "createdAt": created_at,
            "updatedAt": updated_at,
            "provider": provider,
        })
        if truncated is not UNSET:
            field_dict["truncated"] = truncated

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.bill_arrival import BillArrival # noqa: PLC0415
        from ..models.history_entry import HistoryEntry # noqa: PLC0415
        from ..models.invoice_answered import InvoiceAnswered # noqa: PLC0415
        from ..models.invoice_response_metadata import InvoiceResponseMetadata # noqa: PLC0415
        from ..models.invoice_totals import InvoiceTotals # noqa: PLC0415
        from ..models.network_finding import NetworkFinding # noqa: PLC0415
        from ..models.report_entry import ReportEntry # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        d = dict(src_dict)
        invoice_id = UUID(d.pop("invoiceId"))




        transaction_id = d.pop("transactionId")

        direction = d.pop("direction")

        type_ = d.pop("type")

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


        def _parse_tax_currency(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        tax_currency = _parse_tax_currency(d.pop("taxCurrency"))


        def _parse_grand_total(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        grand_total = _parse_grand_total(d.pop("grandTotal"))


        totals = InvoiceTotals.from_dict(d.pop("totals"))




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


        sender_participant_id = d.pop("senderParticipantId")

        def _parse_receiver_participant_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        receiver_participant_id = _parse_receiver_participant_id(d.pop("receiverParticipantId"))


        environment = d.pop("environment")

        network_status = d.pop("networkStatus")

        def _parse_delivered_means(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        delivered_means = _parse_delivered_means(d.pop("deliveredMeans"))


        attention = d.pop("attention")

        def _parse_waiting_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        waiting_reason = _parse_waiting_reason(d.pop("waitingReason"))


        shared = d.pop("shared")

        def _parse_failure_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        failure_reason = _parse_failure_reason(d.pop("failureReason"))


        def _parse_reason_code(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason_code = _parse_reason_code(d.pop("reasonCode"))


        def _parse_retryable(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        retryable = _parse_retryable(d.pop("retryable"))


        network_findings = []
        _network_findings = d.pop("networkFindings")
        for network_findings_item_data in (_network_findings):
            network_findings_item = NetworkFinding.from_dict(network_findings_item_data)



            network_findings.append(network_findings_item)


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


        arrivals = []
        _arrivals = d.pop("arrivals")
        for arrivals_item_data in (_arrivals):
            arrivals_item = BillArrival.from_dict(arrivals_item_data)



            arrivals.append(arrivals_item)


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


        def _parse_document_type_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        document_type_id = _parse_document_type_id(d.pop("documentTypeId"))


        traffic_light = d.pop("trafficLight")

        history = []
        _history = d.pop("history")
        for history_item_data in (_history):
            history_item = HistoryEntry.from_dict(history_item_data)



            history.append(history_item)


        reports = []
        _reports = d.pop("reports")
        for reports_item_data in (_reports):
            reports_item = ReportEntry.from_dict(reports_item_data)



            reports.append(reports_item)


        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in (_warnings):
            warnings_item = WarningRecord.from_dict(warnings_item_data)



            warnings.append(warnings_item)


        metadata = InvoiceResponseMetadata.from_dict(d.pop("metadata"))




        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))




        provider = d.pop("provider")

        truncated = d.pop("truncated", UNSET)

        invoice_response = cls(
            invoice_id=invoice_id,
            transaction_id=transaction_id,
            direction=direction,
            type_=type_,
            number=number,
            issue_date=issue_date,
            due_date=due_date,
            currency=currency,
            tax_currency=tax_currency,
            grand_total=grand_total,
            totals=totals,
            supplier_name=supplier_name,
            buyer_name=buyer_name,
            sender_participant_id=sender_participant_id,
            receiver_participant_id=receiver_participant_id,
            environment=environment,
            network_status=network_status,
            delivered_means=delivered_means,
            attention=attention,
            waiting_reason=waiting_reason,
            shared=shared,
            failure_reason=failure_reason,
            reason_code=reason_code,
            retryable=retryable,
            network_findings=network_findings,
            supplier_id=supplier_id,
            customer_id=customer_id,
            arrivals=arrivals,
            gl_account_code=gl_account_code,
            processed_at=processed_at,
            processed_by=processed_by,
            amount_paid=amount_paid,
            paid=paid,
            response=response,
            document_type_id=document_type_id,
            traffic_light=traffic_light,
            history=history,
            reports=reports,
            warnings=warnings,
            metadata=metadata,
            created_at=created_at,
            updated_at=updated_at,
            provider=provider,
            truncated=truncated,
        )


        invoice_response.additional_properties = d
        return invoice_response

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
