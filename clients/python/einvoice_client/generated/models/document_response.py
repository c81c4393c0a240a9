from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.artefact_record import ArtefactRecord
  from ..models.document_response_metadata import DocumentResponseMetadata
  from ..models.history_entry import HistoryEntry
  from ..models.invoice_answered import InvoiceAnswered
  from ..models.network_finding import NetworkFinding
  from ..models.party_record import PartyRecord
  from ..models.response_record import ResponseRecord
  from ..models.validation_record import ValidationRecord
  from ..models.warning_record import WarningRecord





T = TypeVar("T", bound="DocumentResponse")



@_attrs_define
class DocumentResponse:
    """ A sent or received invoice with history, artefacts and responses.

     """

    id: str
    """ The invoice; the same as invoiceId at the public API """
    transaction_id: str
    """ The transmission, opaque """
    status: str
    """ queued, processing, delivered, failed; acknowledged or rejected by an authority; received """
    network_status: str
    """ Processing, Delivered or Failed; Received for a received one """
    format_: None | str
    """ ubl or cii; null for a received document of another kind """
    network: str
    """ The network """
    document_type: str
    """ invoice, creditNote, selfBilledInvoice or selfBilledCreditNote """
    number: None | str
    """ Invoice number; null if a received document has none """
    sender: PartyRecord
    """ A party of the delivery. """
    receiver: PartyRecord
    """ A party of the delivery. """
    issue_date: datetime.date | None
    """ Date of issue """
    currency: None | str
    """ ISO 4217 """
    grand_total: float | None
    """ Total with tax """
    tax_currency: None | str
    """ Currency in which VAT is accounted for; null if it is the invoice's """
    tax_amount_in_tax_currency: float | None
    """ VAT in taxCurrency; null without one """
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
    delivered_at: datetime.datetime | None
    """ When it was delivered """
    failure_reason: None | str
    """ Why it failed """
    reason_code: None | str
    """ Stable code of the failure """
    retryable: bool | None
    """ Whether a resend may succeed """
    network_findings: list[NetworkFinding]
    """ Errors that the network named for its refusal; of a delivered document its warnings; at most 100 """
    authority_reference: None | str
    """ Reference of the tax authority """
    validation: ValidationRecord
    """ The traffic light: green is valid, amber valid with warnings, red is not sent. """
    warnings: list[WarningRecord]
    """ Warnings of rules, improbable values, and changes of the document """
    history: list[HistoryEntry]
    """ Its history """
    artefacts: list[ArtefactRecord]
    """ Its artefacts """
    response: InvoiceAnswered | None
    """ What the receiver of a sent invoice has said of it after delivery; your newest response to a bill """
    responses: list[ResponseRecord]
    """ Responses of the receiver """
    metadata: DocumentResponseMetadata
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
        from ..models.artefact_record import ArtefactRecord # noqa: PLC0415
        from ..models.document_response_metadata import DocumentResponseMetadata # noqa: PLC0415
        from ..models.history_entry import HistoryEntry # noqa: PLC0415
        from ..models.invoice_answered import InvoiceAnswered # noqa: PLC0415
        from ..models.network_finding import NetworkFinding # noqa: PLC0415
        from ..models.party_record import PartyRecord # noqa: PLC0415
        from ..models.response_record import ResponseRecord # noqa: PLC0415
        from ..models.validation_record import ValidationRecord # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        id = self.id

        transaction_id = self.transaction_id

        status = self.status

        network_status = self.network_status

        format_: None | str
        format_ = self.format_

        network = self.network

        document_type = self.document_type

        number: None | str
        number = self.number

        sender = self.sender.to_dict()

        receiver = self.receiver.to_dict()

        issue_date: None | str
        if isinstance(self.issue_date, datetime.date):
            issue_date = self.issue_date.isoformat()
        else:
            issue_date = self.issue_date

        currency: None | str
        currency = self.currency

        grand_total: float | None
        grand_total = self.grand_total

        tax_currency: None | str
        tax_currency = self.tax_currency

        tax_amount_in_tax_currency: float | None
        tax_amount_in_tax_currency = self.tax_amount_in_tax_currency

        delivered_means: None | str
        delivered_means = self.delivered_means

        attention = self.attention

        waiting_reason: None | str
        waiting_reason = self.waiting_reason

        delivered_at: None | str
        if isinstance(self.delivered_at, datetime.datetime):
            delivered_at = self.delivered_at.isoformat()
        else:
            delivered_at = self.delivered_at

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



        authority_reference: None | str
        authority_reference = self.authority_reference

        validation = self.validation.to_dict()

        warnings = []
        for warnings_item_data in self.warnings:
            warnings_item = warnings_item_data.to_dict()
            warnings.append(warnings_item)



        history = []
        for history_item_data in self.history:
            history_item = history_item_data.to_dict()
            history.append(history_item)



        artefacts = []
        for artefacts_item_data in self.artefacts:
            artefacts_item = artefacts_item_data.to_dict()
            artefacts.append(artefacts_item)



        response: dict[str, Any] | None
        if isinstance(self.response, InvoiceAnswered):
            response = self.response.to_dict()
        else:
            response = self.response

        responses = []
        for responses_item_data in self.responses:
            responses_item = responses_item_data.to_dict()
            responses.append(responses_item)



        metadata = self.metadata.to_dict()

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        provider = self.provider

        truncated = self.truncated


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "transactionId": transaction_id,
            "status": status,
            "networkStatus": network_status,
            "format": format_,
            "network": network,
            "documentType": document_type,
            "number": number,
            "sender": sender,
            "receiver": receiver,
            "issueDate": issue_date,
            "currency": currency,
            "grandTotal": grand_total,
            "taxCurrency": tax_currency,
            "taxAmountInTaxCurrency": tax_amount_in_tax_currency,
            "deliveredMeans": delivered_means,
            "attention": attention,
            "waitingReason": waiting_reason,
            "deliveredAt": delivered_at,
            "failureReason": failure_reason,
            "reasonCode": reason_code,
            "retryable": retryable,
            "networkFindings": network_findings,
            "authorityReference": authority_reference,
            "validation": validation,
            "warnings": warnings,
            "history": history,
            "artefacts": artefacts,
            "response": response,
            "responses": responses,
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
        from ..models.artefact_record import ArtefactRecord # noqa: PLC0415
        from ..models.document_response_metadata import DocumentResponseMetadata # noqa: PLC0415
        from ..models.history_entry import HistoryEntry # noqa: PLC0415
        from ..models.invoice_answered import InvoiceAnswered # noqa: PLC0415
        from ..models.network_finding import NetworkFinding # noqa: PLC0415
        from ..models.party_record import PartyRecord # noqa: PLC0415
        from ..models.response_record import ResponseRecord # noqa: PLC0415
        from ..models.validation_record import ValidationRecord # noqa: PLC0415
        from ..models.warning_record import WarningRecord # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        transaction_id = d.pop("transactionId")

        status = d.pop("status")

        network_status = d.pop("networkStatus")

        def _parse_format_(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        format_ = _parse_format_(d.pop("format"))


        network = d.pop("network")

        document_type = d.pop("documentType")

        def _parse_number(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        number = _parse_number(d.pop("number"))


        sender = PartyRecord.from_dict(d.pop("sender"))




        receiver = PartyRecord.from_dict(d.pop("receiver"))




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


        def _parse_tax_currency(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        tax_currency = _parse_tax_currency(d.pop("taxCurrency"))


        def _parse_tax_amount_in_tax_currency(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        tax_amount_in_tax_currency = _parse_tax_amount_in_tax_currency(d.pop("taxAmountInTaxCurrency"))


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


        def _parse_delivered_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                delivered_at_type_0 = datetime.datetime.fromisoformat(data)



                return delivered_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        delivered_at = _parse_delivered_at(d.pop("deliveredAt"))


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


        def _parse_authority_reference(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        authority_reference = _parse_authority_reference(d.pop("authorityReference"))


        validation = ValidationRecord.from_dict(d.pop("validation"))




        warnings = []
        _warnings = d.pop("warnings")
        for warnings_item_data in (_warnings):
            warnings_item = WarningRecord.from_dict(warnings_item_data)



            warnings.append(warnings_item)


        history = []
        _history = d.pop("history")
        for history_item_data in (_history):
            history_item = HistoryEntry.from_dict(history_item_data)



            history.append(history_item)


        artefacts = []
        _artefacts = d.pop("artefacts")
        for artefacts_item_data in (_artefacts):
            artefacts_item = ArtefactRecord.from_dict(artefacts_item_data)



            artefacts.append(artefacts_item)


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


        responses = []
        _responses = d.pop("responses")
        for responses_item_data in (_responses):
            responses_item = ResponseRecord.from_dict(responses_item_data)



            responses.append(responses_item)


        metadata = DocumentResponseMetadata.from_dict(d.pop("metadata"))




        created_at = datetime.datetime.fromisoformat(d.pop("createdAt"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updatedAt"))




        provider = d.pop("provider")

        truncated = d.pop("truncated", UNSET)

        document_response = cls(
            id=id,
            transaction_id=transaction_id,
            status=status,
            network_status=network_status,
            format_=format_,
            network=network,
            document_type=document_type,
            number=number,
            sender=sender,
            receiver=receiver,
            issue_date=issue_date,
            currency=currency,
            grand_total=grand_total,
            tax_currency=tax_currency,
            tax_amount_in_tax_currency=tax_amount_in_tax_currency,
            delivered_means=delivered_means,
            attention=attention,
            waiting_reason=waiting_reason,
            delivered_at=delivered_at,
            failure_reason=failure_reason,
            reason_code=reason_code,
            retryable=retryable,
            network_findings=network_findings,
            authority_reference=authority_reference,
            validation=validation,
            warnings=warnings,
            history=history,
            artefacts=artefacts,
            response=response,
            responses=responses,
            metadata=metadata,
            created_at=created_at,
            updated_at=updated_at,
            provider=provider,
            truncated=truncated,
        )


        document_response.additional_properties = d
        return document_response

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
